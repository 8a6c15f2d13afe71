//! `kafka-producer-perf-test.sh`: sends many records and says how fast that went, in virtual time
//! (Kafka's `ProducerPerformance`).

mod arguments;
mod statistics;

use std::rc::Rc;

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, Sent};
use highwater_core::error::ErrorCode;
use highwater_core::ids::{Bytes, ClientId, TopicName};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::scope::Lab;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

#[cfg(feature = "cluster")]
pub(super) use self::arguments::USAGE;
use self::arguments::{Arguments, Throughput};
use self::statistics::Statistics;
use crate::process::Out;
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_TERMINATED};
use crate::tool::options::Problem;
use crate::tool::small::Program;
use crate::tool::{
    Ended, Next, bootstrap, log_line, log_reply, print_cause, producer_settings, refuse,
};

/// What is added to each record: bookkeeping that fills the buffer, too.
const PER_RECORD: u64 = 100;
/// What does not fit into the memory that Kafka's script gives the tool (`-Xmx512M`).
const HEAP_BYTES: u32 = 512 << 20;
/// The longest array that Java makes.
const LONGEST_ARRAY: u32 = 2_147_483_645;
/// The throttle does not sleep less than this (`ThroughputThrottler.MIN_SLEEP_NS`).
const MIN_SLEEP: SimDuration = SimDuration::from_millis(2);

/// What it takes to print an exception. A record that is refused takes no other time, so that a tool whose records
/// are all refused would be done with any number of them in no time.
const EXCEPTION: SimDuration = SimDuration::from_millis(1);

/// The running tool.
#[derive(Clone, Debug)]
struct KafkaProducerPerfTest {
    client: ClientId,
    arguments: Rc<Arguments>,
    topic: TopicName,
    /// What each record says, unless it is a number.
    payload: Bytes,
    statistics: Statistics,
    start: SimTime,
    sent: u64,
    /// When records were sent that wait for their acknowledgement, oldest first, each with how many
    /// were sent at that moment.
    waiting: Vec<(SimTime, u64)>,
    waiting_bytes: u64,
    /// `buffer.memory`: how many bytes may wait for their acknowledgement.
    memory: u64,
    is_closing: bool,
}

/// Starts it.
pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Box<dyn Program>, Ended> {
    let arguments = arguments::read(arguments, out)?;
    let (spec, memory) = producer(&arguments, out)?;
    let payload = payload(arguments.record_size.unwrap_or(0), out)?;
    let mut tool = KafkaProducerPerfTest {
        client: out.open(spec),
        topic: TopicName::new(&arguments.topic),
        payload: Bytes::from(payload),
        statistics: Statistics::new(out.now(), arguments.reporting_interval_ms),
        arguments: Rc::new(arguments),
        start: out.now(),
        sent: 0,
        waiting: Vec::new(),
        waiting_bytes: 0,
        memory,
        is_closing: false,
    };
    tool.send(out);
    Ok(Box::new(tool))
}

