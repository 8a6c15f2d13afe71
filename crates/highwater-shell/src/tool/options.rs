//! Options as Kafka's tools read them (the rules of joptsimple): `--name value` and `--name=value`,
//! and its words when something is wrong.

use std::fmt;

use highwater_core::number;
use highwater_core::scope;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::{Ended, Next};

/// One option of a tool, as the tool's table has it. A table is text, one option a line: its name
/// without the dashes, behind it `<value>` or, if that may be left out, `[value]`; then a tab and
/// what it does, in our words. Without that, real Kafka has the option and Highwater does not.
#[derive(Clone, Copy)]
struct Spec {
    name: &'static str,
    /// `<value>`, `[value]`, or nothing.
    takes: &'static str,
    about: Option<&'static str>,
}

impl Spec {
    fn of(line: &'static str) -> Self {
        let line = match line.strip_prefix(REQUIRED) {
            Some(rest) if scope::CLUSTER => rest,
            _ => line,
        };
        let (left, about) = match line.split_once('\t') {
            Some((left, about)) => (left, Some(about)),
            None => (line, None),
        };
        let (name, takes) = left.split_once(' ').unwrap_or((left, ""));
        Self { name, takes, about }
    }
}

/// Stands before the name of an option that must be there, where joptsimple sees to that.
const REQUIRED: &str = "* ";

/// What the table says of an option that is only known by name.
const NOT_YET: &str = "(not in Highwater yet)";

/// The name of an option and its value.
type Given = (&'static str, Option<String>);

/// What was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    given: Vec<Given>,
    /// Words that belong to no option.
    pub(crate) stray: Vec<String>,
}

/// Something wrong: the class that Java prints, and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Empty where it is Highwater that lacks something, not the command line.
    pub(crate) class: &'static str,
    pub(crate) text: String,
    /// What led to it, class and text of each, the last one first.
    pub(crate) causes: Vec<String>,
}

/// What Java throws about a text that is no number.
pub(crate) const NUMBER_FORMAT_EXCEPTION: &str = "java.lang.NumberFormatException";

/// The widths of the two columns of a table of options.
pub(crate) type Columns = (usize, usize);

/// Those of most tools.
pub(crate) const COLUMNS: Columns = (41, 39);

/// One of Kafka's tools: what it says of itself, and how it says that it cannot read its options.
pub(crate) struct Manual {
    /// Without any argument.
    pub(crate) usage: &'static str,
    /// For `--help`.
    pub(crate) help: &'static str,
    /// The table of options.
    pub(crate) specs: &'static str,
    /// How wide joptsimple makes the table of the tool's real options: they show in its head.
    pub(crate) columns: Columns,
    pub(crate) complain: fn(&Problem, &mut Out<'_>) -> Ended,
}

impl Manual {
    /// Reads the arguments of a tool, unless they only ask what the tool is.
    pub(crate) fn read(&self, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Options, Ended> {
        if arguments.is_empty() {
            return Err(self.refuse(format_args!("{}", self.usage), out));
        }
        let options = Options::parse(arguments, self.specs)
            .map_err(|problem| (self.complain)(&problem, out))?;
        if options.has("help") {
            return Err(self.refuse(format_args!("{}", self.help), out));
        }
        if options.has("version") {
            out.write(Fd::Stdout, "4.4.0\n");
            return Err(Ended(0));
        }
        Ok(options)
    }

    /// The options that there are, with what each does.
    #[cfg(feature = "cluster")]
    pub(crate) fn options(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let specs = self.specs.lines().map(Spec::of);
        specs.filter_map(|spec| spec.about.map(|about| (spec.name, about)))
    }

    /// A message and the table of options, on standard error, exit 1
    /// (`CommandLineUtils.printUsageAndExit`); asking for help ends so too.
    pub(crate) fn refuse(&self, message: fmt::Arguments<'_>, out: &mut Out<'_>) -> Ended {
        out.print(Fd::Stderr, format_args!("{message}\n{}", self.table()));
        Ended(1)
    }

    /// joptsimple's two header lines, then each option with our own description.
    fn table(&self) -> String {
        let mut text = String::new();
        // An option that joptsimple itself asks for is marked.
        let is_marked = scope::CLUSTER && self.specs.contains(REQUIRED);
        let (head, line) = if is_marked {
            ("Option (* = required)", "---------------------")
        } else {
            ("Option", "------")
        };
        self.row(head, "Description", &mut text);
        self.row(line, "-----------", &mut text);
        for line in self.specs.split('\n') {
            let spec = Spec::of(line);
            let gap = if spec.takes.is_empty() { "" } else { " " };
            let mark = if scope::CLUSTER && line.starts_with(REQUIRED) { REQUIRED } else { "" };
            let option = [mark, "--", spec.name, gap, spec.takes].concat();
            self.row(&option, spec.about.unwrap_or(NOT_YET), &mut text);
        }
        text
    }

    fn row(&self, left: &str, right: &str, text: &mut String) {
        let (first, second) = self.columns;
        text.push_str(left);
        blanks(first.saturating_sub(left.len()).max(1), text);
        text.push_str(right);
        blanks(second.saturating_sub(right.len()), text);
        text.push('\n');
    }
}

fn blanks(count: usize, text: &mut String) {
    for _ in 0..count {
        text.push(' ');
    }
}

impl Options {
    /// Reads arguments against a tool's options.
    pub(crate) fn parse(arguments: &[Vec<u8>], specs: &'static str) -> Result<Self, Problem> {
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
            if spec.about.is_none() {
                let text =
                    format!("Option --{name} exists in Kafka, but Highwater does not have it yet.");
                return Err(Problem::new("", text));
            }
            let value = if spec.takes.is_empty() {
                None
            } else if spec.takes.starts_with('<') {
                let value = attached.or_else(|| rest.next().filter(|next| !is_option(next, specs)));
                Some(value.ok_or_else(|| needs_argument(spec.name))?)
            } else {
                let value = attached.or_else(|| rest.next());
                match value {
                    Some(next) if is_option(&next, specs) => {
                        pushed_back = Some(next);
                        None
                    }
                    value => value,
                }
            };
            options.given.push((spec.name, value));
        }
        Ok(options)
    }

