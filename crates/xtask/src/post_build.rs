//! What trunk calls when its files are staged: has the pages with other programs built beside them, shrinks wasm, scripts and
//! styles of a release build, has the lesson pages written, and in a development build lets trunk's live
//! reload through the content security policy.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::names::Renamed;
use crate::places;
use crate::process::{Job, on_path};
use crate::site::{self, Mode};
use crate::tools::npm;
use crate::trouble::{OrSay, Outcome, Trouble};
use crate::{beside, styles};

/// What rustc's wasm target uses and every browser of the last years knows. Not `--all-features`:
/// wasm-opt could then write what some browsers do not know.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

const BINARYEN: &str = "132";

/// Passes of `-Oz` that the page is better off without.
const LEFT_OUT: [&str; 4] = ["simplify-locals", "ssa-nomerge", "local-cse", "memory-packing"];

/// The hook itself.
pub(crate) fn run(cache: &Path) -> Outcome {
    let staging = env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from).ok_or_else(|| {
        Trouble::new("post-build is called by trunk; use `cargo xtask build` instead.")
    })?;
    let page = env::var_os("TRUNK_HTML_FILE").map(PathBuf::from).unwrap_or_default();
    if site::BESIDE.iter().any(|(beside, _)| page.ends_with(beside)) {
        // What we have asked for ourselves, below: its files are finished with those of the first page.
        return Ok(());
    }
    let release = env::var("TRUNK_PROFILE").as_deref() == Ok("release");
    let first = staging.join("index.html");
    if release {
        styles::join(&first)?;
    }
    for (page, folder) in site::BESIDE {
        let folder = staging.join(folder);
        let built = folder.join("index.html");
        site::build_beside(cache, if release { Mode::Release } else { Mode::Dev }, page, &folder)?;
        if release {
            styles::join(&built)?;
        } else {
            beside::take_live_reload(&first, &built)?;
            allow_live_reload(&built)?;
        }
        beside::settle(&folder, &staging)?;
    }
    if !release {
        allow_live_reload(&first)?;
    }
    let programs = programs(&staging)?;
    if release {
        shrink(cache, &staging)?;
    }
    write_pages(&staging, &programs, release)
}

/// The programs that a lesson can use beside its own, each with the style of its islands.
fn programs(staging: &Path) -> Outcome<Vec<String>> {
    let mut programs = Vec::new();
    for (name, page) in [("lab", "course/index.html"), ("quiz", "key/index.html")] {
        let beside::Program { js, wasm } = beside::program(&staging.join(page))?;
        let style = styles::of_islands(staging, name)?;
        programs.push(format!("{name}={js},{wasm},{style}"));
    }
    Ok(programs)
}

