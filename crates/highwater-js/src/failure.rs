//! What can go wrong, for people: Kafka's name where there is one, what happened, and what to do.

use highwater_core::error::{CommandError, ErrorCode};
use highwater_shell::link::LinkError;
use highwater_shell::transcript::TranscriptError;

/// The name of what Kafka has no name for.
pub(crate) const OWN_NAME: &str = "HighwaterError";

/// A failure. In JavaScript it is an `Error` with these properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// `UnknownTopicOrPartition`, or [`OWN_NAME`].
    pub(crate) name: String,
    /// Kafka's name in the protocol: `UNKNOWN_TOPIC_OR_PARTITION`.
    pub(crate) code: Option<&'static str>,
    /// What happened.
    pub(crate) message: String,
    /// What to do.
    pub(crate) remedy: String,
}

impl Failure {
    /// One that Kafka has no name for.
    pub(crate) fn own(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (message, remedy) = (message.into(), remedy.into());
        Self { name: OWN_NAME.to_owned(), code: None, message, remedy }
    }

    /// One that Kafka would answer with.
    pub(crate) fn kafka(
        code: ErrorCode,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let class = code.exception();
        let name = class.rsplit('.').next().unwrap_or(class);
        let name = name.strip_suffix("Exception").unwrap_or(name).to_owned();
        Self { name, code: Some(code.name()), message: message.into(), remedy: remedy.into() }
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let message = error.to_string();
        match error {
            CommandError::InputTooLong { most, .. } => {
                Self::own(message, format!("Give at most {most} bytes at once."))
            }
            CommandError::BadSetting(_) => Self::kafka(
                ErrorCode::InvalidConfig,
                message,
                "Write the line as server.properties has it, or leave it out.",
            ),
            CommandError::BadOption(_) => Self::own(message, "Choose a value in that range."),
            CommandError::Impossible(_) => {
                Self::own(message, "Look at `snapshot().brokers` for what is possible now.")
            }
            CommandError::NoSuchTerminal(_) | CommandError::InputInThePast => Self::own(
                message,
                "Make a new Cluster, and report this: it is a fault of Highwater.",
            ),
        }
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        let remedy = match error {
            LinkError::NotALink | LinkError::Damaged => {
                "Copy the whole link once more, with all that stands behind `#`."
            }
            LinkError::NewerForm(_) => "Take a newer version of the package.",
            LinkError::TooLong { .. } => {
                "Keep `transcript()` instead, and open it with `fromTranscript`."
            }
        };
        Self::own(error.to_string(), remedy)
    }
}

impl From<TranscriptError> for Failure {
    fn from(error: TranscriptError) -> Self {
        let line = error.line;
        Self::own(error.to_string(), format!("Put line {line} of the transcript right."))
    }
}
