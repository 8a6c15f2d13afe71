//! Whether RE2 takes a regular expression, and what it says otherwise (`--validate-regex`, which asks
//! the library re2j). Nothing is searched for with it.

use std::iter::Peekable;
use std::str::Chars;

/// What RE2 says against the expression.
pub(super) fn complaint(regex: &str) -> Option<&'static str> {
    Reader { rest: regex.chars().peekable(), groups: Vec::new(), names: Vec::new() }.read().err()
}

const MISSING_PARENTHESIS: &str = "missing closing )";
const MISSING_BRACKET: &str = "missing closing ]";
const MISSING_ARGUMENT: &str = "missing argument to repetition operator";
const NESTED_REPETITION: &str = "invalid nested repetition operator";
const REPEAT_COUNT: &str = "invalid repeat count";
const PERL_SYNTAX: &str = "invalid or unsupported Perl syntax";
const NAMED_CAPTURE: &str = "invalid named capture";
const NAME_TWICE: &str = "duplicate capture group name";
const TRAILING_BACKSLASH: &str = "trailing backslash at end of expression";
const ESCAPE: &str = "invalid escape sequence";
const CLASS_RANGE: &str = "invalid character class range";
/// What re2j says of a parenthesis that closes nothing.
const INTERNAL: &str = "regexp/syntax: internal error";

/// How often something may be repeated.
const MOST_REPEATS: u32 = 1_000;

/// General categories of Unicode, and the scripts that are known here.
const PROPERTIES: &str = " Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po \
     Ps S Sc Sk Sm So Z Zl Zp Zs Arabic Armenian Bengali Bopomofo Braille Cherokee Common Coptic \
     Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana \
     Inherited Kannada Katakana Khmer Lao Latin Malayalam Mongolian Myanmar Ogham Oriya Runic \
     Sinhala Syriac Tamil Telugu Thaana Thai Tibetan ";

/// POSIX's names of classes.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

type Checked<T = ()> = Result<T, &'static str>;

