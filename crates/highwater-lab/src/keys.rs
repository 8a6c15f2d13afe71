//! What keys do, and what is done at the terminals' prompts.

use highwater_core::ids::TerminalId;
use highwater_core::world::input::InputKind;
use highwater_core::world::stream::{MOST_TERMINALS, TerminalState};
use highwater_scene::words::lab as words;

use crate::acts::{LOG, PROMPT};
use crate::heard::Key;
use crate::lab::Lab;
use crate::terminal::{AtPrompt, Terminals};
use crate::wish::Wish;

impl Lab {
    // ---- Terminals ----

    /// What stands at the prompt is run: a command, several, or a whole transcript.
    pub(crate) fn enter(&mut self, text: &str) {
        let is_waiting = self.run.state(self.terminals.active) != Some(TerminalState::Busy);
        let place = if is_waiting { self.terminals.active } else { self.terminals.free(&self.run) };
        if self.refuses(place, text) {
            // The line stays, to be mended.
            self.wishes.push(Wish::Focus(PROMPT.to_owned()));
            return self.wishes.push(Wish::Reveal(".lab-hint".to_owned()));
        }
        self.terminals.typed.clear();
        self.wishes.push(Wish::Fill { field: PROMPT.to_owned(), value: String::new() });
        self.wishes.push(Wish::Focus(PROMPT.to_owned()));
        let text = text.trim_end_matches(['\n', '\r']);
        if crate::share::is_transcript(text) {
            return self.play_pasted(text);
        }
        self.terminals.remember(text);
        let busy = self.terminals.active;
        let is_busy = self.run.state(busy) == Some(TerminalState::Busy);
        if is_busy && !text.is_empty() {
            // Nobody reads there: the line would wait until the command ends, which may be never.
            self.terminals.active = self.terminals.free(&self.run);
        }
        let terminal = self.terminals.active;
        for line in text.split('\n') {
            self.type_at(terminal, line.trim_end_matches('\r'), false);
        }
        if terminal != busy {
            let words = words::ran_elsewhere(busy.0, terminal.0);
            self.note = Some(format!("{words} {}", self.note.take().unwrap_or_default()));
            self.announce = format!("{words} {}", self.announce);
        }
        self.wishes.push(Wish::Reveal(PROMPT.to_owned()));
        if text.is_empty() {
            self.wishes.push(Wish::ScrollToEnd(LOG.to_owned()));
        }
    }

    pub(crate) fn fill(&mut self, command: &str) {
        command.clone_into(&mut self.terminals.typed);
        self.wishes.push(Wish::Fill { field: PROMPT.to_owned(), value: command.to_owned() });
        self.wishes.push(Wish::Focus(PROMPT.to_owned()));
    }

    pub(crate) fn candidate(&mut self, text: &str) {
        let value = self.terminals.with_candidate(text);
        self.fill(&value);
    }

    pub(crate) fn at_terminal(&mut self, verb: &str, rest: &str) {
        let active = self.terminals.active;
        match verb {
            "tab" => {
                self.terminals.active = TerminalId(rest.parse().unwrap_or(1));
                self.keep();
                self.wishes.push(Wish::ScrollToEnd(LOG.to_owned()));
                self.wishes.push(Wish::Focus(PROMPT.to_owned()));
            }
            "new-tab" => {
                if Terminals::next(&self.run).0 > MOST_TERMINALS {
                    return self.tell(words::no_more_terminals(MOST_TERMINALS));
                }
                self.terminals.active = Terminals::next(&self.run);
                self.keep();
                self.wishes.push(Wish::Focus(PROMPT.to_owned()));
            }
            "interrupt" => self.press_key(active, InputKind::Interrupt),
            "end-of-input" => self.press_key(active, InputKind::EndOfInput),
            "history" => {
                let filled = self.terminals.walk(rest == "older");
                self.filled(filled);
            }
            _ => {
                let (typed, snapshot) = (self.terminals.typed.clone(), self.run.snapshot());
                let filled = self.terminals.tab(&typed, "", &snapshot);
                self.filled(filled);
                self.wishes.push(Wish::Focus(PROMPT.to_owned()));
            }
        }
    }

    fn press_key(&mut self, terminal: TerminalId, key: InputKind) {
        if self.run.state(terminal).is_none() {
            return;
        }
        if self.give(terminal, |run| run.press(terminal, key)) {
            self.wishes.push(Wish::Focus(PROMPT.to_owned()));
        }
    }

    /// Whether the prompt has another line now.
    fn filled(&mut self, filled: AtPrompt) -> bool {
        match filled {
            AtPrompt::Nothing => return false,
            AtPrompt::Fill(value) => {
                self.terminals.typed.clone_from(&value);
                self.wishes.push(Wish::Fill { field: PROMPT.to_owned(), value });
            }
            AtPrompt::Changed => {}
        }
        true
    }

    // ---- Keys ----

    /// A key. Whether it means something here.
    pub(crate) fn key(&mut self, key: &Key) -> bool {
        match key.place.as_str() {
            "prompt" => self.prompt_key(key),
            "figure" => self.figure_key(key),
            "menu" => self.menu_key(key),
            "side" | "form" if key.key == "Escape" => {
                if key.place == "form" {
                    self.close_form();
                } else {
                    self.let_go();
                }
                true
            }
            _ => false,
        }
    }

    fn prompt_key(&mut self, key: &Key) -> bool {
        let is_tab = key.key == "Tab" && !key.shift && !key.ctrl;
        if !is_tab && key.key != "Escape" {
            self.terminals.stay();
        }
        match (key.ctrl, key.key.as_str()) {
            (false, "Tab") if is_tab => {
                let snapshot = self.run.snapshot();
                let filled = self.terminals.tab(&key.before, &key.behind, &snapshot);
                if let Some(choices) = self.terminals.choices() {
                    self.announce = choices;
                }
                return self.filled(filled);
            }
            (false, "Escape") => self.terminals.leave(),
            // Shift and Enter make another line, for a command of several lines.
            (false, "Enter") if !key.shift => {
                self.note = None;
                self.enter(&[key.before.as_str(), &key.behind].concat());
            }
            (false, "ArrowUp") if !key.before.contains('\n') => {
                let filled = self.terminals.walk(true);
                return self.filled(filled);
            }
            (false, "ArrowDown") if !key.behind.contains('\n') => {
                let filled = self.terminals.walk(false);
                return self.filled(filled);
            }
            // Ctrl-C copies when there is something to copy.
            (true, "c") if !key.selects => {
                self.press_key(self.terminals.active, InputKind::Interrupt);
            }
            (true, "d") => self.press_key(self.terminals.active, InputKind::EndOfInput),
            _ => return false,
        }
        true
    }

    fn figure_key(&mut self, key: &Key) -> bool {
        if key.ctrl {
            return false;
        }
        match key.key.as_str() {
            "Enter" | " " => {
                if key.does.is_empty() {
                    return false;
                }
                self.press(&key.does);
                self.figure.focus = Some(key.does.clone());
                // To the answer; Escape leads back.
                self.wishes.push(Wish::Focus("#ask-title".to_owned()));
            }
            "Escape" => {
                if self.asked.is_none() {
                    return false;
                }
                self.let_go();
            }
            other => {
                if !self.figure.move_focus(&key.does, other) {
                    return false;
                }
                self.focus_mark();
            }
        }
        true
    }
}
