//! The transcripts behind a figure: what it plays, and what a button in the text adds to it.
//!
//! They are console transcripts like all others, in `web/lessons/scenes/NAME/`, and `highwater check`
//! plays them. One that begins with the comment `# continues NAME` goes on where that one ends.

#[cfg(feature = "build")]
use highwater_shell::transcript::{Transcript, continues};

/// One transcript of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its name: that of the file, without its ending.
    pub name: String,
    /// The script that must have been played before.
    pub continues: Option<String>,
    /// How many brokers its cluster has.
    pub brokers: u32,
    /// Its commands.
    pub commands: Vec<String>,
}

#[cfg(feature = "build")]
impl Script {
    /// Reads a transcript.
    ///
    /// # Errors
    /// What is wrong with it, with the line and the remedy.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let transcript = Transcript::parse(text).map_err(|error| error.to_string())?;
        Ok(Self {
            name: name.to_owned(),
            continues: continues(text).map(str::to_owned),
            brokers: transcript.brokers,
            commands: transcript.blocks.into_iter().map(|block| block.command).collect(),
        })
    }
}
