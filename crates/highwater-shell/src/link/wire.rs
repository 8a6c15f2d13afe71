//! A session as bytes and back, with checks in between.
//!
//! A header (version, number of inputs, moment and hash of the end, options as `key=value` lines), then the
//! inputs. Behind the header and behind every few inputs stands a check over all before it.

use std::rc::Rc;

use highwater_core::client::partitioner::librdkafka::crc32;
use highwater_core::ids::{BrokerId, TerminalId};
use highwater_core::number;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::{ClusterOptions, OwnSetting};

use super::{LinkError, LinkNote, Opened, SessionLog};
use crate::tool::hw::read_fault;

/// So many inputs share a check.
const INPUTS_A_CHECK: usize = 8;

const LINE: u64 = 0;
const END_OF_INPUT: u64 = 1;
const INTERRUPT: u64 = 2;
const FAULT: u64 = 3;
const KINDS: u64 = 4;

/// A session as bytes.
pub(super) fn write(log: &SessionLog) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text(&log.engine);
    writer.number(log.inputs.len() as u64);
    writer.number(log.until.0);
    writer.bytes.extend_from_slice(&log.trace.to_le_bytes());
    writer.text(&write_options(&log.options));
    writer.check();
    let mut before = SimTime(0);
    for inputs in log.inputs.chunks(INPUTS_A_CHECK) {
        for input in inputs {
            writer.input(input, before);
            before = input.at;
        }
        writer.check();
    }
    writer.bytes
}

fn write_options(options: &ClusterOptions) -> String {
    let mut text = format!(
        "seed={}\nbrokers={}\ntool_start={}\nnetwork_delay={}\n",
        options.seed, options.brokers, options.tool_start.0, options.network_delay.0
    );
    if options.show_quiet_traffic {
        text.push_str("show_quiet_traffic=true\n");
    }
    for (key, value) in options.broker_settings.iter() {
        text.extend(["broker ", key, "=", value, "\n"]);
    }
    // An older version does not know these, says so, and goes on.
    for OwnSetting { broker, key, value } in options.own_settings() {
        text.extend(["own ", &broker.to_string(), " ", key, "=", value, "\n"]);
    }
    text
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    /// Up to where the last check goes, and what it was.
    checked: usize,
    sum: u32,
}