fn shrink(cache: &Path, staging: &Path) -> Outcome {
    let wasm_opt = wasm_opt(cache)?;
    let esbuild = npm::program(cache, "esbuild")?;
    for file in places::files_below(staging)? {
        match file.extension().and_then(|e| e.to_str()) {
            Some("wasm") => {
                let mut renamed = Renamed::default();
                replace_by(&file, |smaller| {
                    renamed = optimise(&wasm_opt, &file, smaller)?;
                    Ok(())
                })?;
                rename_in_glue(&file, &renamed)?;
            }
            Some("js" | "css") => {
                without_debug_text(&file)?;
                replace_by(&file, |smaller| minify(&esbuild, &file, smaller))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The glue can describe any value of JavaScript for `{:?}`, which the wasm leaves out: a word is
/// enough.
fn without_debug_text(file: &Path) -> Outcome {
    const HEAD: &str = "function debugString(val) {\n";
    let script = fs::read_to_string(file).or_say(|| format!("read {}", file.display()))?;
    let Some((before, rest)) = script.split_once(HEAD) else { return Ok(()) };
    let Some((_, after)) = rest.split_once("\n}\n") else { return Ok(()) };
    let shorter = format!("{before}{HEAD}return typeof val;\n}}\n{after}");
    fs::write(file, shorter).or_say(|| format!("write {}", file.display()))
}

/// The glue of `x_bg.wasm` is `x.js`; it must use the names that the wasm has now.
fn rename_in_glue(wasm: &Path, renamed: &Renamed) -> Outcome {
    let name = wasm.file_name().unwrap_or_default().to_string_lossy();
    let Some(stem) = name.strip_suffix("_bg.wasm") else { return Ok(()) };
    let glue = wasm.with_file_name(format!("{stem}.js"));
    let script = fs::read_to_string(&glue).or_say(|| format!("read {}", glue.display()))?;
    fs::write(&glue, renamed.follow(&script)).or_say(|| format!("write {}", glue.display()))
}

fn wasm_opt(cache: &Path) -> Outcome<PathBuf> {
    if let Some(own) = on_path("wasm-opt") {
        let asked = Job::new("asking for a version", &own).args(["--version"]).quiet().run()?;
        if asked.text.split_whitespace().any(|word| word == BINARYEN) {
            return Ok(own);
        }
    }
    npm::program(cache, "wasm-opt")
}

fn optimise(wasm_opt: &Path, from: &Path, to: &Path) -> Outcome<Renamed> {
    Job::new("wasm-opt", wasm_opt)
        // Tried one by one: about 3 kB (brotli) less than `-Oz` alone. Low memory is the far end of
        // the stack, and what the switch allows concerns constant addresses below 1024.
        .args([
            "--low-memory-unused",
            "-ocimfs",
            "20",
            "-aimfs",
            "6",
            "--flatten",
            "--rereloop",
            "-Oz",
            "-Oz",
            "-Oz",
            "--optimize-instructions",
            "--vacuum",
            "--code-folding",
        ])
        // How an address is aligned is a hint that no browser of today looks at, and half a kB. Functions
        // that are named alike are alike, so brotli finds more in them side by side: another third.
        .args(["--dealign", "--reorder-functions-by-name"])
        // What these do makes the file shorter and what brotli makes of it longer, by 1.3 kB.
        .args(LEFT_OUT.map(|pass| format!("--skip-pass={pass}")))
        .args(["--strip-debug", "--strip-producers", "--strip-target-features"])
        .args(["--minify-imports-and-exports-and-modules"])
        .args(FEATURES)
        .args([from.as_os_str(), "-o".as_ref(), to.as_os_str()])
        .quiet()
        .bound(Duration::from_secs(300))
        .must("if it names a feature, add that to FEATURES in crates/xtask/src/post_build.rs.")
        .and_then(|printed| Renamed::read(&printed))
}

fn minify(esbuild: &Path, from: &Path, to: &Path) -> Outcome {
    Job::new("esbuild", esbuild)
        .args(["--minify", "--target=es2022", "--charset=utf8", "--log-level=warning"])
        .args([from.as_os_str(), format!("--outfile={}", to.display()).as_ref()])
        .quiet()
        .bound(Duration::from_secs(60))
        .must("a script or a style of the site is not valid.")
        .map(drop)
}

/// Makes a new file beside the old one and puts it in its place.
fn replace_by(file: &Path, make: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let new = file.with_extension("smaller");
    make(&new)?;
    let size = |path: &Path| fs::metadata(path).map(|m| m.len()).unwrap_or_default();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    println!("  {name}: {} to {} bytes", size(file), size(&new));
    fs::rename(&new, file).or_say(|| format!("replace {}", file.display()))
}

/// The lesson pages are written by our own command, from the page that trunk has just made.
///
/// A development build writes them without pictures, which take time to build and to draw, and in place of a broken
/// lesson a page that says what is wrong with it.
fn write_pages(staging: &Path, programs: &[String], release: bool) -> Outcome {
    let (build, how) = if release {
        (&[][..], "--previews")
    } else {
        (&["--no-default-features"][..], "--with-broken")
    };
    Job::new("Writing the lesson pages", "cargo")
        .args(["run", "--quiet", "--package", "highwater-cli", "--bin", "highwater"])
        .args(build)
        .args(["--", "pages", how])
        .arg_pair("--template", &staging.join("index.html"))
        .arg_pair("--lessons", Path::new("web/lessons"))
        .arg_pair("--contents", &staging.join("course/index.html"))
        .arg_pair("--key", &staging.join("key/index.html"))
        .arg_pair("--out", staging)
        .args(programs.iter().flat_map(|program| ["--program", program]))
        .dir(places::root())
        .bound(Duration::from_secs(15 * 60))
        .must("the lines above say which lesson could not be written.")
        .map(drop)
}

/// Trunk's live reload is an inline script, styles its overlay with attributes and opens a socket.
/// The strict policy forbids all three, so a development build alone gets a wider one.
fn allow_live_reload(page: &Path) -> Outcome {
    let html = fs::read_to_string(page).or_say(|| format!("read {}", page.display()))?;
    fs::write(page, with_wider_policy(&html)).or_say(|| format!("write {}", page.display()))
}

fn with_wider_policy(html: &str) -> String {
    let Some(meta) = html.find("http-equiv=\"Content-Security-Policy\"") else {
        return html.to_owned();
    };
    let Some(start) = html[meta..].find("content=\"").map(|at| meta + at + "content=\"".len())
    else {
        return html.to_owned();
    };
    let Some(end) = html[start..].find('"').map(|at| start + at) else {
        return html.to_owned();
    };
    let extra = [
        ("script-src", "'unsafe-inline'"),
        ("style-src", "'unsafe-inline'"),
        ("connect-src", "ws: wss:"),
    ];
    let policy = extra
        .iter()
        .fold(html[start..end].to_owned(), |policy, (name, more)| widened(&policy, name, more));
    format!("{}{policy}{}", &html[..start], &html[end..])
}

/// The policy with more sources for one directive; a missing directive inherits `default-src
/// 'self'`.
fn widened(policy: &str, name: &str, more: &str) -> String {
    let mut parts: Vec<String> =
        policy.split(';').map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect();
    match parts.iter_mut().find(|part| part.split_whitespace().next() == Some(name)) {
        Some(part) => *part = format!("{} {more}", part.replace(" 'none'", "")),
        None => parts.push(format!("{name} 'self' {more}")),
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_policy_is_widened_and_only_for_what_live_reload_needs() {
        let html = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
                    script-src 'self' 'wasm-unsafe-eval'; connect-src 'none'\"><p>x</p>";
        assert_eq!(
            with_wider_policy(html),
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; connect-src ws: wss:; \
             style-src 'self' 'unsafe-inline'\"><p>x</p>"
        );
        assert_eq!(with_wider_policy("<p>no policy</p>"), "<p>no policy</p>");
    }
}