    /// Whether the option was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// The options that were given, in that order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.given.iter().map(|(name, _)| *name)
    }

    /// All values of an option that may be given several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(move |(given, _)| *given == name).filter_map(|(_, v)| v.as_deref())
    }

    /// An option that was given more than once; of several, the first by name.
    pub(crate) fn twice(&self) -> Option<&'static str> {
        let twice = |(n, (name, _)): &(usize, &Given)| {
            !(scope::CLUSTER && *name == "property")
                && self.given[..*n].iter().any(|(before, _)| before == name)
        };
        self.given.iter().enumerate().filter(twice).map(|(_, (name, _))| *name).min()
    }

    /// The value of an option that may be given once.
    pub(crate) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Problem> {
        let mut values = self.all(name);
        let first = values.next();
        match values.next() {
            None => Ok(first),
            Some(_) => Err(Problem::new(
                "joptsimple.MultipleArgumentsForOptionException",
                format!("Found multiple arguments for option {name}, but you asked for only one"),
            )),
        }
    }

    /// The whole number that an option was given.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i32>, Problem> {
        match self.one(name)? {
            None => Ok(None),
            Some(text) => number::int(text).map(Some).ok_or_else(|| Problem::no_number(text, name)),
        }
    }

    /// The same for a long one.
    pub(crate) fn long(&self, name: &str) -> Result<Option<i64>, Problem> {
        self.one(name)?;
        Ok(self.longs(name)?.first().copied())
    }

    /// The long whole numbers that an option was given.
    pub(crate) fn longs(&self, name: &str) -> Result<Vec<i64>, Problem> {
        let mut numbers = Vec::new();
        for text in self.all(name) {
            numbers.push(number::signed(text).ok_or_else(|| Problem::no_number(text, name))?);
        }
        Ok(numbers)
    }
}

impl Problem {
    /// Something wrong, of that class.
    pub(crate) fn new(class: &'static str, text: impl Into<String>) -> Self {
        Self { class, text: text.into(), causes: Vec::new() }
    }

    /// An exception without a text.
    pub(crate) fn bare(class: &'static str) -> Self {
        Self::new(class, "")
    }

    /// What an option was given cannot be what it takes.
    pub(crate) fn unfit(argument: &str, option: &str, causes: Vec<String>) -> Self {
        let text = format!("Cannot parse argument '{argument}' of option {option}");
        Self { class: "joptsimple.OptionArgumentConversionException", text, causes }
    }

    /// The same, where that is a number.
    pub(crate) fn no_number(argument: &str, option: &str) -> Self {
        let cause = format!("{NUMBER_FORMAT_EXCEPTION}: For input string: \"{argument}\"");
        let reflection = ["joptsimple.internal.ReflectionException: ", &cause].concat();
        Self::unfit(argument, option, vec![reflection, cause])
    }

    /// As Java prints what was thrown: the class with the text, then what led to it. The places in the
    /// code are left out.
    pub(crate) fn stack(&self) -> String {
        let between = if scope::CLUSTER && self.text.is_empty() { "" } else { ": " };
        let mut stack = [self.class, between, &self.text].concat();
        for cause in &self.causes {
            stack.push_str("\nCaused by: ");
            stack.push_str(cause);
        }
        stack
    }

    /// Says it as tools do that print what Java throws: the text, then the class with the text, where
    /// Java's stack trace would follow. Exit 1.
    pub(crate) fn throw(&self, out: &mut Out<'_>) -> Ended {
        let thrown = if self.class.is_empty() { String::new() } else { self.stack() + "\n" };
        out.print(Fd::Stderr, format_args!("{}\n{thrown}", self.text));
        Ended(1)
    }
}

/// What a tool does next, or that it ends because something was thrown.
pub(crate) fn next_or_throw(next: Result<Next, Problem>, out: &mut Out<'_>) -> Next {
    next.unwrap_or_else(|problem| Next::Exit(problem.throw(out).0))
}

/// The parts of a text as Java's `String.split` gives them: no empty ones at the end.
pub(crate) fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let kept = text.trim_end_matches(separator);
    let nothing = kept.is_empty() && !text.is_empty();
    kept.split(separator).skip(usize::from(nothing))
}

fn is_option(word: &str, specs: &'static str) -> bool {
    let name = word.strip_prefix("--").unwrap_or("");
    !name.is_empty() && find(name.split('=').next().unwrap_or(name), specs).is_ok()
}

/// The option of that name. Kafka's tools do not take names cut short.
fn find(name: &str, specs: &'static str) -> Result<Spec, Problem> {
    for line in specs.split('\n') {
        let spec = Spec::of(line);
        if spec.name == name {
            return Ok(spec);
        }
    }
    Err(Problem::new(
        "joptsimple.UnrecognizedOptionException",
        format!("{name} is not a recognized option"),
    ))
}

fn needs_argument(name: &str) -> Problem {
    Problem::new(
        "joptsimple.OptionMissingRequiredArgumentException",
        format!("Option {name} requires an argument"),
    )
}
