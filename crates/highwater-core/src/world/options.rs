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
    /// Lines of every broker's configuration file.
    pub broker_settings: Rc<Vec<(String, String)>>,
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
