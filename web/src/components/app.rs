//! One figure with its questions: the app that mounts into a figure's island, and through portals
//! into the islands of its questions, so that all of them share one state.

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use highwater_lesson::{Act, Direction, Figure, Outcome};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, Element, HtmlElement, HtmlInputElement, ResizeObserver};
use yew::{
    Component, Context, Html, NodeRef, Properties, create_portal, html as view, html::Scope,
};

use crate::adapter::html;
use crate::components::reading::{Pressed, key_of, pressed};
use crate::island::{
    QuizIsland, all, keep_commands, read_figure, read_questions, root_font, wants_motion,
};

/// Milliseconds between two steps of a figure that plays.
const STEP_MS: u32 = 600;

/// Mounts an app into every figure of the page.
pub fn mount_all() {
    for island in all("[data-island=figure]") {
        match read_figure(&island).and_then(|source| Figure::new(source, true)) {
            Ok(figure) => {
                let width = island.query_selector(".fig-draw").ok().flatten();
                let width = width.map_or(480, |draw| draw.client_width());
                let quizzes =
                    read_questions(&island.get_attribute("data-figure").unwrap_or_default());
                for quiz in &quizzes {
                    quiz.host.set_inner_html("");
                }
                let font = root_font();
                let props = Props { island: island.clone(), figure, quizzes, width, font };
                yew::Renderer::<App>::with_root_and_props(island, props).render();
            }
            // The static picture stays; its status line says why it does not move.
            Err(trouble) => {
                if let Some(status) = island.query_selector("[data-engine-status]").ok().flatten() {
                    status.set_text_content(Some(&trouble));
                }
            }
        }
    }
}

/// What an app begins with.
#[derive(Clone, Debug, Properties)]
pub struct Props {
    /// Where it is mounted.
    pub island: Element,
    /// The figure at its first frame.
    pub figure: Figure,
    /// Its questions.
    pub quizzes: Vec<QuizIsland>,
    /// The width of the drawing in px.
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
}

impl PartialEq for Props {
    /// An app is mounted once; its properties never change.
    fn eq(&self, other: &Self) -> bool {
        self.island == other.island
    }
}

/// What happens to an app.
#[derive(Debug)]
pub enum Msg {
    /// The reader did something to the figure.
    Act(Act),
    /// The next step of a figure that plays is due.
    Tick,
    /// The reader runs what stands at the prompt.
    RunPrompt,
    /// A chip fills the prompt.
    Fill(String),
    /// The reader walks through the history: up, or down.
    History {
        /// To older commands?
        older: bool,
    },
    /// The drawing has another width, or the page another font size.
    Resized {
        /// In px.
        width: i32,
        /// In px.
        font: i32,
    },
    /// The reader has chosen an answer.
    Chosen {
        /// Which question.
        quiz: usize,
        /// The answer's value.
        value: String,
    },
    /// The reader wants to see what happens.
    Answer {
        /// Which question.
        quiz: usize,
        /// Without guessing?
        skipped: bool,
    },
    /// The reader wants to be asked again.
    AskAgain {
        /// Which question.
        quiz: usize,
    },
}

/// The app.
pub struct App {
    figure: Figure,
    quizzes: Vec<QuizIsland>,
    width: i32,
    font: i32,
    root: NodeRef,
    timer: Option<Timeout>,
    /// Commands that the reader has typed, oldest first, and where in them the prompt is.
    history: Vec<String>,
    history_at: usize,
    /// Where the focus goes after the next drawing.
    focus_next: Option<&'static str>,
    /// Whether the terminal's newest line is to be shown.
    scroll_log: bool,
    _actions: EventListener,
    _observer: Option<(ResizeObserver, Closure<dyn FnMut(JsValue)>)>,
}

