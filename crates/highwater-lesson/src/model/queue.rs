//! A classic queue and a log side by side, with the same two programs at both. The queue is not Kafka.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

/// The programs that take from the queue and read from the log.
const PROGRAMS: [&str; 2] = ["analytics", "billing"];
/// The most messages that are sent: as many as there are letters in a row.
const MOST: usize = 8;

/// What was sent, and who got what. Messages are their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// How many were sent; the log holds them all.
    sent: usize,
    /// Those that still wait in the queue, oldest first.
    waiting: Vec<usize>,
    /// What each program got from the queue.
    taken: [Vec<usize>; 2],
    /// How many each program has read in the log: the offset of the next.
    positions: [usize; 2],
    happened: String,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            sent: 3,
            waiting: vec![0, 1, 2],
            taken: Default::default(),
            positions: [0; 2],
            happened: "Three messages are in. Let both programs take one, and compare.".to_owned(),
        }
    }
}

/// A message, as a letter: digits are offsets.
fn letter(message: usize) -> char {
    char::from(b'A' + u8::try_from(message).unwrap_or(0))
}

impl Queue {
    /// Does what a button says: `send`, `take:0`, `take:1`, `again`.
    pub fn press(&mut self, does: &str) {
        match does {
            "send" if self.sent < MOST => {
                self.waiting.push(self.sent);
                self.happened = format!("Message {} came in, on both sides.", letter(self.sent));
                self.sent += 1;
            }
            "take:0" => self.take(0),
            "take:1" => self.take(1),
            "again" => *self = Self::default(),
            _ => {}
        }
    }

    fn take(&mut self, program: usize) {
        let Some(name) = PROGRAMS.get(program) else { return };
        let from_queue = if self.waiting.is_empty() {
            format!("The queue has nothing for {name}.")
        } else {
            let message = self.waiting.remove(0);
            self.taken[program].push(message);
            format!("{name} took {} from the queue, where it is gone now.", letter(message))
        };
        let position = self.positions[program];
        let from_log = if position < self.sent {
            self.positions[program] += 1;
            let next = position + 1;
            format!(
                "From the log it read {}, which stays; it goes on at offset {next}.",
                letter(position)
            )
        } else {
            format!("In the log {name} has read everything.")
        };
        self.happened = format!("{from_queue} {from_log}");
    }

    /// What has happened, in words.
    #[must_use]
    pub fn happened(&self) -> &str {
        &self.happened
    }

    /// What is to be seen.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let button = |words: String, does: &'static str, awake: bool| {
            tree(
                "<button type='button' class='btn' data-do='{}' disabled='{}' key='{}'>{}</button>",
                vec![does.into(), (!(live && awake)).into(), does.into(), words.into()],
            )
        };
        let buttons = vec![
            button(format!("{} takes one", PROGRAMS[0]), "take:0", true),
            button(format!("{} takes one", PROGRAMS[1]), "take:1", true),
            button("Send a message".to_owned(), "send", self.sent < MOST),
            button("Begin again".to_owned(), "again", true),
        ];
        tree(
            "<figure class='fig model' aria-label='A queue and a log side by side' translate='no'>\
             <div class='model-sides'>{}{}</div><p class='model-happened' role='status'>{}</p>\
             <div class='model-buttons'>{}</div></figure>",
            vec![
                self.queue_side().into(),
                self.log_side().into(),
                self.happened.clone().into(),
                buttons.into(),
            ],
        )
    }

    fn queue_side(&self) -> Node {
        let cells: Vec<Node> = self.waiting.iter().map(|message| cell(*message, None)).collect();
        let got = PROGRAMS.iter().zip(&self.taken).map(|(name, taken)| {
            let letters: Vec<String> = taken.iter().map(|it| letter(*it).to_string()).collect();
            let got = if letters.is_empty() { "nothing".to_owned() } else { letters.join(" ") };
            tree("<li>{} got {}</li>", vec![(*name).into(), got.into()])
        });
        tree(
            "<div class='model-side'><h3>A queue <small>not Kafka</small></h3>\
             <ol class='model-cells'>{}</ol><ul class='model-programs'>{}</ul></div>",
            vec![cells.into(), got.collect::<Vec<_>>().into()],
        )
    }

    fn log_side(&self) -> Node {
        let cells: Vec<Node> = (0..self.sent).map(|offset| cell(offset, Some(offset))).collect();
        let readers = PROGRAMS.iter().zip(self.positions).map(|(name, position)| {
            tree(
                "<li>{} reads offset {} next</li>",
                vec![(*name).into(), position.to_string().into()],
            )
        });
        tree(
            "<div class='model-side'><h3>A log <small>a partition of Kafka</small></h3>\
             <ol class='model-cells'>{}</ol><ul class='model-programs'>{}</ul></div>",
            vec![cells.into(), readers.collect::<Vec<_>>().into()],
        )
    }
}

fn cell(message: usize, offset: Option<usize>) -> Node {
    let offset = offset.map(|offset| {
        tree("<span class='model-offset'>{}</span>", vec![offset.to_string().into()])
    });
    tree(
        "<li class='model-cell' key='{}'>{}<span class='model-box'>{}</span></li>",
        vec![message.to_string().into(), offset.into(), letter(message).to_string().into()],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_gives_each_message_once_and_a_log_to_everybody() {
        let mut both = Queue::default();
        both.press("take:0");
        both.press("take:1");
        assert_eq!(both.taken, [vec![0], vec![1]]);
        assert_eq!(both.positions, [1, 1]);
        assert_eq!((both.waiting.len(), both.sent), (1, 3));
        assert_eq!(
            both.happened(),
            "billing took B from the queue, where it is gone now. From the log it read A, which stays; it goes on \
             at offset 1."
        );
    }

    #[test]
    fn an_empty_queue_and_a_log_that_was_read_say_so() {
        let mut both = Queue::default();
        for _ in 0..4 {
            both.press("take:0");
        }
        assert_eq!(
            both.happened(),
            "The queue has nothing for analytics. In the log analytics has read everything."
        );
        both.press("send");
        assert_eq!((both.waiting.len(), both.sent), (1, 4));
        both.press("again");
        assert_eq!(both, Queue::default());
    }

    #[test]
    fn it_ends_at_eight_messages() {
        let mut both = Queue::default();
        for _ in 0..20 {
            both.press("send");
        }
        assert_eq!(both.sent, 8);
    }
}
