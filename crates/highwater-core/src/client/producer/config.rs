//! How a producer behaves, and which settings exclude each other (Kafka's `ProducerConfig`).

use std::rc::Rc;

use super::sender::Batch;
use crate::client::partitioner::ClientFamily;
use crate::client::partitioner::rule::Rule;
use crate::error::{ErrorCode, KafkaError};
use crate::log::compression::Codec;
use crate::net::message::Acks;
use crate::scope::{self, Lab};
use crate::time::SimDuration;

/// The most requests in flight that an idempotent producer may have: a log remembers as many of its
/// batches.
const MOST_IN_FLIGHT: u32 = 5;

/// How a producer behaves.
#[derive(Debug)]
pub struct ProducerConfig {
    /// The client family, which decides about partitions.
    pub family: ClientFamily,
    /// `client.id`.
    pub client_id: String,
    /// `acks`.
    pub acks: Acks,
    /// `linger.ms`.
    pub linger_ms: u64,
    /// `batch.size`.
    pub batch_size: u32,
    /// `retries`
    pub retries: u32,
    /// How it goes about what may be lost on its way. On a page about one broker nothing is.
    pub delivery: Lab<Delivery>,
}

/// How a producer goes about what may be lost on its way, or is too large for it; and what else only a whole
/// cluster shows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// `enable.idempotence`: whether its batches carry sequence numbers.
    pub enable_idempotence: bool,
    /// `max.in.flight.requests.per.connection`
    pub max_in_flight: u32,
    /// `request.timeout.ms`
    pub request_timeout: SimDuration,
    /// `delivery.timeout.ms`
    pub delivery_timeout: SimDuration,
    /// `retry.backoff.ms`
    pub retry_backoff: SimDuration,
    /// `retry.backoff.max.ms`
    pub retry_backoff_max: SimDuration,
    /// `max.request.size`: what is larger is not even sent.
    pub max_request_size: u32,
    /// `buffer.memory`: what does not fit into it is not sent either.
    pub buffer_memory: u64,
    /// `max.block.ms`: how long a record waits for its topic, and for room in that memory.
    pub max_block: SimDuration,
    /// `compression.type`, and its level.
    pub codec: Codec,
    /// `metadata.max.age.ms`: how long it believes what it was told of topics.
    pub metadata_max_age: SimDuration,
    /// `metadata.max.idle.ms`: how long it asks about a topic that it does not use.
    pub metadata_max_idle: SimDuration,
    /// `reconnect.backoff.ms`
    pub reconnect_backoff: SimDuration,
    /// `reconnect.backoff.max.ms`
    pub reconnect_backoff_max: SimDuration,
    /// How it gives partitions to records (`partitioner.class` and the settings of Java's own).
    pub partitioner: Rule,
    /// `client.rack`: near which leaders it stands.
    pub client_rack: Option<Rc<str>>,
}

impl Delivery {
    /// What the client family does unless it is told otherwise. Kafka's own client is idempotent by default,
    /// and so are franz-go and kafka-python; kafka-go writes one request at a time, and so does franz-go.
    #[must_use]
    pub fn of(family: ClientFamily) -> Self {
        Self {
            enable_idempotence: matches!(
                family,
                ClientFamily::Java | ClientFamily::FranzGo | ClientFamily::KafkaPython
            ),
            max_in_flight: match family {
                ClientFamily::Java | ClientFamily::Sarama | ClientFamily::KafkaPython => {
                    MOST_IN_FLIGHT
                }
                // kafkajs sets no limit either.
                ClientFamily::Librdkafka | ClientFamily::KafkaJs => 1_000_000,
                ClientFamily::KafkaGo | ClientFamily::FranzGo | ClientFamily::Teaching => 1,
            },
            request_timeout: SimDuration::from_millis(30_000),
            delivery_timeout: SimDuration::from_millis(120_000),
            retry_backoff: SimDuration::from_millis(100),
            retry_backoff_max: SimDuration::from_millis(1_000),
            max_request_size: 1_048_576,
            buffer_memory: 33_554_432,
            max_block: SimDuration::from_millis(60_000),
            codec: Codec::default(),
            metadata_max_age: SimDuration::from_millis(300_000),
            metadata_max_idle: SimDuration::from_millis(300_000),
            reconnect_backoff: SimDuration::from_millis(50),
            reconnect_backoff_max: SimDuration::from_millis(1_000),
            partitioner: family.rule(),
            client_rack: None,
        }
    }
}

impl Delivery {
    /// How long it waits before it tries again, at first and at most.
    pub(super) fn retry_pauses(&self) -> (SimDuration, SimDuration) {
        (self.retry_backoff, self.retry_backoff_max)
    }

