//! The Lab played as a reader would, without a page.

mod exhibit;
mod figure;
mod monkey;
mod reader;
mod share;
mod starts;
mod terminal;
mod time;
mod touch;

use reader::Reader;
