//! Whole numbers in `$(( ))`, by bash's rules: 64 bits that wrap, C's operators and their order.
//!
//! Decides the value of a text. Assignments inside are refused; they would change variables while
//! words are expanded.

use highwater_core::number;

use super::ast::Part;
use super::expand::Scope;

/// So many brackets, signs and names that stand for names may be open at once.
const DEPTH_MAX: usize = 60;

/// Operators of two sides, those that bind least first. A longer one stands before its beginning.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// What of an operator's text belongs to a longer operator.
const LONGER: &[(&str, &str)] =
    &[("|", "||"), ("&", "&&"), ("<", "<<"), (">", ">>"), ("*", "**"), ("<", "<="), (">", ">=")];

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    /// From the token taken last on.
    last: &'a str,
    scope: &'a dyn Scope,
    depth: usize,
}

/// The value of an expression whose `$` are expanded; an empty one is 0.
pub(super) fn evaluate(text: &[u8], scope: &dyn Scope) -> Result<i64, String> {
    value_of(&String::from_utf8_lossy(text), scope, 0)
}

fn value_of(text: &str, scope: &dyn Scope, depth: usize) -> Result<i64, String> {
    let mut reader = Reader { text, rest: text, last: text, scope, depth };
    reader.skip_blanks();
    if reader.rest.is_empty() {
        return Ok(0);
    }
    let mut value = reader.choice()?;
    while reader.eat(",") {
        value = reader.choice()?;
    }
    if !reader.rest.is_empty() {
        let what = if reader.rest.starts_with('=') || reader.rest[1..].starts_with('=') {
            "assignments in $(( )) are not understood here"
        } else {
            "syntax error in expression"
        };
        return Err(reader.error(what));
    }
    Ok(value)
}

impl Reader<'_> {
    fn error(&self, what: &str) -> String {
        let token = if self.rest.is_empty() { self.last } else { self.rest };
        format!("{}: {what} (error token is \"{token}\")", self.text)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '"']);
    }

    fn eat(&mut self, token: &str) -> bool {
        let is_longer =
            |(short, long): &(&str, &str)| *short == token && self.rest.starts_with(long);
        let found = self.rest.starts_with(token) && !LONGER.iter().any(is_longer);
        if found {
            self.last = self.rest;
            self.rest = &self.rest[token.len()..];
            self.skip_blanks();
        }
        found
    }

    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error("expression recursion level exceeded"));
        }
        Ok(())
    }

    /// `a ? b : c`.
    fn choice(&mut self) -> Result<i64, String> {
        self.enter()?;
        let condition = self.binary(0)?;
        let value = if self.eat("?") {
            let yes = self.choice()?;
            if !self.eat(":") {
                return Err(self.error("`:' expected for conditional expression"));
            }
            let no = self.choice()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else { return self.power() };
        let mut left = self.binary(level + 1)?;
        'next: loop {
            for operator in *operators {
                let here = self.rest;
                if self.eat(operator) {
                    if self.rest.starts_with('=')
                        && !"=!<>".contains(&operator[operator.len() - 1..])
                    {
                        self.rest = here;
                        return Ok(left);
                    }
                    let token = self.rest;
                    let right = self.binary(level + 1)?;
                    left = match apply(operator, left, right) {
                        Some(value) => value,
                        None => {
                            self.rest = token;
                            return Err(self.error("division by 0"));
                        }
                    };
                    continue 'next;
                }
            }
            return Ok(left);
        }
    }

    fn power(&mut self) -> Result<i64, String> {
        let base = self.unary()?;
        if !self.eat("**") {
            return Ok(base);
        }
        self.enter()?;
        let token = self.rest;
        let exponent = self.power()?;
        self.depth -= 1;
        match u64::try_from(exponent) {
            Ok(exponent) => Ok(power(base, exponent)),
            Err(_) => {
                self.rest = token;
                Err(self.error("exponent less than 0"))
            }
        }
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.enter()?;
        let value = if self.eat("!") {
            i64::from(self.unary()? == 0)
        } else if self.eat("~") {
            !self.unary()?
        } else if self.eat("-") {
            self.unary()?.wrapping_neg()
        } else if self.eat("+") {
            self.unary()?
        } else {
            self.operand()?
        };
        self.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self) -> Result<i64, String> {
        if self.eat("(") {
            let mut value = self.choice()?;
            while self.eat(",") {
                value = self.choice()?;
            }
            if !self.eat(")") {
                return Err(self.error("missing `)'"));
            }
            return Ok(value);
        }
        let length =
            self.rest.bytes().take_while(|byte| Part::is_name_byte(*byte) || *byte == b'#');
        let (word, rest) = self.rest.split_at(length.count());
        if word.is_empty() {
            return Err(self.error("syntax error: operand expected"));
        }
        let value = if word.starts_with(|first: char| first.is_ascii_digit()) {
            constant(word).map_err(|what| self.error(what))?
        } else {
            let value = self.scope.variable(word).unwrap_or_default();
            value_of(&String::from_utf8_lossy(value), self.scope, self.depth)?
        };
        self.rest = rest;
        self.skip_blanks();
        Ok(value)
    }
}

/// A number: decimal, octal after 0, hexadecimal after 0x, or `base#digits`.
fn constant(word: &str) -> Result<i64, &'static str> {
    let (base, digits) = if let Some(digits) = word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        (16, digits)
    } else if let Some((base, digits)) = word.split_once('#') {
        let base = number::unsigned(base).filter(|base| (2..=64).contains(base));
        (base.ok_or("invalid arithmetic base")?, digits)
    } else if word.len() > 1 && word.starts_with('0') {
        (8, &word[1..])
    } else {
        (10, word)
    };
    let mut value: i64 = 0;
    for byte in digits.bytes() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'z' => byte - b'a' + 10,
            b'A'..=b'Z' if base <= 36 => byte - b'A' + 10,
            b'A'..=b'Z' => byte - b'A' + 36,
            b'@' => 62,
            _ => 63,
        };
        if u64::from(digit) >= base {
            return Err("value too great for base");
        }
        value = value.wrapping_mul(base as i64).wrapping_add(i64::from(digit));
    }
    Ok(value)
}

fn power(mut base: i64, mut exponent: u64) -> i64 {
    let mut value: i64 = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            value = value.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    value
}

/// One operator; `None`: division by 0.
fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    // A shift takes the low six bits, as the machine does.
    let shift = (right & 63) as u32;
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<<" => left.wrapping_shl(shift),
        ">>" => left.wrapping_shr(shift),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" | "%" if right == 0 => return None,
        "/" => left.wrapping_div(right),
        _ => left.wrapping_rem(right),
    })
}
