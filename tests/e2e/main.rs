//! End-to-end tests: the built site in Chromium, as a reader uses it.
//!
//! `cargo xtask test --only e2e` builds the site and says where it, the browser and axe-core are.
//! Whatever a test does not expect in the browser's console fails it. A failed test leaves a picture
//! in target/e2e/; `look` leaves one of every look in target/e2e/shots/.

mod browser;
mod driver;
mod page;

mod axe;
mod beginnings;
mod contents;
mod first_frame;
mod key_page;
mod keyboard;
mod lab;
mod lab_access;
mod lab_adapts;
mod lab_desk;
mod lab_figures;
mod lab_hostile;
mod lab_lasting;
mod lab_panels;
mod lab_sharing;
mod lab_starts;
mod lab_terminal;
mod lab_time;
mod lab_touch;
mod lab_tree;
mod lab_walk;
mod lab_why;
mod lesson;
mod lesson_access;
mod lesson_figures;
mod lesson_frame;
mod lesson_models;
mod lesson_panic;
mod lesson_questions;
mod lesson_tasks;
mod look;
mod media;
mod panic;
mod puzzle;
mod question;
mod quiz;
mod quiz_kept;
mod quiz_site;
mod reader;
mod replay;
mod security;
mod served;
mod speeds;
mod table;
mod terminal;
mod without_engine;
