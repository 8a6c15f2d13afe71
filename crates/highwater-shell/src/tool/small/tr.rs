//! `tr`: other bytes for bytes; `-d` leaves them out, `-s` makes one of several alike.

use crate::process::Out;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "tr",
    short: "cCdst",
    long: &[
        ("complement", b'c'),
        ("delete", b'd'),
        ("squeeze-repeats", b's'),
        ("truncate-set1", b't'),
    ],
    status: 1,
};

#[derive(Clone, Debug)]
struct Tr {
    /// What each byte becomes; `None`: it is left out.
    map: Vec<Option<u8>>,
    /// Whether each byte is written once where it is repeated.
    squeezes: Vec<bool>,
    last: Option<u8>,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let (deletes, squeezes) = (given.has(b'd'), given.has(b's'));
    let wanted = if deletes == squeezes { 2 } else { 1 };
    let most = if deletes && !squeezes { 1 } else { 2 };
    let operands = &given.operands;
    let missing = |text: String, out: &mut Out<'_>| Err(KNOWN.wrong(format_args!("{text}"), out));
    if operands.is_empty() {
        return missing("missing operand".to_owned(), out);
    }
    if operands.len() < wanted {
        let why = if deletes {
            "Two strings must be given when both deleting and squeezing repeats."
        } else {
            "Two strings must be given when translating."
        };
        return missing(format!("missing operand after {}\n{why}", quoted(&operands[0])), out);
    }
    if operands.len() > most {
        let mut text = format!("extra operand {}", quoted(&operands[most]));
        if deletes && !squeezes && operands.len() == 2 {
            text.push_str(
                "\nOnly one string may be given when deleting without squeezing repeats.",
            );
        }
        return missing(text, out);
    }
    let complement = given.has(b'c') || given.has(b'C');
    let sets: Result<Vec<Set>, String> = operands.iter().map(|text| Set::read(text)).collect();
    let tr = sets.and_then(|sets| Tr::new(&sets, complement, deletes, squeezes, given.has(b't')));
    match tr {
        Ok(tr) => pump::start("tr", Box::new(tr), &[], out),
        Err(why) => Err(crate::tool::refuse(format_args!("tr: {why}"), 1, out)),
    }
}

/// The bytes of a set, in order.
#[derive(Debug, Default)]
struct Set {
    bytes: Vec<u8>,
    /// Where `[x*]` is filled up to the length of the other set: the place and the byte.
    fill: Option<(usize, u8)>,
}

impl Set {
    fn read(text: &[u8]) -> Result<Self, String> {
        let mut set = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = set.bracket(rest)? {
                rest = after;
                continue;
            }
            let (low, taken) = character(rest);
            rest = &rest[taken..];
            if rest.len() > 1 && rest[0] == b'-' {
                let (high, taken) = character(&rest[1..]);
                rest = &rest[1 + taken..];
                if low > high {
                    let range = [low, b'-', high];
                    let range = String::from_utf8_lossy(&range).into_owned();
                    return Err(format!(
                        "range-endpoints of '{range}' are in reverse collating sequence order"
                    ));
                }
                set.bytes.extend(low..=high);
            } else {
                set.bytes.push(low);
            }
        }
        Ok(set)
    }

    /// `[:class:]` and `[x*n]`; gives what follows, `None` if this is neither.
    fn bracket<'a>(&mut self, text: &'a [u8]) -> Result<Option<&'a [u8]>, String> {
        if let Some(inner) = text.strip_prefix(b"[:") {
            let end = inner.windows(2).position(|two| two == b":]");
            if let Some(end) = end {
                let name = &inner[..end];
                let class = class(name)
                    .ok_or_else(|| format!("invalid character class {}", quoted(name)))?;
                self.bytes.extend((0..=255).filter(class));
                return Ok(Some(&inner[end + 2..]));
            }
        }
        let Some(inner) = text.strip_prefix(b"[").filter(|inner| inner.len() > 2) else {
            return Ok(None);
        };
        let (byte, taken) = character(inner);
        let Some(after) = inner[taken..].strip_prefix(b"*") else { return Ok(None) };
        let Some(end) = after.iter().position(|byte| *byte == b']') else { return Ok(None) };
        let digits = String::from_utf8_lossy(&after[..end]).into_owned();
        let radix = if digits.starts_with('0') { 8 } else { 10 };
        match usize::from_str_radix(&digits, radix) {
            _ if digits.is_empty() => self.fill = Some((self.bytes.len(), byte)),
            Ok(0) => self.fill = Some((self.bytes.len(), byte)),
            Ok(count) => self.bytes.resize(self.bytes.len() + count.min(1 << 16), byte),
            Err(_) => return Ok(None),
        }
        Ok(Some(&after[end + 1..]))
    }

    /// The bytes, with what is to be filled up filled up to this length.
    fn filled(&self, length: usize) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        if let Some((place, byte)) = self.fill {
            let count = length.saturating_sub(bytes.len());
            bytes.splice(place..place, std::iter::repeat_n(byte, count));
        }
        bytes
    }
}

/// One character of a set, and the bytes it takes.
fn character(text: &[u8]) -> (u8, usize) {
    let Some(b'\\') = text.first() else { return (text[0], 1) };
    let Some(next) = text.get(1) else { return (b'\\', 1) };
    let byte = match next {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'0'..=b'7' => {
            let digits = text[1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let count = digits.clone().count();
            let value = digits.fold(0u32, |sum, digit| sum * 8 + u32::from(digit - b'0'));
            return ((value & 0xff) as u8, 1 + count);
        }
        other => *other,
    };
    (byte, 2)
}

/// Which bytes a class has.
fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | 0x09..=0x0d),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

impl Tr {
    fn new(
        sets: &[Set],
        complement: bool,
        deletes: bool,
        squeezes: bool,
        truncates: bool,
    ) -> Result<Self, String> {
        let mut first = sets.first().map(|set| set.bytes.clone()).unwrap_or_default();
        if complement {
            let given = first;
            first = (0..=255).filter(|byte| !given.contains(byte)).collect();
        }
        let mut map: Vec<Option<u8>> = (0..=255).map(Some).collect();
        let mut second = sets.get(1).map(|set| set.filled(first.len()));
        if deletes {
            for byte in &first {
                map[usize::from(*byte)] = None;
            }
        } else if let Some(second) = &mut second {
            if truncates {
                first.truncate(second.len());
            }
            match second.last() {
                Some(last) => second.resize(second.len().max(first.len()), *last),
                None if first.is_empty() => {}
                None => {
                    return Err("when not truncating set1, string2 must be non-empty".to_owned());
                }
            }
            for (from, to) in first.iter().zip(second.iter()) {
                map[usize::from(*from)] = Some(*to);
            }
        }
        let mut squeezed = vec![false; 256];
        if squeezes {
            for byte in second.as_ref().unwrap_or(&first) {
                squeezed[usize::from(*byte)] = true;
            }
        }
        Ok(Self { map, squeezes: squeezed, last: None })
    }
}

impl Filter for Tr {
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        for byte in bytes {
            let Some(Some(byte)) = self.map.get(usize::from(*byte)).copied() else { continue };
            if self.last == Some(byte) && self.squeezes[usize::from(byte)] {
                continue;
            }
            self.last = Some(byte);
            out.push(byte);
        }
        Flow::More
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
