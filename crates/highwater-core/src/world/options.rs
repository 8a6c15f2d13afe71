//! What kind of cluster a world has: everything beside inputs that decides what happens.

use std::rc::Rc;

use crate::controller::server_config::check_lines;
use crate::error::CommandError;
use crate::ids::BrokerId;
use crate::mutation::Mutation;
use crate::number;
use crate::scope::{self, Lab};
use crate::time::SimDuration;

/// The port of broker 1; broker n listens n - 1 above it.
const FIRST_PORT: u32 = 9_092;

/// A line of one broker's configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnSetting {
    /// Whose file it stands in.
    pub broker: BrokerId,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// The options of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClusterOptions {
    /// What every random draw is made from.
    pub seed: u64,
    /// How many brokers, numbered from 1.
    pub brokers: u32,
    /// How long a Kafka tool takes from its start to its first request.
    pub tool_start: SimDuration,
    /// One way over the network.
    pub network_delay: SimDuration,
    /// Lines of every broker's configuration file, and of the controller's.
    pub broker_settings: Rc<Vec<(String, String)>>,
    /// Lines of one broker's file, which count before those.
    pub own_settings: Lab<Rc<Vec<OwnSetting>>>,
    /// A rule that is broken on purpose, in tests of the tests.
    pub mutation: Mutation,
    /// Whether heartbeats, waiting fetches and all else that members of groups do while they wait are played
    /// also while they change nothing.
    pub show_quiet_traffic: bool,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            brokers: scope::MOST_BROKERS.min(3),
            tool_start: SimDuration::from_millis(1_000),
            network_delay: SimDuration(500),
            broker_settings: Rc::default(),
            own_settings: Lab::default(),
            mutation: Mutation::None,
            show_quiet_traffic: false,
        }
    }
}

impl ClusterOptions {
    /// Checks the options.
    ///
    /// # Errors
    /// Which option is out of range, and its range.
    pub fn validate(&self) -> Result<(), CommandError> {
        if !(1..=scope::MOST_BROKERS).contains(&self.brokers) {
            return Err(CommandError::BadOption(if scope::CLUSTER {
                "a cluster has 1 to 9 brokers"
            } else {
                "a page of this kind has one broker"
            }));
        }
        if self.tool_start > SimDuration::from_millis(60_000) {
            return Err(CommandError::BadOption("a tool starts within 60 s"));
        }
        if self.network_delay > SimDuration::from_millis(10_000) {
            return Err(CommandError::BadOption("the network takes at most 10 s one way"));
        }
        if !scope::CLUSTER {
            return Ok(());
        }
        check_lines(self).map_err(|why| CommandError::BadSetting(Lab::new(why)))
    }

    /// Gives one broker lines of its own. Without any, nothing is kept.
    #[must_use]
    pub fn with_own_settings(mut self, lines: Vec<OwnSetting>) -> Self {
        self.own_settings =
            if lines.is_empty() { Lab::default() } else { Lab::new(Rc::new(lines)) };
        self
    }

    /// The lines that only one broker's file has, of all brokers.
    pub fn own_settings(&self) -> impl Iterator<Item = &OwnSetting> {
        self.own_settings.get().into_iter().flat_map(|lines| lines.iter())
    }

    /// A broker's configuration file. Of two lines with one key the last one counts.
    #[must_use]
    pub fn settings_of(&self, broker: BrokerId) -> Rc<Vec<(String, String)>> {
        let mut settings = Rc::clone(&self.broker_settings);
        for line in self.own_settings().filter(|line| line.broker == broker) {
            Rc::make_mut(&mut settings).push((line.key.clone(), line.value.clone()));
        }
        settings
    }

    /// The brokers with their ports.
    pub fn listeners(&self) -> impl Iterator<Item = (BrokerId, u32)> {
        (1..=self.brokers)
            .map(|id| (BrokerId(i32::try_from(id).unwrap_or(i32::MAX)), FIRST_PORT + id - 1))
    }

    /// The brokers that listen at `host:port,host:port,...`, in that order.
    #[must_use]
    pub fn resolve(&self, addresses: &str) -> Vec<BrokerId> {
        let broker = |address: &str| {
            let (host, port) = address.trim().rsplit_once(':')?;
            // Behind the `://` of a listener's name, if there is one.
            let host = if scope::CLUSTER {
                let named = host.rsplit_once('/').filter(|(name, _)| name.ends_with(":/"));
                named.map_or(host, |(_, host)| host)
            } else {
                host
            };
            let port = number::unsigned(port)?;
            let here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
            self.listeners()
                .find(|(_, listening)| here && u64::from(*listening) == port)
                .map(|(id, _)| id)
        };
        addresses.split(',').filter_map(broker).collect()
    }
}
