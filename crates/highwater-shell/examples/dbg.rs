//! debug
use highwater_core::ids::EventId;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{RUN_LIMIT, Session};
fn main() {
    let f = std::env::args().nth(1).unwrap();
    let seed = std::env::args().nth(2).map_or(1, |s| s.parse().unwrap());
    let text = std::fs::read_to_string(f).unwrap();
    let mut s = Session::new(ClusterOptions {
        seed,
        brokers: std::env::var("B").map_or(3, |b| b.parse().unwrap()),
        ..Default::default()
    })
    .unwrap();
    let mut last = 0u64;
    for line in text.lines().filter_map(|l| l.strip_prefix("$ ")) {
        println!("$ {line}");
        let o = s.run(line).unwrap();
        for l in &o.output {
            println!("   > {l}");
        }
        let next = s.timeline().world().next_event().0;
        let evs: Vec<_> =
            s.timeline().events_between(EventId(last), EventId(next)).cloned().collect();
        for e in evs {
            let t = format!("{:?}", e.kind);
            if std::env::var("ALL").is_ok()
                || !(t.starts_with("MessageSent") || t.starts_with("Process"))
            {
                println!("{:>12} {:>5} {}", e.at.0, e.id.0, &t[..t.len().min(330)]);
            }
        }
        last = next;
    }
    let _ = RUN_LIMIT;
}
