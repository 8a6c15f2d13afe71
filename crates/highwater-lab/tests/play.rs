//! The Lab played as a reader would, without a page.

use highwater_lab::{Heard, Lab, Opening, Room};
use highwater_scene::node::to_string;

const ROOM: Room = Room { width: 800, font: 16, motion: true };

fn lab() -> Lab {
    Lab::new(&Opening::default(), ROOM)
}

fn press(lab: &mut Lab, does: &str) {
    lab.hear(Heard::Press(does.to_owned()));
}

fn send(lab: &mut Lab, does: &str, fields: &[(&str, &str)]) {
    let fields =
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    lab.hear(Heard::Sent { does: does.to_owned(), fields });
}

#[test]
fn look() {
    let mut lab = lab();
    println!("{}", to_string(&lab.view()).len());
    press(&mut lab, "form:topic");
    send(&mut lab, "form:topic", &[("topic", "t"), ("partitions", "2"), ("factor", "3"), ("min", "2")]);
    println!("{:?}", lab.announced());
    for key in ["a", "b", "c"] {
        send(&mut lab, "form:send", &[("topic", "t"), ("key", key), ("value", "x"), ("client", "java"), ("acks", "all"), ("count", "1")]);
        println!("{:?}", lab.announced());
    }
    send(&mut lab, "form:read", &[("topic", "t"), ("group", "billing"), ("beginning", "yes")]);
    println!("{:?}", lab.announced());
    for _ in 0..5 { press(&mut lab, "forward"); println!("{:?} {:?} steps {}", lab.announced(), lab.run().now(), lab.run().steps()); }
    press(&mut lab, "type:hw crash 2");
    println!("{:?}", lab.announced());
    for _ in 0..12 { press(&mut lab, "forward"); println!("{:?}", lab.announced()); }
    for view in ["records", "replicas", "groups", "flight"] {
        press(&mut lab, &format!("view:{view}"));
        println!("{view} {}", to_string(&lab.view()).len());
    }
    for kind in [highwater_lab::start::Kind::Situation, highwater_lab::start::Kind::Scene, highwater_lab::start::Kind::Challenge] {
        for scene in highwater_lab::start::all(kind) {
            press(&mut lab, &format!("start:{}", scene.id));
            println!("{} {:?} {} {}", scene.id, lab.note(), lab.run().stops().len(), lab.run().position());
        }
    }
}
