//! The cluster figure of clusters that were played: what it shows, where, and that it costs no more for longer logs.

use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::cluster_figure::{ClusterFigure, Hit, ReplicaId, Scene, What};
use highwater_scene::node::{Node, to_string};
use highwater_shell::session::Session;

const TOPICS: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic";

/// Five brokers, twelve partitions with three replicas each, records in all of them.
fn cluster(records: u32, more: &[&str]) -> Snapshot {
    let options = ClusterOptions { brokers: 5, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("a cluster");
    let create = format!("{TOPICS} parcel-events --partitions 12 --replication-factor 3");
    let fill = format!(
        "kafka-producer-perf-test.sh --topic parcel-events --num-records {records} --record-size 10 --throughput -1 \
         --command-property bootstrap.servers=localhost:9092 acks=1 > /dev/null"
    );
    for line in [create.as_str(), &fill].iter().chain(more) {
        assert_eq!(session.run(line).expect("it runs").exit, 0, "{line}");
    }
    session.timeline().world().snapshot()
}

fn scene(snapshot: &Snapshot, width: i32, font: i32) -> Scene {
    ClusterFigure { font, ..ClusterFigure::new(snapshot, &["parcel-events"], width) }.scene()
}

/// Texts and boxes of a drawing: where they are, and which class they have.
fn numbers(node: &Node, tag: &str, names: &[&str]) -> Vec<(String, Vec<i32>)> {
    let mut found = Vec::new();
    if let Some(element) = node.as_element()
        && element.tag == tag
    {
        let number =
            |name: &&str| element.get(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        let class = element.get("class").unwrap_or_default().to_owned();
        found.push((class, names.iter().map(number).collect()));
    }
    found.extend(node.children().iter().flat_map(|child| numbers(child, tag, names)));
    found
}

/// At 1280 x 800 all 36 replicas of 12 partitions are there, each with its letter, its bar and its lag or state.
#[test]
fn all_replicas_at_a_glance() {
    let snapshot = cluster(120_000, &["hw crash 2", "sleep 20"]);
    let scene = scene(&snapshot, 1_200, 16);
    assert!(scene.height <= 520, "{}", scene.height);
    let replicas = scene.hits.iter().filter(|hit| matches!(hit.what, What::Replica(_)));
    assert_eq!(replicas.count(), 36);
    assert_eq!(
        numbers(&scene.svg, "rect", &["x"])
            .iter()
            .filter(|(class, _)| class.starts_with("hw-bar"))
            .count(),
        36
    );
    let says = scene.svg.text_content();
    assert_eq!(says.matches("leads").count(), 12, "{says}");
    // Those on the broker that is down are out; all others are in sync.
    let down = |hit: &&Hit| matches!(&hit.what, What::Replica(id) if id.broker == 2);
    let out = scene.hits.iter().filter(down).count();
    assert!(out > 0);
    assert_eq!(says.matches("out of ISR").count(), out, "{says}");
    assert_eq!(says.matches("in sync").count(), 36 - 12 - out, "{says}");
    assert!(says.contains("broker 2down"), "{says}");
    for hit in scene.hits.iter().filter(down) {
        assert!(hit.label.contains("follower, out of the ISR"), "{}", hit.label);
    }
    let table = scene.table.text_content();
    assert_eq!(table.matches("follower, out of the ISR").count(), out, "{table}");
}

/// A follower that cannot keep up: how far it is behind is said and drawn.
#[test]
fn a_follower_that_is_behind() {
    let slow = [
        "hw slow --disk 3 2000",
        "seq 3 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic one --request-required-acks 1",
    ];
    let create = format!("{TOPICS} one --replica-assignment 1:3");
    let snapshot = cluster(10, &[&[create.as_str()], &slow[..]].concat());
    let scene = ClusterFigure::new(&snapshot, &["one"], 900).scene();
    let says = scene.svg.text_content();
    assert!(says.contains("3 behind") && says.contains("leads"), "{says}");
    let behind = scene.hits.iter().find(|hit| hit.label.contains("behind")).expect("one is");
    assert_eq!(
        behind.label,
        "one-0 on broker 3: follower, in the ISR, empty, 3 records behind the leader"
    );
    let narrow = ClusterFigure::new(&snapshot, &["one"], 320).scene();
    assert!(narrow.svg.text_content().contains("F\u{2212}3"), "{}", narrow.svg.text_content());
}

/// At every width and font: nothing sticks out, targets are large enough and do not overlap.
#[test]
fn everything_has_its_room() {
    let snapshot = cluster(1_000, &["hw stop 1"]);
    for width in (200..1_400).step_by(37) {
        for font in [16, 20, 32] {
            let scene = scene(&snapshot, width, font);
            let at = format!("{width} px, font {font}");
            for (class, place) in numbers(&scene.svg, "text", &["x", "y"]) {
                let [x, y] = place[..] else { continue };
                assert!(
                    x >= 0 && x < scene.width && y > 0 && y < scene.height,
                    "{at}: {class} {place:?}"
                );
            }
            for (class, place) in numbers(&scene.svg, "rect", &["x", "y", "width", "height"]) {
                let [x, y, wide, high] = place[..] else { continue };
                let fits =
                    x >= 0 && y >= 0 && x + wide <= scene.width + 3 && y + high <= scene.height;
                assert!(fits && wide >= 0, "{at}: {class} {place:?} of {}", scene.width);
            }
            for (n, hit) in scene.hits.iter().enumerate() {
                assert!(hit.rect.width >= 24 && hit.rect.height >= 24, "{at}: {hit:?}");
                for other in &scene.hits[n + 1..] {
                    let (a, b) = (hit.rect, other.rect);
                    let apart = a.x + a.width <= b.x
                        || b.x + b.width <= a.x
                        || a.y + a.height <= b.y
                        || b.y + b.height <= a.y;
                    assert!(apart, "{at}: {hit:?} {other:?}");
                }
            }
        }
    }
}

/// A drawing is as long for a hundred times the records: bars, not cells.
#[test]
fn the_same_work_for_longer_logs() {
    let (short, long) = (cluster(1_200, &[]), cluster(120_000, &[]));
    let length = |snapshot: &Snapshot| to_string(&scene(snapshot, 1_200, 16).svg).len();
    assert!(length(&long) < 2 * length(&short), "{} {}", length(&long), length(&short));
}

/// Names of replicas in attributes; Tab leads to one place.
#[test]
fn names_and_the_tab_stop() {
    for name in ["parcel-events-0@2", "a-b.c_d-11@5"] {
        assert_eq!(ReplicaId::parse(name).expect("a name").text(), name);
    }
    for name in ["", "a", "a-0", "a@1", "a-x@1", "a-0@x"] {
        assert_eq!(ReplicaId::parse(name), None, "{name}");
    }
    let snapshot = cluster(12, &[]);
    let mut figure = ClusterFigure::new(&snapshot, &["parcel-events"], 900);
    let stops = |figure: &ClusterFigure<'_>| {
        to_string(&figure.scene().svg).matches("tabindex=\"0\"").count()
    };
    assert_eq!(stops(&figure), 1);
    let scene = figure.scene();
    let What::Replica(last) = &scene.hits[scene.hits.len() - 1].what else { panic!("a replica") };
    figure.focus = Some(last);
    let drawn = to_string(&figure.scene().svg);
    let place = drawn.find("tabindex=\"0\"").expect("one");
    assert!(
        drawn[..place].rfind("data-replica").expect("it")
            == drawn.find(&format!("data-replica=\"{}\"", last.text())).expect("it")
    );
    figure.live = false;
    assert_eq!(stops(&figure), 0);
    assert!(figure.scene().hits.is_empty());
    // Topics that are not there, and none.
    assert!(
        ClusterFigure::new(&snapshot, &["nope"], 900)
            .scene()
            .svg
            .text_content()
            .contains("There is no topic yet.")
    );
}
