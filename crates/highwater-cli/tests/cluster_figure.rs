//! The figures of clusters that were played: what they show, where, and that they cost no more for longer logs.

use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::cluster_figure::{self, ClusterFigure, ReplicaId, Scene};
use highwater_scene::log_figure::Rect;
use highwater_scene::node::{Node, to_string};
use highwater_scene::partition_figure::{Hit, PartitionFigure, What};
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
    let replicas =
        scene.hits.iter().filter(|hit| matches!(hit.what, cluster_figure::What::Replica(_)));
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
    let down = |hit: &&cluster_figure::Hit| matches!(&hit.what, cluster_figure::What::Replica(id) if id.broker == 2);
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
        "one-0 on broker 3: follower, in the ISR, empty, high watermark 0, 3 records behind the leader"
    );
    let narrow = ClusterFigure::new(&snapshot, &["one"], 320).scene();
    assert!(narrow.svg.text_content().contains("F\u{2212}3"), "{}", narrow.svg.text_content());
}

/// What is drawn and can be pressed.
struct Drawn {
    svg: Node,
    targets: Vec<(Rect, String)>,
    size: (i32, i32),
}

/// Nothing sticks out, targets are large enough and do not overlap.
fn has_its_room(drawn: &Drawn, at: &str) {
    let (wide, high) = drawn.size;
    for (class, place) in numbers(&drawn.svg, "text", &["x", "y"]) {
        let [x, y] = place[..] else { continue };
        assert!(x >= 0 && x < wide && y > 0 && y < high, "{at}: {class} {place:?}");
    }
    for (class, place) in numbers(&drawn.svg, "rect", &["x", "y", "width", "height"]) {
        let [x, y, width, height] = place[..] else { continue };
        let fits = x >= 0 && y >= 0 && x + width <= wide + 3 && y + height <= high;
        assert!(fits && width >= 0, "{at}: {class} {place:?} of {wide} x {high}");
    }
    for (n, (a, label)) in drawn.targets.iter().enumerate() {
        assert!(a.width >= 24 && a.height >= 24, "{at}: {label} {a:?}");
        for (b, other) in &drawn.targets[n + 1..] {
            let beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
            let below = a.y + a.height <= b.y || b.y + b.height <= a.y;
            assert!(beside || below, "{at}: {label} {a:?}, {other} {b:?}");
        }
    }
}

/// At every width and font, the matrix and one partition, at both ends of its logs.
#[test]
fn everything_has_its_room() {
    let snapshot = cluster(1_000, &["hw stop 1", "hw crash 2"]);
    for width in (200..1_400).step_by(37) {
        for font in [16, 20, 32] {
            let matrix = scene(&snapshot, width, font);
            let targets = matrix.hits.into_iter().map(|hit| (hit.rect, hit.label)).collect();
            let size = (matrix.width, matrix.height);
            has_its_room(
                &Drawn { svg: matrix.svg, targets, size },
                &format!("{width} px, font {font}"),
            );
            for (partition, scroll) in [(0, 0), (3, 2), (7, i64::MAX)] {
                let figure = PartitionFigure::new(&snapshot, "parcel-events", partition, width);
                let one = PartitionFigure { font, scroll, ..figure }.scene().expect("it is there");
                let targets = one.hits.into_iter().map(|hit| (hit.rect, hit.label)).collect();
                let size = (one.width, one.height);
                let at = format!("{width} px, font {font}, partition {partition}");
                has_its_room(&Drawn { svg: one.svg, targets, size }, &at);
            }
        }
    }
}

/// The leader first; a follower that has less and says how much; a broker that is down in a frame; records that the
/// leader does not have.
#[test]
fn replicas_of_one_partition() {
    let create = format!("{TOPICS} one --replica-assignment 2:1:3");
    let producer = "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic one";
    let (three, two) =
        (format!("seq 3 | {producer}"), format!("seq 2 | {producer} --request-required-acks 1"));
    let slow = "hw slow --disk 3 5000";
    let snapshot = cluster(10, &[&create, &three, slow, &two]);
    let scene = PartitionFigure::new(&snapshot, "one", 0, 900).scene().expect("it is there");
    let says = scene.svg.text_content();
    let [leader, first, second] =
        ["broker 2leader", "broker 1follower, in sync", "broker 3follower, in sync"]
            .map(|text| says.find(text).unwrap_or_else(|| panic!("{text} in {says}")));
    assert!(leader < first && first < second, "{says}");
    assert!(
        says.contains("readers see up to 2 (high watermark 3)") && says.contains("2 behind leader"),
        "{says}"
    );
    let cells = |broker: i32| {
        let of = |hit: &&Hit| matches!(hit.what, What::Cell { broker: of, .. } if of == broker);
        scene.hits.iter().filter(of).count()
    };
    assert_eq!((cells(2), cells(1), cells(3)), (5, 5, 3));
    assert_eq!(
        to_string(&scene.svg).matches("hw-beyond").count(),
        4,
        "two on the leader, two on broker 1"
    );
    // The leader and all that it had acknowledged alone is lost; what comes then stands where that was.
    let snapshot = cluster(
        10,
        &[
            &create,
            &three,
            "hw cut 2 1",
            "hw cut 2 3",
            &two,
            "hw crash 2",
            "sleep 12",
            &format!("echo new | {producer}"),
        ],
    );
    let scene = PartitionFigure::new(&snapshot, "one", 0, 900).scene().expect("it is there");
    let drawn = to_string(&scene.svg);
    assert!(drawn.contains("hw-broken"), "{drawn}");
    assert!(scene.svg.text_content().contains("broker 2down, out of ISR"), "{drawn}");
    let differs = scene
        .hits
        .iter()
        .filter(|hit| hit.label.ends_with("not what the leader has there"))
        .count();
    assert!(differs >= 1, "{:?}", scene.hits);
    assert!(PartitionFigure::new(&snapshot, "one", 1, 900).scene().is_none());
}

/// Five brokers in a narrow room: what is wrong with which of them is said in one line.
#[test]
fn words_without_room_stand_together() {
    let snapshot = cluster(10, &["hw crash 2", "hw pause 4"]);
    let narrow = scene(&snapshot, 200, 16).svg.text_content();
    assert!(narrow.contains("2 down, 4 paused"), "{narrow}");
    let wide = scene(&snapshot, 900, 16).svg.text_content();
    assert!(wide.contains("broker 2down") && wide.contains("broker 4paused"), "{wide}");
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
    let cluster_figure::What::Replica(last) = &scene.hits[scene.hits.len() - 1].what else {
        panic!("a replica")
    };
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
