//! The Lab without a page: what a frame costs, and a line more in a terminal that shows many.

use std::hint::black_box;

use highwater_core::draw::{Purpose, draw_below};
use highwater_lab::heard::Key;
use highwater_lab::{Heard, Lab, Opening, Room};

use crate::Each;

const WIDE: Room = Room { width: 860, font: 16, motion: true };

/// 12 partitions, three replicas each, on five brokers, with 10,000 records in them.
const LARGE: &str = "\
#! brokers 5
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 12 --replication-factor 3
$ seq 1 10000 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events
$ hw produce --topic parcel-events --key locker-7 --value CODE_SENT --count 100
$ hw crash 2
$ sleep 20
";

fn large() -> Lab {
    let mut lab = Lab::new(&Opening::default(), WIDE);
    lab.hear(Heard::File { name: "large.console".to_owned(), text: LARGE.to_owned() });
    assert_eq!(lab.note(), None);
    lab.hear(Heard::Press("view:replicas".to_owned()));
    lab
}

/// A step of the story and the frame that shows it.
pub(crate) fn frame() -> Each {
    let mut lab = large();
    let stops = lab.run().stops().len();
    Box::new(move |_| {
        if lab.run().position() == stops {
            lab.hear(Heard::Value { does: "seek".to_owned(), value: (stops / 2).to_string() });
        }
        lab.hear(Heard::Press("forward".to_owned()));
        black_box(lab.view());
    })
}

/// Dragging the timeline anywhere, and the frame that shows it.
pub(crate) fn drag() -> Each {
    let mut lab = large();
    let stops = u32::try_from(lab.run().stops().len()).unwrap_or(u32::MAX);
    Box::new(move |count| {
        let to = draw_below(1, Purpose::Placement, 2, count.into(), stops);
        lab.hear(Heard::Value { does: "seek".to_owned(), value: to.to_string() });
        black_box(lab.view());
    })
}

/// A command more in a terminal of 10,000 lines, and the frame that shows it.
pub(crate) fn line() -> Each {
    let mut lab = Lab::new(&Opening::default(), WIDE);
    type_line(&mut lab, "seq 1 10000");
    black_box(lab.view());
    Box::new(move |count| {
        type_line(&mut lab, &format!("echo {count}"));
        black_box(lab.view());
    })
}

fn type_line(lab: &mut Lab, line: &str) {
    lab.hear(Heard::Key(Key {
        place: "prompt".to_owned(),
        key: "Enter".to_owned(),
        before: line.to_owned(),
        ..Key::default()
    }));
}
