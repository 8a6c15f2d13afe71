//! What is said of a comparison: which sides agree by the transcripts' rules, a command's outputs
//! side by side, and the table. Plays nothing.

use std::collections::BTreeSet;
use std::fmt;

use highwater_shell::session::Outcome;
use highwater_shell::transcript::{comparable_lines, compare};

/// The outcomes of one command.
pub(crate) struct Sides<'a> {
    /// What was typed.
    pub(crate) command: &'a str,
    /// What the transcript says.
    pub(crate) recorded: Outcome,
    /// What a real cluster said now, if it was asked.
    pub(crate) real: Option<Outcome>,
    /// What the simulator said, if it was asked.
    pub(crate) simulated: Option<Outcome>,
}

/// Which two of them are alike; `None` where one was not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) real_recorded: Option<bool>,
    pub(crate) simulated_recorded: Option<bool>,
    pub(crate) simulated_real: Option<bool>,
}

impl Judgement {
    /// Whether nothing differs. When the real outcome is about to be recorded, what was recorded
    /// before does not matter.
    pub(crate) fn is_alike(&self, records: bool) -> bool {
        let all = if records {
            [None, None, self.simulated_real]
        } else {
            [self.real_recorded, self.simulated_recorded, self.simulated_real]
        };
        all.into_iter().flatten().all(|alike| alike)
    }
}

impl Sides<'_> {
    /// Compares each with each.
    pub(crate) fn judge(&self) -> Judgement {
        let real = self.real.as_ref();
        let simulated = self.simulated.as_ref();
        let like_recorded = |other: Option<&Outcome>| Some(self.alike(&self.recorded, other?));
        Judgement {
            real_recorded: like_recorded(real),
            simulated_recorded: like_recorded(simulated),
            simulated_real: real
                .zip(simulated)
                .map(|(real, simulated)| self.alike(real, simulated)),
        }
    }

    fn alike(&self, one: &Outcome, other: &Outcome) -> bool {
        let lines = |outcome: &Outcome| comparable_lines(&outcome.output, outcome.exit);
        compare(&lines(one), &lines(other), self.command).is_ok()
    }
}

/// The command and what each side printed; sides that agree are shown once.
impl fmt::Display for Sides<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.command.lines() {
            writeln!(f, "    $ {line}")?;
        }
        let all = [
            ("recorded", Some(&self.recorded)),
            ("real", self.real.as_ref()),
            ("simulated", self.simulated.as_ref()),
        ];
        let mut groups: Vec<(String, &Outcome)> = Vec::new();
        for (name, outcome) in all {
            let Some(outcome) = outcome else { continue };
            match groups.iter_mut().find(|(_, other)| self.alike(other, outcome)) {
                Some((names, _)) => {
                    names.push_str(" and ");
                    names.push_str(name);
                }
                None => groups.push((name.to_owned(), outcome)),
            }
        }
        for (names, outcome) in groups {
            writeln!(f, "    {names}:")?;
            let lines = comparable_lines(&outcome.output, outcome.exit);
            if lines.is_empty() {
                writeln!(f, "      (nothing)")?;
            }
            for line in lines {
                writeln!(f, "      | {line}")?;
            }
        }
        Ok(())
    }
}

/// What is told of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    file: String,
    /// Commands of the file.
    pub(crate) commands: usize,
    real_recorded: Count,
    simulated_recorded: Count,
    simulated_real: Count,
    /// How long it took, with the start of the cluster.
    pub(crate) seconds: u64,
    /// Whether it was not played to its end.
    pub(crate) trouble: bool,
    /// Whether the file holds now what the real cluster printed.
    pub(crate) was_recorded: bool,
}

/// How many commands were compared, and how many of them were alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    asked: usize,
    alike: usize,
}

impl Count {
    fn add(&mut self, is_alike: Option<bool>) {
        self.asked += usize::from(is_alike.is_some());
        self.alike += usize::from(is_alike == Some(true));
    }

    fn cell(self) -> String {
        match self {
            Self { asked: 0, .. } => "-".to_owned(),
            Self { asked, alike } if asked == alike => "all".to_owned(),
            Self { asked, alike } => format!("{alike} of {asked}"),
        }
    }
}

impl Row {
    /// Of a file of which nothing was played yet.
    pub(crate) fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            commands: 0,
            real_recorded: Count::default(),
            simulated_recorded: Count::default(),
            simulated_real: Count::default(),
            seconds: 0,
            trouble: false,
            was_recorded: false,
        }
    }

    /// Takes in one command.
    pub(crate) fn count(&mut self, judgement: &Judgement) {
        self.real_recorded.add(judgement.real_recorded);
        self.simulated_recorded.add(judgement.simulated_recorded);
        self.simulated_real.add(judgement.simulated_real);
    }

    /// Whether all was played and nothing differs.
    pub(crate) fn is_alike(&self) -> bool {
        let counts = if self.was_recorded {
            vec![self.simulated_real]
        } else {
            vec![self.real_recorded, self.simulated_recorded, self.simulated_real]
        };
        let are_alike = counts.into_iter().all(|count| count.alike == count.asked);
        are_alike && !self.trouble && self.commands > 0
    }

    fn cells(&self) -> [String; 6] {
        let real_recorded = self.real_recorded.cell();
        let mut cells = [
            self.file.clone(),
            self.commands.to_string(),
            real_recorded,
            self.simulated_recorded.cell(),
            self.simulated_real.cell(),
            self.seconds.to_string(),
        ];
        if self.trouble {
            cells[5].push_str(", not played to its end");
        } else if self.was_recorded {
            cells[5].push_str(", recorded");
        }
        cells
    }
}

