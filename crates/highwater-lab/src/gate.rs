//! Which commands a task of a lesson has a use for. What it has none for is refused before it is typed, at a prompt and
//! by a touch alike, and told where it was tried.

use highwater_core::ids::TerminalId;
use highwater_core::world::stream::TerminalState;
use highwater_scene::words::lab as words;

use crate::lab::Lab;

/// The commands that may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Their names; empty: all.
    pub allow: Vec<String>,
    /// The last one that was tried and may not, until something else is typed.
    pub refused: Option<String>,
}

impl Gate {
    /// The first command of a line that may not be used.
    #[must_use]
    pub fn forbids<'a>(&self, line: &'a str) -> Option<&'a str> {
        if self.allow.is_empty() {
            return None;
        }
        let commands = line.split(['\n', ';', '|', '&']).filter_map(first_word);
        commands.into_iter().find(|name| !self.allow.iter().any(|allowed| allowed == name))
    }

    /// What is said of the one that was refused.
    #[must_use]
    pub fn verdict(&self) -> Option<String> {
        self.refused.as_ref().map(|name| words::not_for_this_task(name, &self.allow.join(", ")))
    }
}

impl Lab {
    /// Whether a line at a shell is refused. What a tool reads is no command.
    pub(crate) fn refuses(&mut self, terminal: TerminalId, line: &str) -> bool {
        let is_shell = self.run.state(terminal).is_none_or(|state| state == TerminalState::Ready);
        let refused = self.gate.forbids(line).filter(|_| is_shell).map(str::to_owned);
        self.gate.refused = refused;
        self.gate.refused.is_some()
    }
}

/// The name of a simple command: the first word that sets no variable.
fn first_word(command: &str) -> Option<&str> {
    command.split_whitespace().find(|word| !word.contains('=') || word.starts_with(['\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_are_not_allowed_are_named() {
        let allow = ["hw", "grep"].map(str::to_owned).to_vec();
        let gate = Gate { allow, refused: None };
        assert_eq!(gate.forbids("hw crash 1 | grep x"), None);
        assert_eq!(
            gate.forbids("A=1 hw stop 2 && kafka-topics.sh --list"),
            Some("kafka-topics.sh")
        );
        assert_eq!(Gate::default().forbids("anything"), None);
    }
}
