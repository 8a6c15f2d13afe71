//! The Lab played as a reader would, without a page.

mod claim;
mod claim_errors;
mod claim_words;
mod exhibit;
mod figure;
mod groups;
mod hostile;
mod keeping;
mod moment;
mod monkey;
mod reader;
mod share;
mod starts;
mod terminal;
mod time;
mod told;
mod touch;

use reader::Reader;