/// What stands before the place where the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that can be repeated.
    Nothing,
    /// Something that can.
    Atom,
    /// A repetition.
    Repetition,
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// Open groups, each with what stood before it.
    groups: Vec<Before>,
    names: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self) -> Checked {
        let mut before = Before::Nothing;
        while let Some(next) = self.rest.next() {
            before = match next {
                '(' => self.open(before)?,
                ')' => {
                    self.groups.pop().ok_or(INTERNAL)?;
                    Before::Atom
                }
                '|' => Before::Nothing,
                '[' => {
                    self.class()?;
                    Before::Atom
                }
                '*' | '+' | '?' => self.repeat(before)?,
                '{' => match self.counts() {
                    None => Before::Atom,
                    Some((least, most)) => {
                        let is_too_much = |count: u32| count > MOST_REPEATS;
                        if is_too_much(least)
                            || most.is_some_and(|most| most < least || is_too_much(most))
                        {
                            return Err(REPEAT_COUNT);
                        }
                        self.repeat(before)?
                    }
                },
                '\\' => self.escape()?,
                _ => Before::Atom,
            };
        }
        if self.groups.is_empty() { Ok(()) } else { Err(MISSING_PARENTHESIS) }
    }

    /// A repetition, perhaps a lazy one.
    fn repeat(&mut self, before: Before) -> Checked<Before> {
        match before {
            Before::Nothing => Err(MISSING_ARGUMENT),
            Before::Repetition => Err(NESTED_REPETITION),
            Before::Atom => {
                self.rest.next_if_eq(&'?');
                Ok(Before::Repetition)
            }
        }
    }

    /// The rest of `{2}`, `{2,}` or `{2,3}`; `None`: it is none, and the brace means itself.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.rest.clone();
        let least = number(&mut ahead)?;
        let mut most = Some(least);
        if ahead.next_if_eq(&',').is_some() {
            most = if ahead.peek() == Some(&'}') { None } else { Some(number(&mut ahead)?) };
        }
        ahead.next_if_eq(&'}')?;
        self.rest = ahead;
        Some((least, most))
    }

    /// What follows a parenthesis: a group, or flags for what comes.
    fn open(&mut self, before: Before) -> Checked<Before> {
        if self.rest.next_if_eq(&'?').is_none() {
            self.groups.push(before);
            return Ok(Before::Nothing);
        }
        let mut ahead = self.rest.clone();
        let has_name = match ahead.next() {
            Some('P') => ahead.next_if_eq(&'<').is_some(),
            Some('<') => !matches!(ahead.peek(), Some('=' | '!')),
            _ => false,
        };
        if has_name {
            self.rest = ahead;
            self.name()?;
            self.groups.push(before);
            return Ok(Before::Nothing);
        }
        self.flags(before)
    }

    fn name(&mut self) -> Checked {
        let mut name = String::new();
        loop {
            match self.rest.next() {
                Some('>') if !name.is_empty() => break,
                Some(next) if next.is_ascii_alphanumeric() || next == '_' => name.push(next),
                _ => return Err(NAMED_CAPTURE),
            }
        }
        if self.names.contains(&name) {
            return Err(NAME_TWICE);
        }
        self.names.push(name);
        Ok(())
    }

    /// Flags, as in `(?i-s)` and `(?i:`.
    fn flags(&mut self, before: Before) -> Checked<Before> {
        let (mut is_off, mut has_flag) = (false, false);
        loop {
            match self.rest.next() {
                Some('i' | 'm' | 's' | 'U') => has_flag = true,
                Some('-') if !is_off => (is_off, has_flag) = (true, false),
                Some(':') if has_flag || !is_off => {
                    self.groups.push(before);
                    return Ok(Before::Nothing);
                }
                Some(')') if has_flag || !is_off => return Ok(before),
                _ => return Err(PERL_SYNTAX),
            }
        }
    }

    /// What follows a backslash outside of a class.
    fn escape(&mut self) -> Checked<Before> {
        let Some(next) = self.rest.peek().copied() else { return Err(TRAILING_BACKSLASH) };
        match next {
            'A' | 'b' | 'B' | 'z' | 'C' | 'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                self.rest.next();
                if next == 'C' { Err(ESCAPE) } else { Ok(Before::Atom) }
            }
            'Q' => {
                self.rest.next();
                self.literal();
                Ok(Before::Atom)
            }
            'p' | 'P' => {
                self.rest.next();
                self.property()?;
                Ok(Before::Atom)
            }
            _ => self.character().map(|_| Before::Atom),
        }
    }

    /// The rest of `\Q...\E`.
    fn literal(&mut self) {
        while let Some(next) = self.rest.next() {
            if next == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return;
            }
        }
    }

    /// The rest of `\pL` or `\p{Lu}`.
    fn property(&mut self) -> Checked {
        let mut name = String::new();
        match self.rest.next() {
            Some('{') => loop {
                match self.rest.next() {
                    Some('}') => break,
                    Some(next) => name.push(next),
                    None => return Err(CLASS_RANGE),
                }
            },
            Some(next) => name.push(next),
            None => return Err(CLASS_RANGE),
        }
        let name = name.strip_prefix('^').unwrap_or(&name);
        let is_known = !name.is_empty() && PROPERTIES.contains(&[" ", name, " "].concat());
        if is_known { Ok(()) } else { Err(CLASS_RANGE) }
    }

    /// One character that is written with a backslash, which has been read.
    fn character(&mut self) -> Checked<u32> {
        let Some(next) = self.rest.next() else { return Err(TRAILING_BACKSLASH) };
        match next {
            '1'..='7' if !matches!(self.rest.peek(), Some('0'..='7')) => Err(ESCAPE),
            '0'..='7' => {
                let mut value = u32::from(next) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = self.rest.next_if(|digit| ('0'..='7').contains(digit)) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit) - u32::from('0');
                }
                Ok(value)
            }
            'x' => self.hexadecimal(),
            'a' => Ok(7),
            'f' => Ok(12),
            'n' => Ok(10),
            'r' => Ok(13),
            't' => Ok(9),
            'v' => Ok(11),
            _ if next.is_ascii() && !next.is_ascii_alphanumeric() => Ok(next.into()),
            _ => Err(ESCAPE),
        }
    }

    fn hexadecimal(&mut self) -> Checked<u32> {
        let mut value = 0u32;
        let is_long = self.rest.next_if_eq(&'{').is_some();
        let mut count = 0;
        loop {
            match self.rest.next() {
                Some('}') if is_long && count > 0 => return Ok(value),
                Some(next) => {
                    value = value * 16 + next.to_digit(16).ok_or(ESCAPE)?;
                    count += 1;
                }
                None => return Err(ESCAPE),
            }
            if value > 0x10_ffff {
                return Err(ESCAPE);
            }
            if !is_long && count == 2 {
                return Ok(value);
            }
        }
    }

    /// The rest of a class, as `[^a-z\d[:alpha:]]`.
    fn class(&mut self) -> Checked {
        self.rest.next_if_eq(&'^');
        let mut is_first = true;
        loop {
            match self.rest.peek() {
                None => return Err(MISSING_BRACKET),
                Some(']') if !is_first => break,
                _ => self.range()?,
            }
            is_first = false;
        }
        self.rest.next();
        Ok(())
    }

    /// One part of a class.
    fn range(&mut self) -> Checked {
        let mut ahead = self.rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('['), Some(':')) => {
                let text: String = ahead.clone().collect();
                if let Some((name, _)) = text.split_once(":]") {
                    if !CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
                        return Err(CLASS_RANGE);
                    }
                    for _ in 0..name.chars().count() + 4 {
                        self.rest.next();
                    }
                    return Ok(());
                }
            }
            (Some('\\'), Some('p' | 'P')) => {
                self.rest = ahead;
                return self.property();
            }
            (Some('\\'), Some('d' | 'D' | 's' | 'S' | 'w' | 'W')) => {
                self.rest = ahead;
                return Ok(());
            }
            _ => {}
        }
        let low = self.class_character()?;
        let mut ahead = self.rest.clone();
        if ahead.next() == Some('-') && !matches!(ahead.peek(), Some(']')) {
            self.rest = ahead;
            if self.class_character()? < low {
                return Err(CLASS_RANGE);
            }
        }
        Ok(())
    }

    fn class_character(&mut self) -> Checked<u32> {
        match self.rest.next() {
            None => Err(MISSING_BRACKET),
            Some('\\') => self.character(),
            Some(next) => Ok(next.into()),
        }
    }
}