impl Component for App {
    type Message = Msg;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        let Props { island, figure, quizzes, width, font } = ctx.props().clone();
        let link = ctx.link().clone();
        let actions = EventListener::new(&island, "highwater:action", move |event| {
            if let Some(action) =
                event.dyn_ref::<CustomEvent>().and_then(|event| event.detail().as_string())
            {
                link.send_message(Msg::Act(Act::Text(action)));
            }
        });
        Self {
            figure,
            quizzes,
            width,
            font,
            root: NodeRef::default(),
            timer: None,
            history: Vec::new(),
            history_at: 0,
            focus_next: None,
            scroll_log: false,
            _actions: actions,
            _observer: None,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Act(act) => self.act(act, ctx.link()),
            Msg::Tick => {
                self.timer = None;
                self.act(Act::Tick, ctx.link());
            }
            Msg::RunPrompt => self.run_prompt(ctx.link()),
            Msg::Fill(command) => self.fill(&command),
            Msg::History { older } => self.walk_history(older),
            Msg::Resized { width, font } => {
                // A drawing that is not shown has no width; it keeps the one it had.
                let same = self.width == width && self.font == font;
                if same || width == 0 {
                    return false;
                }
                (self.width, self.font) = (width, font);
            }
            Msg::Chosen { quiz, value } => self.quizzes[quiz].question.chosen = Some(value),
            Msg::Answer { quiz, skipped } => self.answer(quiz, skipped, ctx.link()),
            Msg::AskAgain { quiz } => {
                self.quizzes[quiz].question.chosen = None;
                self.quizzes[quiz].question.outcome = None;
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let figure = html(&self.figure.view(&[self.width], self.font));
        let (click, input) = (ctx.link().clone(), ctx.link().clone());
        let (submit, key) = (ctx.link().clone(), ctx.link().clone());
        let quizzes =
            self.quizzes.iter().enumerate().map(|(n, quiz)| self.quiz(ctx.link(), n, quiz));
        view! {
            <>
                <div
                    ref={self.root.clone()}
                    onclick={click.batch_callback(|event: yew::MouseEvent| message_of(&event))}
                    oninput={input.batch_callback(|event: yew::InputEvent| seek_of(&event))}
                    onsubmit={submit.callback(|event: yew::SubmitEvent| {
                        event.prevent_default();
                        Msg::RunPrompt
                    })}
                    onkeydown={key.batch_callback(|event: yew::KeyboardEvent| key_of(&event))}
                >
                    { figure }
                </div>
                { for quizzes }
            </>
        }
    }

    fn rendered(&mut self, ctx: &Context<Self>, first_render: bool) {
        if first_render {
            self._observer = self.observe(ctx.link());
        }
        if let Some(selector) = self.focus_next.take() {
            self.focus_on(selector);
        }
        if std::mem::take(&mut self.scroll_log)
            && let Some(log) = self.find(".tty-log")
        {
            log.set_scroll_top(log.scroll_height());
        }
    }
}

impl App {
    fn act(&mut self, act: Act, link: &Scope<Self>) {
        let moves = matches!(act, Act::Move(_));
        let opens = act == Act::ToggleTerminal;
        // Without motion a replay is shown at its end at once.
        let replays = matches!(&act, Act::Text(_));
        self.figure.act(act, self.width, self.font);
        if replays && self.figure.is_playing() && !wants_motion() {
            self.figure.play_to(u32::MAX);
        }
        self.timer = self.figure.is_playing().then(|| {
            let link = link.clone();
            Timeout::new(STEP_MS, move || link.send_message(Msg::Tick))
        });
        if moves {
            self.focus_next = Some("[data-cell][tabindex='0']");
        }
        if opens && self.figure.is_terminal_open() {
            self.focus_next = Some(".tty-input");
        }
        self.scroll_log = self.figure.is_terminal_open();
    }

