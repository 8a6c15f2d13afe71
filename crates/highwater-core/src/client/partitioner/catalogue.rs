//! Which partitioners there are, by client library, and by which names people ask for them.

use super::rule::{Keyless, Rule};
use super::{
    ClientFamily, franz_go, java, kafka_go, kafka_python, kafkajs, librdkafka, sarama, teaching,
};
use crate::number;

/// A partitioner of a client library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partitioner {
    /// Its name on the command line.
    pub name: &'static str,
    /// As the users of the library write it.
    pub spelled: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// What it does.
    pub rule: Rule,
}

/// A client library with one of its partitioners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// The library.
    pub family: ClientFamily,
    /// How it chooses.
    pub rule: Rule,
}

impl ClientFamily {
    /// All its partitioners. The first is what its name alone stands for here: its default, but for kafka-go
    /// `Hash`, since its default pays no heed to keys.
    #[must_use]
    pub fn partitioners(self) -> &'static [Partitioner] {
        match self {
            Self::Java => java::PARTITIONERS,
            Self::Librdkafka => librdkafka::PARTITIONERS,
            Self::KafkaGo => kafka_go::PARTITIONERS,
            Self::Sarama => sarama::PARTITIONERS,
            Self::FranzGo => franz_go::PARTITIONERS,
            Self::KafkaJs => kafkajs::PARTITIONERS,
            Self::KafkaPython => kafka_python::PARTITIONERS,
            Self::Teaching => teaching::PARTITIONERS,
        }
    }

    /// What its name alone stands for.
    #[must_use]
    pub fn rule(self) -> Rule {
        self.partitioners()[0].rule
    }
}

impl Client {
    /// The client that is called so: `NAME`, `NAME:PARTITIONER` or `NAME:PARTITIONER=NUMBER`.
    ///
    /// # Errors
    /// What is wrong with it, and what there is.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let (family, partitioner) =
            name.split_once(':').map_or((name, None), |(family, rest)| (family, Some(rest)));
        let Some(family) = ClientFamily::from_name(family) else {
            let known: Vec<&str> = ClientFamily::ALL.iter().map(|family| family.name()).collect();
            let known = number::join(&known, ", ");
            return Err(format!("there is no client `{family}`; there are {known}"));
        };
        let rule = match partitioner {
            None => family.rule(),
            Some(partitioner) => find(family, partitioner)?,
        };
        Ok(Self { family, rule })
    }

    /// Whether a partition that is named in the record counts. In most libraries it is looked at before any
    /// partitioner; in Go that is for the partitioner to do.
    #[must_use]
    pub fn looks_at_named_partition(&self) -> bool {
        let is_go = matches!(
            self.family,
            ClientFamily::KafkaGo | ClientFamily::Sarama | ClientFamily::FranzGo
        );
        !is_go || self.rule.keyless == Keyless::Field
    }
}

fn find(family: ClientFamily, wanted: &str) -> Result<Rule, String> {
    let (name, number) =
        wanted.split_once('=').map_or((wanted, None), |(name, number)| (name, Some(number)));
    let partitioners = family.partitioners();
    let Some(found) = partitioners.iter().find(|partitioner| partitioner.name == name) else {
        let known: Vec<&str> = partitioners.iter().map(|partitioner| partitioner.name).collect();
        let known = number::join(&known, ", ");
        return Err(format!("{} has no partitioner `{name}`; it has {known}", family.name()));
    };
    let Some(text) = number else { return Ok(found.rule) };
    let Some(given) = number::unsigned(text).and_then(|number| u32::try_from(number).ok()) else {
        return Err(format!("`{text}` is not a number from 0 to {}", u32::MAX));
    };
    let with_number = found.rule.with_number(given);
    with_number.ok_or_else(|| format!("{}:{name} takes no number", family.name()))
}