/// A whole number without zeros in front; what is too large is as good as any.
fn number(rest: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let first = rest.next_if(char::is_ascii_digit)?;
    let mut value = first.to_digit(10)?;
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        if first == '0' {
            return None;
        }
        value = value.saturating_mul(10).saturating_add(digit.to_digit(10)?);
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// What is fine.
    #[test]
    fn fine() {
        for regex in [
            "",
            "t.*",
            "a|b|",
            "(a|(b))*?",
            "^*$",
            "a{2,}?",
            "a{x",
            "a{,2}",
            "a{1000}",
            "[]a]",
            "[a-]",
            "[^\\d\\pL[:alpha:]-]",
            "\\x{10FFFF}\\012\\t\\.",
            "(?i)a(?-s:b)",
            "(?P<n>a)(?<m>b)",
            "\\Q*(\\E",
            "\\Q\\",
            "x*|y+",
            "\\p{^Greek}",
            "[[:x]",
        ] {
            assert_eq!(complaint(regex), None, "{regex}");
        }
    }

    /// What is not; the first words of each kind are recorded (group-options.console).
    #[test]
    fn refused() {
        for (regex, expected) in [
            ("(*a)", MISSING_ARGUMENT),
            ("a|*", MISSING_ARGUMENT),
            ("a*?*", NESTED_REPETITION),
            ("a{2,1}", REPEAT_COUNT),
            ("a{1001}", REPEAT_COUNT),
            ("(?i-)a", PERL_SYNTAX),
            ("(?", PERL_SYNTAX),
            ("(?<=a)b", PERL_SYNTAX),
            ("\\8", ESCAPE),
            ("\\1", ESCAPE),
            ("\\xg0", ESCAPE),
            ("\\x{110000}", ESCAPE),
            ("[a-\\d]", ESCAPE),
            ("[a-", MISSING_BRACKET),
            ("[]", MISSING_BRACKET),
            ("((a)", MISSING_PARENTHESIS),
        ] {
            assert_eq!(complaint(regex), Some(expected), "{regex}");
        }
    }
}
