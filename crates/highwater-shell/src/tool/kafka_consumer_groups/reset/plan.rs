//! What the options of `--reset-offsets` ask for.

use highwater_core::ids::GroupId;

use super::super::partitions::Named;
use crate::tool::options::{Options, Problem};

/// Where offsets are set to.
#[derive(Clone, Debug)]
pub(super) enum To {
    Offset(i64),
    Earliest,
    Latest,
    ShiftBy(i64),
    DateTime(String),
    Duration(String),
    File(String),
    Current,
}

/// Of which partitions.
#[derive(Clone, Debug)]
pub(super) enum Scope {
    /// Those of which the group has offsets.
    AllTopics,
    /// Those that these name.
    Topics(Vec<String>),
    /// Those that the file names.
    Nothing,
}

/// All of it.
#[derive(Clone, Debug)]
pub(in super::super) struct Plan {
    pub(super) scope: Scope,
    /// `None`: it was not said.
    pub(super) to: Option<To>,
    pub(super) has_file: bool,
    pub(super) execute: bool,
    pub(super) export: bool,
    /// The groups that are named.
    pub(super) groups: Vec<GroupId>,
}

impl Plan {
    /// Reads the options, those that have another type than text whether they are needed or not.
    ///
    /// # Errors
    /// One of them is no number, or is there twice.
    pub(in super::super) fn of(options: &Options) -> Result<Self, Problem> {
        let first = |name: &str| options.all(name).next().map(str::to_owned);
        let offset = options.longs("to-offset")?.first().copied();
        let file = first("from-file");
        let date_time = first("to-datetime");
        let duration = options.one("by-duration")?.map(str::to_owned);
        let shift_by = options.long("shift-by")?;
        let given = |name: &str, to: To| options.has(name).then_some(to);
        let has_file = file.is_some();
        let to = offset
            .map(To::Offset)
            .or_else(|| given("to-earliest", To::Earliest))
            .or_else(|| given("to-latest", To::Latest))
            .or_else(|| shift_by.map(To::ShiftBy))
            .or_else(|| date_time.map(To::DateTime))
            .or_else(|| duration.map(To::Duration))
            .or_else(|| file.map(To::File))
            .or_else(|| given("to-current", To::Current));
        let scope = if options.has("all-topics") {
            Scope::AllTopics
        } else if options.has("topic") {
            Scope::Topics(options.all("topic").map(str::to_owned).collect())
        } else {
            Scope::Nothing
        };
        Ok(Self {
            scope,
            to,
            has_file,
            execute: options.has("execute"),
            export: options.has("export"),
            groups: options.all("group").map(|name| GroupId(name.into())).collect(),
        })
    }
}

impl Scope {
    /// What the topics name.
    pub(super) fn named(&self) -> Result<Named, super::Failure> {
        match self {
            Self::Topics(topics) => Named::of(topics.iter().map(String::as_str)),
            Self::AllTopics | Self::Nothing => Ok(Named::default()),
        }
    }
}
