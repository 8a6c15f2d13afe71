// Boot: wakes the page's engine, and says so in plain words when it cannot.
//
// The page is complete without this file: words and first pictures are in the HTML. This script
//   1. loads the engine (a wasm-bindgen module) once an island of it is near the view,
//   2. says in the figure what went wrong, and what to do, when it cannot load,
//   3. puts a readable panel in place of a figure whose engine has panicked, and restarts it.
// It is a classic script, because pages opened from a file may not load module scripts: there it is
// the only one left to explain.
//
// A page has up to three programs: its own, and for islands with data-program="lab" or "quiz" the one that
// shows a whole cluster and the one for questions. When one that has figures panics, both such are stopped: they
// share the page's timers.
//
// What it shares with the app:
//   window.highwater      the engine's module, once it runs; window.highwaterLab and highwaterQuiz, the others'
//   <html data-engine>    idle, loading, running, failed or panicked; data-engine-lab, data-engine-quiz
//   highwater:action      an event on a figure's island: a button in the text was pressed
//                         (detail: its data-action; data-figure on the button picks the figure)
//   highwater:panic       an event on window, sent by the engine's panic hook (detail: the message);
//                         highwater:panic-quiz, by that of the questions
//   highwater:dead        an event on window, sent here: the engine has stopped and must not be called again
//   data-without, data-restart   on an island: what else to say there when the engine is not there, and when
//                         it can be restarted
//   sessionStorage "highwater:commands"   what the reader typed so far, one command a line
"use strict";
(() => {
  const { js, wasm, labJs, labWasm, labStyle, quizJs, quizWasm, quizStyle } =
    document.currentScript.dataset;
  const root = document.documentElement;
  const islands = () => [...document.querySelectorAll("[data-island]")];
  // A page that begins with a figure of a whole cluster has the program for that as its own.
  const ownIsLab = !labJs && document.querySelector("[data-program=lab]");
  const own = { js, wasm, state: "engine", module: "highwater" };
  const lab = { js: labJs, wasm: labWasm, state: "engineLab", module: "highwaterLab" };
  if (ownIsLab) Object.assign(lab, { js, wasm });
  const quiz = { js: quizJs, wasm: quizWasm, state: "engineQuiz", module: "highwaterQuiz" };
  const engines = [own, lab, quiz];
  const named = { lab, quiz };
  // A program can also be the page's own.
  const engineOf = (island) => {
    const other = named[island?.dataset.program];
    return other?.js ? other : own;
  };
  // What has an engine of its own: figures and the Lab. A question belongs to a figure.
  const hasFigure = (island) => ["figure", "exhibit", "lab"].includes(island.dataset.island);

  // The first pictures, kept to be put back. Clones carry no listeners of an engine that has died.
  const firstPictures = islands().map((island) => island.cloneNode(true));
  let restarts = 0;

  const is = (engine, state) => root.dataset[engine.state] === state;
  const become = (engine, state) => {
    root.dataset[engine.state] = state;
    for (const button of document.querySelectorAll("button[data-action]")) {
      button.disabled = !is(engineOf(figureOf(button)), "running");
    }
  };
  const figureOf = (button) => {
    const figures = islands().filter(hasFigure);
    return figures.find((island) => island.dataset.figure === button.dataset.figure) ?? figures[0];
  };

  // ---- 1. Loading -----------------------------------------------------------------------------

  // Why the engine cannot even be tried here, or nothing.
  function obstacle({ js, wasm }) {
    if (location.protocol === "file:") {
      return {
        cause: "a page opened from a file may not load it",
        remedy: "Open this page through a web server, for example `cargo xtask serve`.",
      };
    }
    if (typeof WebAssembly !== "object") {
      return {
        cause: "this browser has no WebAssembly, or it is switched off",
        remedy: "Open the page in a current browser, or switch WebAssembly on.",
      };
    }
    if (!js || !wasm) {
      return { cause: "this page was built without it", remedy: "Build it with `cargo xtask build`." };
    }
    return null;
  }

  const reload = "Reload to try again.";

  class LoadError extends Error {
    constructor(cause, remedy = reload) {
      super(cause);
      Object.assign(this, { cause, remedy });
    }
  }

  const unreachable = () =>
    navigator.onLine === false
      ? new LoadError("this device is offline", "Reload when it is online again.")
      : new LoadError("a part of it could not be fetched");

  async function fetchWasm({ wasm }) {
    const response = await fetch(new URL(wasm, document.baseURI), { credentials: "same-origin" })
      .catch(() => { throw unreachable(); });
    if (!response.ok) throw new LoadError(`the server answered ${response.status} for a part of it`);
    return response;
  }

  async function load(engine) {
    if (!is(engine, "idle")) return;
    const known = obstacle(engine);
    if (known) return fail(engine, known);
    become(engine, "loading");
    const attempt = restarts;
    const isOver = () => attempt !== restarts || is(engine, "panicked");
    try {
      // A new query makes a new module, and with it a new memory.
      const url = new URL(engine.js, document.baseURI);
      if (attempt) url.searchParams.set("restart", attempt);
      const [module, response] = await Promise.all([
        import(url.href).catch(() => { throw unreachable(); }),
        fetchWasm(engine),
      ]);
      await module.default({ module_or_path: response });
      if (isOver()) return;
      window[engine.module] = module;
      become(engine, "running");
    } catch (error) {
      if (isOver()) return;
      fail(engine, error instanceof LoadError ? error : new LoadError(`${error?.message ?? error}`));
    }
  }

  // ---- 2. It cannot load ----------------------------------------------------------------------

  function fail(engine, { cause, remedy }) {
    become(engine, "failed");
    for (const status of document.querySelectorAll("[data-engine-status]")) {
      if (engineOf(status.closest("[data-island]")) !== engine) continue;
      const without = status.closest("[data-without]")?.dataset.without
        ?? "The text and this picture are complete without it.";
      const words = `(${cause}). ${without} ${remedy}`;
      status.classList.add("did-failed");
      status.replaceChildren(element("b", {}, "The simulator could not load"), ` ${words}`);
    }
  }

  // ---- 3. It has stopped ----------------------------------------------------------------------

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  function commandsSoFar() {
    try {
      return (sessionStorage.getItem("highwater:commands") ?? "").trim();
    } catch {
      return ""; // Storage is blocked: then nothing was kept there.
    }
  }

  // A dead engine must not be called again. Every timer of this page is the engine's.
  function stopTimers() {
    const timer = setTimeout(() => {});
    for (let id = 0; id <= timer; id += 1) clearTimeout(id);
    const frame = requestAnimationFrame(() => {});
    for (let id = 0; id <= frame; id += 1) cancelAnimationFrame(id);
  }

  function panic(message, mayBe) {
    const dead = mayBe.filter((engine) => is(engine, "running") || is(engine, "loading"));
    if (!dead.length) return;
    const focused = document.activeElement?.closest("[data-island]");
    for (const engine of dead) become(engine, "panicked");
    if (dead.length > 1 || dead[0] !== questions()) {
      dispatchEvent(new Event("highwater:dead"));
      stopTimers();
    }
    const back = putBack(dead);
    const broken = back.filter(hasFigure);
    const panels = (broken.length ? broken : back.slice(0, 1)).map((island) => {
      const label = island.querySelector("figure")?.getAttribute("aria-label");
      const panel = panicPanel(message, label, island.dataset.restart);
      island.replaceChildren(panel);
      return panel;
    });
    // Whoever was in a figure or a question is taken to the panel; nobody else is moved.
    if (focused) panels[0]?.focus();
  }

  function panicPanel(message, label, afterwards) {
    const commands = commandsSoFar();
    const restart = element("button", { type: "button", class: "btn btn-primary" }, "Restart");
    restart.addEventListener("click", restartEngine);
    const kept = commands
      ? [element("p", {}, "Nothing that you wrote is lost. These are your commands so far:"),
         element("pre", { class: "panel-commands", tabindex: "0" }, commands)]
      : [element("p", {}, "You had not written any commands.")];
    return element("section",
      { class: "fig panel", role: "alert", tabindex: "-1", "aria-label": label ?? "The figure" },
      element("h2", { class: "panel-title" }, "The simulator has stopped"),
      element("p", {}, "It met a fault of its own. It said:"),
      element("pre", { class: "panel-cause", tabindex: "0" }, message),
      ...kept,
      element("p", {},
        afterwards ?? "The text is complete without it. Restart puts the first picture back."),
      restart);
  }

  // Puts the first pictures of some engines back, as new elements, and returns them.
  function putBack(dead) {
    const all = islands().map((island, index) => {
      if (!dead.includes(engineOf(island))) return null;
      const fresh = firstPictures[index].cloneNode(true);
      island.replaceWith(fresh);
      return fresh;
    });
    return all.filter(Boolean);
  }

  async function restartEngine() {
    restarts += 1;
    const dead = engines.filter((engine) => is(engine, "panicked"));
    for (const engine of dead) become(engine, "idle");
    const back = putBack(dead);
    const first = back.find(hasFigure) ?? back[0];
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
    await Promise.all(dead.map(load));
  }

  // The program for questions has no timers, so it dies alone.
  const questions = () => (quiz.js ? quiz : own);
  const said = (event) => `${event.detail ?? "no message"}`;
  addEventListener("highwater:panic", (event) => panic(said(event), [own, lab]));
  addEventListener("highwater:panic-quiz", (event) => panic(said(event), [questions()]));
  // A trap that never reached the panic hook, such as an overflown stack.
  const trapped = (error) => {
    if (error instanceof (globalThis.WebAssembly?.RuntimeError ?? Array)) panic(error.message, engines);
  };
  addEventListener("error", (event) => trapped(event.error));
  addEventListener("unhandledrejection", (event) => trapped(event.reason));

  // ---- Buttons in the text --------------------------------------------------------------------

  // The event goes to the island, so that the listeners of a dead engine go with the old island.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-action]");
    const figure = button && figureOf(button);
    if (!figure || !is(engineOf(figure), "running")) return;
    figure.dispatchEvent(new CustomEvent("highwater:action", { detail: button.dataset.action }));
  });

  // ---- Styles of what stands further below, when the first load is over -------------------------

  addEventListener("load", () => {
    for (const href of [labStyle, quizStyle].filter(Boolean)) {
      document.head.append(element("link", { rel: "stylesheet", href }));
    }
  });

  // ---- Start ----------------------------------------------------------------------------------

  for (const engine of engines) become(engine, "idle");
  const near = "IntersectionObserver" in window && new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      load(engineOf(entry.target));
    }
  }, { rootMargin: "50% 0px" });
  const watch = (island) => (near ? near.observe(island) : load(engineOf(island)));
  islands().forEach(watch);
})();
