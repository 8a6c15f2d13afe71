//! Kafka's deserializers, as far as the console consumer shows what they read: the text that Java
//! makes of the value, or the exception.

/// What reading bytes may throw: the class and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// The class, with its package.
    pub class: &'static str,
    /// The text, with the line about what caused it, if any.
    pub text: String,
}

const SERIALIZATION: &str = "org.apache.kafka.common.errors.SerializationException";

/// One of `org.apache.kafka.common.serialization`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deserializer {
    /// One byte, 0 or 1.
    Boolean,
    /// The bytes as they are, a Java array.
    ByteArray,
    /// The bytes as they are, with a position in them.
    ByteBuffer,
    /// The bytes as they are, shown as text where they can be.
    Bytes,
    /// A floating-point number of eight bytes.
    Double,
    /// A floating-point number of four bytes.
    Float,
    /// A whole number of four bytes.
    Integer,
    /// A whole number of eight bytes.
    Long,
    /// A whole number of two bytes.
    Short,
    /// Text in UTF-8.
    String,
    /// An id, as text.
    Uuid,
    /// Nothing at all.
    Void,
}

/// Each with its name.
const CLASSES: &[(&str, Deserializer)] = &[
    ("BooleanDeserializer", Deserializer::Boolean),
    ("ByteArrayDeserializer", Deserializer::ByteArray),
    ("ByteBufferDeserializer", Deserializer::ByteBuffer),
    ("BytesDeserializer", Deserializer::Bytes),
    ("DoubleDeserializer", Deserializer::Double),
    ("FloatDeserializer", Deserializer::Float),
    ("IntegerDeserializer", Deserializer::Integer),
    ("LongDeserializer", Deserializer::Long),
    ("ShortDeserializer", Deserializer::Short),
    ("StringDeserializer", Deserializer::String),
    ("UUIDDeserializer", Deserializer::Uuid),
    ("VoidDeserializer", Deserializer::Void),
];

impl Deserializer {
    /// The one with that full class name.
    pub(crate) fn of_class(class: &str) -> Option<Self> {
        let name = class.strip_prefix("org.apache.kafka.common.serialization.")?;
        CLASSES.iter().find(|(known, _)| *known == name).map(|(_, deserializer)| *deserializer)
    }

    /// What Java prints of the value in these bytes.
    ///
    /// # Errors
    /// What the deserializer throws.
    pub fn text(self, bytes: &[u8]) -> Result<Vec<u8>, Thrown> {
        let text = match self {
            Self::Boolean => match bytes {
                [0] => "false".to_owned(),
                [1] => "true".to_owned(),
                [other] => {
                    let other = i8::from_be_bytes([*other]);
                    return Err(serialization(format!(
                        "Unexpected byte received by BooleanDeserializer: {other}"
                    )));
                }
                _ => return Err(wrong_size("BooleanDeserializer", 1)),
            },
            Self::Short => i16::from_be_bytes(sized("ShortDeserializer", bytes)?).to_string(),
            Self::Integer => i32::from_be_bytes(sized("IntegerDeserializer", bytes)?).to_string(),
            Self::Long => i64::from_be_bytes(sized("LongDeserializer", bytes)?).to_string(),
            Self::Float => java_float(f32::from_be_bytes(sized("Deserializer", bytes)?)),
            Self::Double => java_double(f64::from_be_bytes(sized("Deserializer", bytes)?)),
            Self::String => String::from_utf8_lossy(bytes).into_owned(),
            Self::Bytes => return Ok(escaped(bytes)),
            // A Java array has no text of its own: its class and a number that differs each time.
            Self::ByteArray => format!("[B@{:x}", identity(bytes)),
            Self::ByteBuffer => {
                let length = bytes.len();
                format!("java.nio.HeapByteBuffer[pos=0 lim={length} cap={length}]")
            }
            Self::Uuid => uuid(&String::from_utf8_lossy(bytes))?,
            Self::Void => {
                return Err(Thrown {
                    class: "java.lang.IllegalArgumentException",
                    text: "Data should be null for a VoidDeserializer.".to_owned(),
                });
            }
        };
        Ok(text.into_bytes())
    }
}

fn serialization(text: String) -> Thrown {
    Thrown { class: SERIALIZATION, text }
}

