//! Options as Kafka's tools read them (the rules of joptsimple): `--name value` and `--name=value`,
//! and its words when something is wrong.

use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;

/// One option of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// Its name, without the dashes.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) takes: Takes,
    /// What it does, in our words; `NOT_YET` in front: real Kafka has it and Highwater does not.
    pub(crate) about: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// A value, named so in the table of options.
    Value(&'static str),
    /// A value that may be left out.
    Maybe(&'static str),
}

/// Beginning of the description of an option that is only known by name.
pub(crate) const NOT_YET: &str = "(not in Highwater yet) ";

/// What was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    given: Vec<(&'static str, Option<String>)>,
    /// Words that belong to no option.
    pub(crate) stray: Vec<String>,
}

/// Something wrong with the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// joptsimple's class and text.
    Parse(&'static str, String),
    /// The option is real, but not here.
    NotYet(&'static str),
}

impl Options {
    /// Reads arguments against a tool's options.
    pub(crate) fn parse(arguments: &[Vec<u8>], specs: &'static [Spec]) -> Result<Self, Problem> {
        let mut options = Self::default();
        let mut rest = arguments.iter().map(|word| String::from_utf8_lossy(word).into_owned());
        let mut pushed_back: Option<String> = None;
        while let Some(word) = pushed_back.take().or_else(|| rest.next()) {
            if word == "--" {
                options.stray.extend(rest.by_ref());
                break;
            }
            let Some(body) = word.strip_prefix('-').filter(|body| !body.is_empty()) else {
                options.stray.push(word);
                continue;
            };
            let body = body.strip_prefix('-').unwrap_or(body);
            let (name, attached) = match body.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (body, None),
            };
            let spec = find(name, specs)?;
            if spec.about.starts_with(NOT_YET) {
                return Err(Problem::NotYet(spec.name));
            }
            let value = match spec.takes {
                Takes::Nothing => None,
                Takes::Value(_) => {
                    let value =
                        attached.or_else(|| rest.next().filter(|next| !is_option(next, specs)));
                    Some(value.ok_or_else(|| needs_argument(spec.name))?)
                }
                Takes::Maybe(_) => match attached.or_else(|| rest.next()) {
                    Some(next) if is_option(&next, specs) => {
                        pushed_back = Some(next);
                        None
                    }
                    value => value,
                },
            };
            options.given.push((spec.name, value));
        }
        Ok(options)
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// All values of an option that may be given several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(move |(given, _)| *given == name).filter_map(|(_, v)| v.as_deref())
    }

    /// The value of an option that may be given once.
    pub(crate) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Problem> {
        let mut values = self.all(name);
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(Problem::Parse(
                "joptsimple.MultipleArgumentsForOptionException",
                format!("Found multiple arguments for option {name}, but you asked for only one"),
            )),
        }
    }

    /// The whole number that an option was given.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i32>, Problem> {
        match self.one(name)? {
            None => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                Problem::Parse(
                    "joptsimple.OptionArgumentConversionException",
                    format!("Cannot parse argument '{text}' of option {name}"),
                )
            }),
        }
    }
}

fn is_option(word: &str, specs: &'static [Spec]) -> bool {
    let name = word.strip_prefix("--").unwrap_or("");
    !name.is_empty() && find(name.split('=').next().unwrap_or(name), specs).is_ok()
}

/// The option of that name. Kafka's tools do not take names cut short.
fn find(name: &str, specs: &'static [Spec]) -> Result<&'static Spec, Problem> {
    specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
        Problem::Parse(
            "joptsimple.UnrecognizedOptionException",
            format!("{name} is not a recognized option"),
        )
    })
}

fn needs_argument(name: &str) -> Problem {
    Problem::Parse(
        "joptsimple.OptionMissingRequiredArgumentException",
        format!("Option {name} requires an argument"),
    )
}

/// A message and the table of options, on standard error, exit 1
/// (`CommandLineUtils.printUsageAndExit`).
pub(crate) fn usage_error(message: &str, specs: &'static [Spec], out: &mut Out<'_>) -> Ended {
    out.write(Fd::Stderr, format!("{message}\n{}", table(specs)));
    Ended(1)
}

/// `--help`: our own words and the table, exit 0.
pub(crate) fn help(about: &str, specs: &'static [Spec], out: &mut Out<'_>) -> Ended {
    out.write(Fd::Stdout, format!("{about}\n{}", table(specs)));
    Ended(0)
}

/// joptsimple's two header lines, then each option with our own description.
fn table(specs: &[Spec]) -> String {
    const LEFT: usize = 41;
    const RIGHT: usize = 39;
    let mut text = format!("{:LEFT$}{:RIGHT$}\n", "Option", "Description");
    text.push_str(&format!("{:LEFT$}{:RIGHT$}\n", "------", "-----------"));
    for spec in specs {
        let option = match spec.takes {
            Takes::Nothing => format!("--{}", spec.name),
            Takes::Value(value) => format!("--{} <{value}>", spec.name),
            Takes::Maybe(value) => format!("--{} [{value}]", spec.name),
        };
        let gap = if option.len() < LEFT { LEFT - option.len() } else { 1 };
        text.push_str(&option);
        text.extend(std::iter::repeat_n(' ', gap));
        text.push_str(spec.about);
        text.push('\n');
    }
    text
}

impl Problem {
    /// What to say where the tool has no way of its own.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Parse(_, text) => text.clone(),
            Self::NotYet(name) => {
                format!("Option --{name} exists in Kafka, but Highwater does not have it yet.")
            }
        }
    }
}
