//! The Lab played as a reader would, without a page.

mod monkey;
mod reader;
mod starts;
mod touch;

use reader::Reader;