    /// The same before it looks for a broker again.
    pub(super) fn reconnect_pauses(&self) -> (SimDuration, SimDuration) {
        (self.reconnect_backoff, self.reconnect_backoff_max)
    }

    /// Whether a batch of that size may go into the same request as these (`max.request.size`).
    pub(super) fn fits_request(&self, batches: &[Batch], size: u32) -> bool {
        let before: u64 = batches.iter().map(|batch| u64::from(batch.room.known().size)).sum();
        batches.is_empty() || before + u64::from(size) <= u64::from(self.max_request_size)
    }
}

impl ProducerConfig {
    /// How it goes about what may be lost on its way.
    pub(super) fn delivery(&self) -> &Delivery {
        self.delivery.known()
    }

    /// Why a record of this size, as it is sent alone, is not sent (`KafkaProducer.ensureValidRecordSize`).
    /// That is what Kafka's own client does; the others leave it to the broker.
    pub(super) fn too_large(&self, size: u32) -> Option<KafkaError> {
        let delivery = self.delivery.get().filter(|_| self.family == ClientFamily::Java)?;
        let (max_request_size, buffer_memory) = (delivery.max_request_size, delivery.buffer_memory);
        let limit = if size > max_request_size {
            format!("{max_request_size}, which is the value of the max.request.size configuration.")
        } else if u64::from(size) > buffer_memory {
            "the total memory buffer you have configured with the buffer.memory configuration."
                .to_owned()
        } else {
            return None;
        };
        let text =
            format!("The message is {size} bytes when serialized which is larger than {limit}");
        Some(KafkaError::new(ErrorCode::MessageTooLarge, text))
    }

    /// Whether its batches carry sequence numbers.
    pub(super) fn is_idempotent(&self) -> bool {
        scope::CLUSTER && self.delivery.get().is_some_and(|delivery| delivery.enable_idempotence)
    }

    /// Settles which settings exclude each other (`postProcessAndValidateIdempotenceConfigs`,
    /// `configureDeliveryTimeout`). What nobody asked for gives way; a warning tells of a
    /// `delivery.timeout.ms` that is longer now.
    ///
    /// # Errors
    /// Somebody asked for things that exclude each other.
    pub fn settle(&mut self, asked: Asked) -> Result<Option<String>, ConfigConflict> {
        let (acks, retries, linger_ms) = (self.acks, self.retries, self.linger_ms);
        let Some(delivery) = self.delivery.get_mut() else { return Ok(None) };
        if delivery.enable_idempotence {
            delivery.settle_idempotence(acks, retries, asked.idempotence)?;
        }
        let least = delivery.request_timeout.0.saturating_add(linger_ms.saturating_mul(1_000));
        let least = SimDuration(least.min(MOST_MS * 1_000));
        if delivery.delivery_timeout >= least {
            return Ok(None);
        }
        let text =
            "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms";
        if asked.delivery_timeout {
            return Err(ConfigConflict::DeliveryTimeout(text));
        }
        delivery.delivery_timeout = least;
        let (client, millis) = (&self.client_id, least.0 / 1_000);
        Ok(Some(format!(
            "[Producer clientId={client}] {text}. Setting it to {millis}. \
             (org.apache.kafka.clients.producer.KafkaProducer)"
        )))
    }
}

/// The longest time that is an `int` of milliseconds.
const MOST_MS: u64 = 2_147_483_647;

/// What somebody asked for, so that it does not give way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// `enable.idempotence`
    pub idempotence: bool,
    /// `delivery.timeout.ms`
    pub delivery_timeout: bool,
}

/// Settings that exclude each other, in Kafka's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigConflict {
    /// With idempotence.
    Idempotence(String),
    /// `delivery.timeout.ms` is too short.
    DeliveryTimeout(&'static str),
}

impl Delivery {
    fn settle_idempotence(
        &mut self,
        acks: Acks,
        retries: u32,
        asked: bool,
    ) -> Result<(), ConfigConflict> {
        let conflict = if retries == 0 {
            Some("Must set retries to non-zero when using the idempotent producer.")
        } else if acks != Acks::All {
            Some(
                "Must set acks to all in order to use the idempotent producer. Otherwise we cannot \
                 guarantee idempotence.",
            )
        } else {
            None
        };
        if let Some(text) = conflict.filter(|_| asked) {
            return Err(ConfigConflict::Idempotence(text.to_owned()));
        }
        if self.max_in_flight > MOST_IN_FLIGHT {
            return Err(ConfigConflict::Idempotence(format!(
                "To use the idempotent producer, max.in.flight.requests.per.connection must be set to \
                 at most {MOST_IN_FLIGHT}. Current value is {}.",
                self.max_in_flight
            )));
        }
        self.enable_idempotence = conflict.is_none();
        Ok(())
    }
}