    fn run_prompt(&mut self, link: &Scope<Self>) {
        let Some(input) = self.prompt() else { return };
        let line = input.value();
        input.set_value("");
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line.clone());
        }
        self.history_at = self.history.len();
        self.act(Act::Run(line), link);
        keep_commands(&self.figure.story().commands());
        self.focus_next = Some(".tty-input");
    }

    fn fill(&mut self, command: &str) {
        if let Some(input) = self.prompt() {
            input.set_value(command);
        }
        self.focus_next = Some(".tty-input");
    }

    fn walk_history(&mut self, older: bool) {
        let at = if older { self.history_at.checked_sub(1) } else { Some(self.history_at + 1) };
        let Some(at) = at.filter(|at| *at <= self.history.len()) else { return };
        self.history_at = at;
        let line = self.history.get(at).cloned().unwrap_or_default();
        if let Some(input) = self.prompt() {
            input.set_value(&line);
        }
    }

    /// Lets the figure run to the moment that decides, and asks it what is true there.
    fn answer(&mut self, quiz: usize, skipped: bool, link: &Scope<Self>) {
        let question = &self.quizzes[quiz].question;
        match (&question.action, question.until) {
            (Some(action), _) => self.act(Act::Text(action.clone()), link),
            (None, Some(step)) => self.figure.play_to(step),
            (None, None) => {}
        }
        self.timer = None;
        let facts = self.figure.story().facts();
        let because = self.figure.sentence();
        self.quizzes[quiz].question.outcome = Some(Outcome { facts, skipped, because });
    }

    fn quiz(&self, link: &Scope<Self>, number: usize, quiz: &QuizIsland) -> Html {
        let question = html(&quiz.question.view(true));
        let click = link.batch_callback(move |event: yew::MouseEvent| {
            event.stop_propagation();
            match pressed(&event)? {
                Pressed::QuizRun => Some(Msg::Answer { quiz: number, skipped: false }),
                Pressed::QuizSkip => Some(Msg::Answer { quiz: number, skipped: true }),
                Pressed::QuizAgain => Some(Msg::AskAgain { quiz: number }),
                _ => None,
            }
        });
        let change = link.batch_callback(move |event: yew::Event| {
            let radio: HtmlInputElement = event.target()?.dyn_into().ok()?;
            Some(Msg::Chosen { quiz: number, value: radio.value() })
        });
        let child = view! { <div onclick={click} onchange={change}>{ question }</div> };
        create_portal(child, quiz.host.clone())
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.root.cast::<Element>()?.query_selector(selector).ok().flatten()
    }

    fn prompt(&self) -> Option<HtmlInputElement> {
        self.find(".tty-input")?.dyn_into().ok()
    }

    fn focus_on(&self, selector: &str) {
        let found = self.find(selector);
        if let Some(element) = found.as_ref().and_then(|found| found.dyn_ref::<HtmlElement>()) {
            let _ = element.focus();
        } else if let Some(element) = found {
            // An SVG element has `focus` too, but web-sys knows it for HTML only.
            let focus = js_sys::Reflect::get(&element, &JsValue::from_str("focus")).ok();
            if let Some(focus) = focus.and_then(|focus| focus.dyn_into::<js_sys::Function>().ok()) {
                let _ = focus.call0(&element);
            }
        }
    }

    /// Draws again whenever the drawing's room has changed.
    fn observe(&self, link: &Scope<Self>) -> Option<(ResizeObserver, Closure<dyn FnMut(JsValue)>)> {
        let draw = self.find(".fig-draw")?;
        let (link, room) = (link.clone(), draw.clone());
        let changed = Closure::<dyn FnMut(JsValue)>::new(move |_| {
            link.send_message(Msg::Resized { width: room.client_width(), font: root_font() });
        });
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
        observer.observe(&draw);
        Some((observer, changed))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if let Some((observer, _)) = &self._observer {
            observer.disconnect();
        }
    }
}

fn message_of(event: &yew::MouseEvent) -> Option<Msg> {
    match pressed(event)? {
        Pressed::Does(name) => Some(Msg::Act(match name.as_str() {
            "back" => Act::Back,
            "step" => Act::Step,
            "play" => Act::Play,
            "terminal" => Act::ToggleTerminal,
            "interrupt" => Act::Interrupt,
            "end-of-input" => Act::EndOfInput,
            "return" => Act::Return,
            _ => return None,
        })),
        Pressed::Cell(cell) => Some(Msg::Act(Act::Choose(cell))),
        Pressed::Scroll { older } => Some(Msg::Act(Act::Scroll { older })),
        Pressed::Fill(command) => Some(Msg::Fill(command)),
        Pressed::QuizRun | Pressed::QuizSkip | Pressed::QuizAgain => None,
    }
}

fn seek_of(event: &yew::InputEvent) -> Option<Msg> {
    let input: HtmlInputElement = event.target()?.dyn_into().ok()?;
    (input.type_() == "range").then(|| Msg::Act(Act::Seek(input.value().parse().unwrap_or(0))))
}

/// The direction of an arrow key.
pub(super) fn direction_of(key: &str) -> Option<Direction> {
    Some(match key {
        "ArrowLeft" => Direction::Left,
        "ArrowRight" => Direction::Right,
        "ArrowUp" => Direction::Up,
        "ArrowDown" => Direction::Down,
        "Home" => Direction::Home,
        "End" => Direction::End,
        _ => return None,
    })
}