impl Program for KafkaProducerPerfTest {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Timer(_) => self.send(out),
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => log_reply(level, text, out),
            ProcessInput::Reply(_, ClientReply::Sent(sent)) => return self.note(sent, out),
            ProcessInput::Reply(_, ClientReply::Closed) => {
                let line = self.statistics.total(out.now());
                out.write(Fd::Stdout, line);
                return Next::Exit(0);
            }
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            _ => {}
        }
        Next::Wait
    }

    fn terminate(&mut self, _out: &mut Out<'_>) -> Next {
        Next::Exit(STATUS_TERMINATED)
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl KafkaProducerPerfTest {
    /// Sends what may be sent now, then sees to it that it goes on.
    fn send(&mut self, out: &mut Out<'_>) {
        let now = out.now();
        let wanted = self.arguments.num_records;
        let due = self.due(now).min(wanted);
        while self.sent < due && self.waiting_bytes < self.memory {
            let value = match self.arguments.record_size {
                Some(_) => Rc::clone(&self.payload),
                None => Bytes::from(self.sent.to_string().into_bytes()),
            };
            self.waiting_bytes += u64::try_from(value.len()).unwrap_or(u64::MAX) + PER_RECORD;
            let record = ProducerRecord {
                topic: self.topic.clone(),
                partition: None,
                key: None,
                value: Some(value),
                headers: Vec::new(),
            };
            out.command(self.client, ClientCommand::Send(Rc::new(record)));
            self.sent += 1;
            match self.waiting.last_mut() {
                Some((at, count)) if *at == now => *count += 1,
                _ => self.waiting.push((now, 1)),
            }
        }
        if self.sent == wanted {
            if !self.is_closing {
                self.is_closing = true;
                out.command(self.client, ClientCommand::Close);
            }
        } else if self.sent == due
            && let Throughput::PerSecond(rate @ 1..) = self.arguments.throughput
        {
            let next = moment(self.sent, rate);
            let wait = SimDuration((self.start + next).0.saturating_sub(now.0));
            out.wait(wait.max(MIN_SLEEP), 0);
        }
    }

    /// How many records may have been sent by now.
    fn due(&self, now: SimTime) -> u64 {
        match self.arguments.throughput {
            Throughput::Unlimited => u64::MAX,
            Throughput::PerSecond(rate) => {
                let elapsed = u128::from(now.0 - self.start.0);
                let count = elapsed * u128::from(rate) / 1_000_000_000;
                u64::try_from(count).unwrap_or(u64::MAX).saturating_add(1)
            }
        }
    }

    /// A record was acknowledged, or failed. Acknowledgements are taken to come in the order of
    /// sending.
    fn note(&mut self, sent: &Sent, out: &mut Out<'_>) -> Next {
        let Some((at, count)) = self.waiting.first_mut() else { return Next::Wait };
        let at = *at;
        *count -= 1;
        if *count == 0 {
            self.waiting.remove(0);
        }
        let size = sent.value_size.unwrap_or(0);
        let was_full = self.waiting_bytes >= self.memory;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(u64::from(size) + PER_RECORD);
        match &sent.result {
            Ok(_) => {
                if let Some(line) = self.statistics.record(at, size, out.now()) {
                    out.write(Fd::Stdout, line);
                }
            }
            Err(error) => {
                let (class, text) = (error.code.exception(), &error.message);
                if error.code == ErrorCode::IllegalArgument {
                    let text = format_args!("Exception in thread \"main\" {class}: {text}");
                    return Next::Exit(refuse(text, 1, out).0);
                }
                out.print(Fd::Stderr, format_args!("{class}: {text}\n"));
                print_cause(sent, out);
            }
        }
        if was_full && self.waiting_bytes < self.memory {
            match &sent.result {
                Ok(_) => self.send(out),
                Err(_) => {
                    let waiting: u64 = self.waiting.iter().map(|(_, count)| count).sum();
                    out.wait(SimDuration(EXCEPTION.0.saturating_mul(waiting + 1)), 0);
                }
            }
        }
        Next::Wait
    }
}

/// When that record is due: so long after the start, at a rate in thousandths a second.
fn moment(record: u64, rate: u64) -> SimDuration {
    let micros = (u128::from(record) * 1_000_000_000).div_ceil(u128::from(rate.max(1)));
    SimDuration(u64::try_from(micros).unwrap_or(u64::MAX))
}

/// What each record says. Real Kafka draws capital letters; which ones matters to nobody.
fn payload(size: u32, out: &mut Out<'_>) -> Result<Vec<u8>, Ended> {
    let problem = match size {
        ..HEAP_BYTES => {
            let alphabet: Vec<u8> = (b'A'..=b'Z').collect();
            let size = usize::try_from(size).unwrap_or(0);
            let mut payload = alphabet.repeat(size.div_ceil(alphabet.len()));
            payload.truncate(size);
            return Ok(payload);
        }
        HEAP_BYTES..=LONGEST_ARRAY => "Java heap space",
        _ => "Requested array size exceeds VM limit",
    };
    let class = "java.lang.OutOfMemoryError";
    Err(refuse(format_args!("Exception in thread \"main\" {class}: {problem}"), 1, out))
}

/// The producer that the settings make, and how much memory it has.
fn producer(arguments: &Arguments, out: &mut Out<'_>) -> Result<(ClientSpec, u64), Ended> {
    let set = |name: &str| {
        let mut all = arguments.properties.iter().rev();
        all.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    };
    let wrong = |problem: Problem, out: &mut Out<'_>| {
        refuse(format_args!("Exception in thread \"main\" {}", problem.stack()), 1, out)
    };
    let mut config = ProducerConfig {
        family: ClientFamily::Java,
        client_id: "perf-producer-client".to_owned(),
        acks: Acks::All,
        linger_ms: 5,
        batch_size: 16_384,
        retries: i32::MAX.unsigned_abs(),
        delivery: Lab::new(Delivery::of(ClientFamily::Java)),
    };
    // The first setting that `ProducerConfig` defines, so that it is missed before another is wrong.
    let Some(servers) = set("bootstrap.servers").map(str::to_owned) else {
        return Err(wrong(bootstrap::missing(), out));
    };
    let warnings = producer_settings::apply(&mut config, &arguments.properties)
        .map_err(|problem| wrong(problem, out))?;
    if let Some(problem) = bootstrap::gap(&servers) {
        return Err(wrong(problem, out));
    }
    if !bootstrap::is_valid(&servers) {
        let text = "Exception in thread \"main\" org.apache.kafka.common.KafkaException: Failed to \
            construct kafka producer";
        return Err(refuse(format_args!("{text}"), 1, out));
    }
    for text in warnings {
        log_line("WARN", format_args!("{text}"), out);
    }
    let memory = config.delivery.get().map_or(0, |delivery| delivery.buffer_memory);
    Ok((ClientSpec::Producer { bootstrap: servers, config }, memory))
}
