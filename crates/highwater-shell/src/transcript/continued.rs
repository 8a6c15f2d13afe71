//! Transcripts that go on from others: the comment `# continues NAME` before the first command names the one that is
//! played before. Decides what is played then, and that there is an end to it. Opens no files.

use highwater_core::world::options::OwnSetting;

use super::{Block, Transcript};

/// How the comment begins that makes a transcript a continuation.
const CONTINUES: &str = "# continues ";

/// A transcript with those that it goes on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continued {
    /// All that is played, from the first command of the first.
    pub whole: Transcript,
    /// How many of its commands are those of others.
    pub before: usize,
}

/// The name of the transcript that this one goes on from.
#[must_use]
pub fn continues(text: &str) -> Option<&str> {
    let head = text.lines().take_while(|line| !line.starts_with("$ "));
    head.filter_map(|line| line.strip_prefix(CONTINUES)).map(str::trim).next()
}

impl Continued {
    /// Reads a transcript; `find` gives the text of the one of a name. Errors are in words.
    ///
    /// # Errors
    /// One of them cannot be found or read, is of another cluster, or they lead in a circle.
    pub fn read(text: &str, find: &dyn Fn(&str) -> Result<String, String>) -> Result<Self, String> {
        let mut whole = Transcript::parse(text).map_err(|error| error.to_string())?;
        let own = whole.blocks.len();
        let mut text = text.to_owned();
        let mut names: Vec<String> = Vec::new();
        let mut clusters = Vec::new();
        while let Some(name) = continues(&text).map(str::to_owned) {
            if names.contains(&name) {
                names.push(name);
                let circle = names.join(", then ");
                return Err(format!("it continues {circle} again; let one of them begin anew"));
            }
            if has_directive(&text) {
                clusters.push(whole.cluster());
            }
            text = find(&name)?;
            let first = Transcript::parse(&text).map_err(|error| format!("{name}: {error}"))?;
            let blocks = std::mem::replace(&mut whole, first).blocks;
            whole.blocks.extend(blocks);
            names.push(name);
        }
        if clusters.iter().any(|cluster| *cluster != whole.cluster()) {
            let first = names.last().map_or("", String::as_str);
            return Err(format!(
                "it continues {first}, whose cluster is another one ({} brokers); give both the same lines `#!`, or the \
                 continuation none",
                whole.brokers
            ));
        }
        let before = whole.blocks.len() - own;
        Ok(Self { whole, before })
    }

    /// Its own commands.
    #[must_use]
    pub fn own(&self) -> &[Block] {
        &self.whole.blocks[self.before..]
    }
}

/// Whether a transcript says something of its cluster.
fn has_directive(text: &str) -> bool {
    text.lines().take_while(|line| !line.starts_with("$ ")).any(|line| line.starts_with("#!"))
}

/// What the lines `#!` say: brokers, lines of all and of one of them.
type Cluster = (u32, Vec<(String, String)>, Vec<OwnSetting>);

impl Transcript {
    fn cluster(&self) -> Cluster {
        (self.brokers, self.broker_properties.clone(), self.own_properties.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Result<String, String> {
        let text = match name {
            "first" => "# The beginning.\n#! brokers 1\n$ echo a\na\n",
            "second" => "# continues first\n$ echo b\nb\n",
            "circle" => "# continues other\n$ echo a\n",
            "other" => "# continues circle\n$ echo a\n",
            "broken" => "no command\n",
            _ => return Err(format!("there is no {name}")),
        };
        Ok(text.to_owned())
    }

    fn said(text: &str) -> String {
        Continued::read(text, &find).unwrap_err()
    }

    /// What comes before is played first, however far back it begins, in the cluster of the first.
    #[test]
    fn a_continuation_of_a_continuation() {
        let read =
            Continued::read("# continues second\n#! brokers 1\n$ echo c\nc\n", &find).unwrap();
        let commands: Vec<_> = read.whole.blocks.iter().map(|it| it.command.as_str()).collect();
        assert_eq!(commands, ["echo a", "echo b", "echo c"]);
        assert_eq!((read.whole.brokers, read.before, read.own().len()), (1, 2, 1));
        assert_eq!(read.own()[0].line, 3);
    }

    /// One that says nothing of the kind, or says it further below, stands alone.
    #[test]
    fn what_continues_nothing() {
        for text in ["#! brokers 2\n$ echo a\n", "$ echo a\n# continues first\n"] {
            assert_eq!(continues(text), None);
            assert_eq!(Continued::read(text, &find).unwrap().before, 0);
        }
    }

    #[test]
    fn what_cannot_be_continued() {
        assert_eq!(said("# continues nope\n$ x\n"), "there is no nope");
        assert!(said("# continues broken\n$ x\n").starts_with("broken: "));
        assert!(
            said("# continues circle\n$ x\n").contains("circle, then other, then circle again")
        );
        assert!(said("# continues first\n#! brokers 2\n$ x\n").contains("(1 brokers)"));
    }
}