/// The table of some files, as Markdown, so that it can stand in a document as it is.
pub(crate) fn table(rows: &[Row]) -> String {
    let head = [
        "file",
        "commands",
        "real = recorded",
        "simulated = recorded",
        "simulated = real",
        "seconds",
    ];
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|column| width(column).unwrap_or(0)).collect();
    let row = |cells: &[String; 6]| {
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        format!("| {} |", padded.join(" | "))
    };
    let mut out: Vec<String> = lines.iter().map(row).collect();
    let line: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    out.insert(1, format!("| {} |", line.join(" | ")));
    out.join("\n")
}

/// A transcript that no real cluster can play.
pub(crate) struct Skipped {
    pub(crate) name: String,
    /// The commands that only the simulator has.
    pub(crate) uses: BTreeSet<String>,
}

/// Which transcripts were not played, and why.
pub(crate) fn told_of_skipped(skipped: &[Skipped]) -> String {
    let mut out = String::new();
    if !skipped.is_empty() {
        out.push_str("\nNot played, since only the simulator can do what they use:\n");
    }
    for Skipped { name, uses } in skipped {
        let uses: Vec<&str> = uses.iter().map(String::as_str).collect();
        out.push_str(&format!("- {name}: {}\n", uses.join(", ")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, exit: u8) -> Outcome {
        Outcome { output: text.lines().map(str::to_owned).collect(), exit }
    }

    fn sides(recorded: &str, real: Option<&str>, simulated: Option<&str>) -> Sides<'static> {
        let said = |text: &str| said(text, 0);
        Sides {
            command: "kafka-topics.sh --list",
            recorded: said(recorded),
            real: real.map(said),
            simulated: simulated.map(said),
        }
    }

    /// Each is compared with each, by the rules of the transcripts.
    #[test]
    fn sides_are_compared_three_ways() {
        let found = sides("a\nb", Some("a\nb\n\n"), Some("a")).judge();
        let expected = Judgement {
            real_recorded: Some(true),
            simulated_recorded: Some(false),
            simulated_real: Some(false),
        };
        assert_eq!(found, expected);
        let two_times = sides("took 5 ms", Some("took 7 ms"), Some("took 1 ms")).judge();
        assert!(two_times.is_alike(false));
    }

    /// The exit status counts as much as a line.
    #[test]
    fn exit_statuses_are_compared() {
        let mut of_one = sides("a", Some("a"), None);
        of_one.real = Some(said("a", 1));
        assert_eq!(of_one.judge().real_recorded, Some(false));
        assert!(of_one.to_string().contains("| [exit 1]"));
    }

    /// A side that was not asked is neither alike nor different.
    #[test]
    fn who_was_not_asked_is_not_counted() {
        let found = sides("a", None, Some("b")).judge();
        assert_eq!((found.real_recorded, found.simulated_real), (None, None));
        assert!(!found.is_alike(false));
        assert!(found.is_alike(true));
    }

    /// Sides that agree are shown once, and one that printed nothing says so.
    #[test]
    fn a_difference_is_shown_once_for_each_outcome() {
        let shown = sides("a", Some("a"), Some("")).to_string();
        let expected = "    $ kafka-topics.sh --list\n    recorded and real:\n      | a\n    \
                        simulated:\n      (nothing)\n";
        assert_eq!(shown, expected);
    }

    /// Each with its reason; nothing, if all were played.
    #[test]
    fn what_was_skipped_is_told() {
        let uses = ["hw produce".to_owned(), "hw work".to_owned()].into();
        let skipped = [Skipped { name: "a.md:5 fig".to_owned(), uses }];
        assert!(told_of_skipped(&skipped).ends_with(":\n- a.md:5 fig: hw produce, hw work\n"));
        assert_eq!(told_of_skipped(&[]), "");
    }

    fn row(name: &str, all: &[Sides<'_>]) -> Row {
        let mut row = Row::new(name);
        row.commands = all.len();
        all.iter().for_each(|sides| row.count(&sides.judge()));
        row
    }

    /// The table counts what is alike, and leaves out what was not asked.
    #[test]
    fn the_table() {
        let good = row("a.console", &[sides("a", Some("a"), Some("a"))]);
        let bad = row(
            "long-name.console",
            &[sides("a", Some("b"), Some("a")), sides("c", Some("c"), Some("c"))],
        );
        let mut half = row("half.console", &[sides("a", None, Some("a"))]);
        half.trouble = true;
        let text = table(&[good.clone(), bad.clone(), half.clone()]);
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines[2], "| a.console | 1 | all | all | all | 0 |");
        assert_eq!(lines[3], "| long-name.console | 2 | 1 of 2 | all | 1 of 2 | 0 |");
        assert_eq!(lines[4], "| half.console | 1 | - | all | - | 0, not played to its end |");
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
        assert!(good.is_alike() && !bad.is_alike() && !half.is_alike());
    }

    /// After a recording only the simulator can still differ.
    #[test]
    fn a_recorded_row_is_alike_when_the_simulator_is() {
        let mut row = row("a.console", &[sides("old", Some("new"), Some("new"))]);
        assert!(!row.is_alike());
        row.was_recorded = true;
        assert!(row.is_alike());
        assert!(!Row::new("empty.console").is_alike());
    }
}
