//! Moving through time at random: whatever is typed, done, sought, taken back and returned to, in whatever
//! order, a moment is what its inputs make of it, and what is refused changes nothing.

use highwater_core::ids::{BrokerId, EventId, MessageId, TerminalId};
use highwater_core::net::rule::{Effect, Party, Rule};
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::fault::Fault;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::timeline::Timeline;
use highwater_core::world::world::World;
use highwater_shell::process::ShellProcess;
use highwater_shell::session::RUN_LIMIT;

use crate::choose;
use crate::lines::random_line;

const SEEDS: u64 = 60;
const MOVES: u64 = 60;

/// The draws of one walk.
struct Walk {
    seed: u64,
    count: u64,
}

impl Walk {
    fn draw(&mut self, bound: u32) -> u32 {
        self.count += 1;
        choose(self.seed, 0x7_0000 + self.count, bound)
    }

    /// A number up to about `most`, or one at the limits.
    fn number(&mut self, most: u64) -> u64 {
        match self.draw(12) {
            0 => 0,
            1 => u64::MAX,
            2 => most,
            3 => most + 1,
            _ => u64::from(self.draw(u32::MAX)) % most.max(1),
        }
    }

    fn fault(&mut self, options: &ClusterOptions) -> Fault {
        // One of them is not there.
        let mut broker =
            || BrokerId(i32::try_from(self.draw(options.brokers + 1)).unwrap_or(0) + 1);
        let (one, two) = (broker(), broker());
        let parties = [Party::Broker(one), Party::Broker(two), Party::Controller, Party::Clients];
        let (from, to) = (parties[self.draw(4) as usize], parties[self.draw(4) as usize]);
        let span = SimDuration([0, 1, 3_000, 900_000, 3_600_000_001][self.draw(5) as usize]);
        match self.draw(14) {
            0 => Fault::Crash(one),
            1 => Fault::PowerLoss(one),
            2 => Fault::Stop(one),
            3 | 4 => Fault::Start(one),
            5 => Fault::Pause(one),
            6 => Fault::Resume(one),
            7 => Fault::AddRule(Rule { from, to, effect: Effect::Cut }),
            8 => Fault::AddRule(Rule { from, to, effect: Effect::Slow(span) }),
            9 => Fault::Heal(from, to),
            13 => Fault::HealOneWay(from, to),
            10 => Fault::SlowDisk(one, span),
            11 => Fault::HealAll,
            _ => Fault::Drop(MessageId(u64::from(self.draw(3_000)))),
        }
    }

    fn kind(&mut self, options: &ClusterOptions) -> InputKind {
        match self.draw(10) {
            0..=3 => InputKind::fault(self.fault(options)),
            4 => InputKind::EndOfInput,
            5 => InputKind::Interrupt,
            _ => InputKind::Line(random_line(self.seed, self.count)),
        }
    }
}

/// What can be told apart at a moment.
type Moment = (u64, u64, EventId);

fn moment(world: &World<ShellProcess>) -> Moment {
    (world.steps(), world.trace_hash(), world.next_event())
}

/// The furthest moment of this branch.
fn head(timeline: &Timeline<ShellProcess>) -> Moment {
    let mut copy = timeline.clone();
    copy.seek(u64::MAX);
    moment(copy.world())
}

/// What the inputs of this branch make of a new cluster after so many steps.
fn played_again(timeline: &Timeline<ShellProcess>, steps: u64) -> Moment {
    let begin = Timeline::begin(timeline.world().options().clone(), ShellProcess::shell);
    let (fresh, _) = begin.expect("the options are valid");
    let mut world = fresh.world().clone();
    for input in timeline.inputs() {
        while world.steps() < steps && world.next_due().is_some_and(|due| due <= input.at) {
            world.step();
        }
        if world.steps() == steps {
            break;
        }
        world.apply(input).expect("it was taken before");
    }
    while world.steps() < steps && world.step() {}
    moment(&world)
}