fn wrong_size(name: &str, size: usize) -> Thrown {
    serialization(format!("Size of data received by {name} is not {size}"))
}

fn sized<const N: usize>(name: &str, bytes: &[u8]) -> Result<[u8; N], Thrown> {
    bytes.try_into().map_err(|_| wrong_size(name, N))
}

/// Any number will do, but the same in each run.
fn identity(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x1b2c_3d4e, |hash: u32, byte| {
        hash.rotate_left(5).wrapping_mul(31).wrapping_add(u32::from(*byte)) & 0x7fff_ffff
    })
}

/// `Bytes.toString`: what is not printable ASCII as `\x` and two digits.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in bytes {
        if (b' '..=b'~').contains(&byte) && byte != b'\\' {
            text.push(byte);
        } else {
            text.extend(format!("\\x{byte:02X}").into_bytes());
        }
    }
    text
}

/// `UUID.fromString`, and back to text.
fn uuid(text: &str) -> Result<String, Thrown> {
    let bad = || {
        serialization(format!(
            "Error parsing data into UUID\nCaused by: java.lang.IllegalArgumentException: Invalid UUID \
             string: {text}"
        ))
    };
    let parts: Vec<&str> = text.split('-').collect();
    let widths = [8, 4, 4, 4, 12];
    if parts.len() != widths.len() || text.len() > 36 {
        return Err(bad());
    }
    let mut whole = Vec::new();
    for (part, width) in parts.iter().zip(widths) {
        let is_hex = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex {
            return Err(bad());
        }
        // Short groups are filled up, of long ones the last digits count.
        let kept = &part[part.len().saturating_sub(width)..];
        whole.push(format!("{:0>width$}", kept.to_ascii_lowercase()));
    }
    Ok(whole.join("-"))
}

/// `Double.toString`.
fn java_double(value: f64) -> String {
    if value.is_finite() { java_decimal(&format!("{value:e}")) } else { java_special(value) }
}

/// `Float.toString`.
fn java_float(value: f32) -> String {
    if value.is_finite() {
        java_decimal(&format!("{value:e}"))
    } else {
        java_special(f64::from(value))
    }
}

fn java_special(value: f64) -> String {
    let name = if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    };
    name.to_owned()
}

/// Java writes numbers from 10^-3 up to 10^7 plainly and others with an exponent, and always with a
/// digit after the point. `scientific` are the fewest digits that tell the number, as `1.5e-7`.
fn java_decimal(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    if digits == "0" {
        return format!("{sign}0.0");
    }
    let fraction = |rest: &str| if rest.is_empty() { "0".to_owned() } else { rest.to_owned() };
    match usize::try_from(exponent) {
        Ok(whole) if exponent < 7 => {
            let padded = format!("{digits:0<width$}", width = whole + 1);
            let (left, right) = padded.split_at(whole + 1);
            format!("{sign}{left}.{}", fraction(right))
        }
        _ if (-3..0).contains(&exponent) => {
            let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
            format!("{sign}0.{zeros}{digits}")
        }
        _ => format!("{sign}{}.{}E{exponent}", &digits[..1], fraction(&digits[1..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Numbers have Java's text, at the bounds of plain notation too.
    #[test]
    fn numbers() {
        for (value, text) in [
            (1.0, "1.0"),
            (100.0, "100.0"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (1.25e10, "1.25E10"),
            (0.001, "0.001"),
            (0.000_999, "9.99E-4"),
            (-0.0, "-0.0"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(java_double(value), text);
        }
        assert_eq!(java_float(0.1), "0.1");
        assert_eq!(java_float(1e-10), "1.0E-10");
    }

    /// Whatever the bytes, there is a text or an exception; wrong sizes are exceptions.
    #[test]
    fn any_bytes() {
        for (_, deserializer) in CLASSES {
            for length in 0..40u8 {
                for filler in [0, 1, b'-', b'a', 0x7f, 0x80, 0xff] {
                    let bytes = vec![filler; usize::from(length)];
                    let _ = deserializer.text(&bytes);
                }
            }
        }
        let thrown = Deserializer::Long.text(b"1234567").expect_err("seven bytes are no long");
        assert_eq!(thrown.text, "Size of data received by LongDeserializer is not 8");
        assert!(Deserializer::of_class("LongDeserializer").is_none());
    }
}