impl Writer {
    fn number(&mut self, value: u64) {
        number::put_unsigned_varint(value, &mut self.bytes);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn input(&mut self, input: &Input, before: SimTime) {
        self.number(input.at.0.saturating_sub(before.0));
        let head = |kind| u64::from(input.terminal.0) * KINDS + kind;
        match &input.kind {
            InputKind::Line(line) => {
                self.number(head(LINE));
                self.text(line);
            }
            InputKind::EndOfInput => self.number(head(END_OF_INPUT)),
            InputKind::Interrupt => self.number(head(INTERRUPT)),
            InputKind::Fault(fault) => {
                self.number(head(FAULT));
                self.text(&fault.get().map(ToString::to_string).unwrap_or_default());
            }
        }
    }

    fn check(&mut self) {
        self.sum = chained(self.sum, self.bytes.get(self.checked..).unwrap_or_default());
        let [one, other, ..] = self.sum.to_le_bytes();
        self.bytes.extend([one, other]);
        self.checked = self.bytes.len();
    }
}

/// A check that covers these bytes and, by the last check, all before them.
fn chained(last: u32, bytes: &[u8]) -> u32 {
    crc32(&[&last.to_le_bytes(), bytes].concat())
}

/// Reads a session, as far as its checks hold.
pub(super) fn read(bytes: &[u8]) -> Result<Opened, LinkError> {
    let mut reader = Reader { bytes, at: 0, checked: 0, sum: 0 };
    let (log, count, notes) = reader.header().ok_or(LinkError::Damaged)?;
    let mut opened = Opened { log, notes };
    let of = u32::try_from(count).unwrap_or(u32::MAX);
    let mut before = SimTime(0);
    while (opened.log.inputs.len() as u64) < count {
        let kept = u32::try_from(opened.log.inputs.len()).unwrap_or(u32::MAX);
        let left = count - u64::from(kept);
        let Some(inputs) = reader.inputs(left.min(INPUTS_A_CHECK as u64), before) else {
            opened.notes.push(LinkNote::Damaged { kept, of });
            break;
        };
        for input in inputs {
            match input {
                Ok(input) => {
                    before = input.at;
                    opened.log.inputs.push(input);
                }
                Err(text) => {
                    let kept = u32::try_from(opened.log.inputs.len()).unwrap_or(u32::MAX);
                    opened.notes.push(LinkNote::UnknownInput { kept, of, text });
                    return Ok(opened);
                }
            }
        }
    }
    Ok(opened)
}

/// Options, and the names of those that are not known.
fn read_options(text: &str) -> Option<(ClusterOptions, Vec<LinkNote>)> {
    let mut options = ClusterOptions::default();
    let (mut settings, mut own, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines() {
        let (key, value) = line.split_once('=')?;
        let number = || number::unsigned(value);
        match key {
            "seed" => options.seed = number()?,
            "brokers" => options.brokers = u32::try_from(number()?).ok()?,
            "tool_start" => options.tool_start = SimDuration(number()?),
            "network_delay" => options.network_delay = SimDuration(number()?),
            "show_quiet_traffic" => options.show_quiet_traffic = value == "true",
            _ => match (key.strip_prefix("broker "), own_key(key)) {
                (Some(key), _) => settings.push((key.to_owned(), value.to_owned())),
                (None, Some((broker, key))) => {
                    let (key, value) = (key.to_owned(), value.to_owned());
                    own.push(OwnSetting { broker, key, value });
                }
                (None, None) => notes.push(LinkNote::UnknownOption(key.to_owned())),
            },
        }
    }
    options.broker_settings = Rc::new(settings);
    Some((options.with_own_settings(own), notes))
}

/// Whose file a line `own N key` stands in, and its key.
fn own_key(text: &str) -> Option<(BrokerId, &str)> {
    let (broker, key) = text.strip_prefix("own ")?.split_once(' ')?;
    Some((BrokerId(number::int(broker)?), key))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    checked: usize,
    sum: u32,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at)?;
        self.at += 1;
        Some(*byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if (bits << shift) >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length)?;
        let text = str::from_utf8(self.bytes.get(self.at..end)?).ok()?;
        self.at = end;
        Some(text.to_owned())
    }

    fn header(&mut self) -> Option<(SessionLog, u64, Vec<LinkNote>)> {
        let engine = self.text()?;
        let count = self.number()?;
        let until = SimTime(self.number()?);
        let end = self.at + 8;
        let trace = u64::from_le_bytes(self.bytes.get(self.at..end)?.try_into().ok()?);
        self.at = end;
        let options = self.text()?;
        self.check()?;
        let (options, notes) = read_options(&options)?;
        Some((SessionLog { engine, options, inputs: Vec::new(), until, trace }, count, notes))
    }

    /// The inputs up to the next check; one that is sound but not known is its text.
    fn inputs(&mut self, count: u64, before: SimTime) -> Option<Vec<Result<Input, String>>> {
        let (mut inputs, mut at) = (Vec::new(), before);
        for _ in 0..count {
            at = SimTime(at.0.checked_add(self.number()?)?);
            let head = self.number()?;
            let terminal = TerminalId(u32::try_from(head / KINDS).ok()?);
            let kind = match head % KINDS {
                LINE => Ok(InputKind::Line(self.text()?)),
                END_OF_INPUT => Ok(InputKind::EndOfInput),
                INTERRUPT => Ok(InputKind::Interrupt),
                _ => {
                    let text = self.text()?;
                    read_fault(&text).map(InputKind::fault).ok_or(text)
                }
            };
            inputs.push(kind.map(|kind| Input { at, terminal, kind }));
        }
        self.check()?;
        Some(inputs)
    }

    fn check(&mut self) -> Option<()> {
        self.sum = chained(self.sum, self.bytes.get(self.checked..self.at)?);
        let [one, other, ..] = self.sum.to_le_bytes();
        let holds = self.byte()? == one && self.byte()? == other;
        self.checked = self.at;
        holds.then_some(())
    }
}