/// The step at which an input would be taken now: what is due at this moment happens before.
fn begin_of_input(timeline: &Timeline<ShellProcess>) -> u64 {
    let mut copy = timeline.clone();
    let now = copy.world().now();
    while copy.world().next_due().is_some_and(|due| due <= now) {
        copy.step();
    }
    copy.world().steps()
}

/// Moves once. What a person did and was refused is told.
fn move_once(
    timeline: &mut Timeline<ShellProcess>,
    terminal: TerminalId,
    walk: &mut Walk,
) -> String {
    let now = timeline.world().now().0;
    match walk.draw(16) {
        0..=4 => {
            let kind = walk.kind(timeline.world().options());
            let limit = [SimDuration(1), SimDuration(700_000), RUN_LIMIT][walk.draw(3) as usize];
            let terminal = if walk.draw(10) == 0 { TerminalId(7) } else { terminal };
            let told = format!("{kind:?} at {terminal:?} for {limit:?}");
            match timeline.input(terminal, kind, limit) {
                Ok(()) => told,
                Err(_) => format!("refused {told}"),
            }
        }
        5 | 6 => {
            let event = walk.number(timeline.world().next_event().0);
            format!("seek event {event}: {}", timeline.seek_event(EventId(event)))
        }
        7 => {
            let at = walk.number(2 * now);
            timeline.seek_time(SimTime(at));
            format!("seek time {at}")
        }
        8 => {
            let step = walk.number(2 * timeline.world().steps());
            timeline.seek(step);
            format!("seek step {step}")
        }
        9 => {
            let stop = walk.draw(20);
            timeline.seek_stop(stop);
            format!("seek stop {stop}")
        }
        10 | 11 => format!("step: {}", timeline.step()),
        12 => {
            timeline.step_back();
            "step back".to_owned()
        }
        13 | 14 => {
            let span = u64::from(walk.draw(20_000_000));
            timeline.run_for(SimDuration(span));
            format!("run for {span}")
        }
        _ => {
            timeline.return_to_left_branch();
            "return".to_owned()
        }
    }
}

#[test]
fn a_moment_is_what_its_inputs_make_of_it() {
    let (mut refused, mut returned, mut taken) = (0, 0, 0);
    for seed in 1..=SEEDS {
        let mut walk = Walk { seed, count: 0 };
        let brokers = 1 + walk.draw(3);
        let options = ClusterOptions { seed, brokers, ..ClusterOptions::default() };
        let (mut timeline, terminal) =
            Timeline::begin(options, ShellProcess::shell).expect("the options are valid");
        let mut story = Vec::new();
        let mut left: Option<Moment> = None;
        for _ in 0..MOVES {
            let (before, now, furthest) =
                (moment(timeline.world()), timeline.world().now(), head(&timeline));
            let begins = begin_of_input(&timeline);
            let told = move_once(&mut timeline, terminal, &mut walk);
            story.push(told.clone());
            let world = timeline.world();
            let here = moment(world);
            assert_eq!(here, played_again(&timeline, here.0), "seed {seed}: {story:#?}");
            assert!(
                world.next_due().is_none_or(|due| due >= world.now()),
                "seed {seed}: {story:#?}"
            );
            if told.starts_with("refused") {
                refused += 1;
                assert_eq!((here, world.now()), (before, now), "seed {seed}: {story:#?}");
                assert_eq!(head(&timeline), furthest, "seed {seed}: {story:#?}");
            } else if told == "return" {
                returned += u32::from(left.is_some());
                assert_eq!(here, left.unwrap_or(before), "seed {seed}: {story:#?}");
                left = left.map(|_| furthest);
            } else if told.contains(" for Sim") {
                taken += 1;
                if begins < furthest.0 {
                    left = Some(furthest);
                }
            }
            assert_eq!(timeline.left_branch().is_some(), left.is_some(), "seed {seed}: {story:#?}");
            let any = EventId(walk.number(here.2.0));
            if let Some(event) = timeline.event(any) {
                assert!(
                    event.id == any && event.step <= head(&timeline).0,
                    "seed {seed}: {event:?}"
                );
            }
        }
    }
    assert!(refused > 100 && returned > 20 && taken > 500, "{refused}, {returned}, {taken}");
}
