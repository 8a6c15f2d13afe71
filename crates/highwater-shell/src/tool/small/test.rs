//! `test` and `[`: conditions about strings, whole numbers and files, as bash's own.

use highwater_core::number;
use highwater_core::world::files::FileKind;

use crate::process::Out;
use crate::tool::{Ended, refuse};

/// Words still to be read.
struct Reader<'a, 'w> {
    words: &'a [Vec<u8>],
    out: &'a Out<'w>,
}

pub(super) fn run(name: &str, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let words = match (name, arguments.split_last()) {
        ("[", Some((last, words))) if last == b"]" => words,
        ("[", _) => return refuse(format_args!("bash: [: missing `]'"), 2, out),
        _ => arguments,
    };
    match evaluate(words, out) {
        Ok(holds) => Ended(u8::from(!holds)),
        Err(why) => refuse(format_args!("bash: {name}: {why}"), 2, out),
    }
}

/// By the number of words, as POSIX has it, so that any word may be an operand.
fn evaluate(words: &[Vec<u8>], out: &Out<'_>) -> Result<bool, String> {
    match words {
        [] => Ok(false),
        [one] => Ok(!one.is_empty()),
        [not, one] if not == b"!" => Ok(one.is_empty()),
        [operator, operand] => unary(operator, operand, out),
        [left, operator, right] if is_binary(operator) => binary(left, operator, right),
        [not, rest @ ..] if not == b"!" && rest.len() < 4 => Ok(!evaluate(rest, out)?),
        [open, one, close] if open == b"(" && close == b")" => Ok(!one.is_empty()),
        [open, rest @ .., close] if open == b"(" && close == b")" && rest.len() == 2 => {
            evaluate(rest, out)
        }
        [_, operator, _] => {
            let operator = String::from_utf8_lossy(operator);
            Err(format!("{operator}: binary operator expected"))
        }
        words => {
            let mut reader = Reader { words, out };
            let holds = reader.any(0)?;
            if reader.words.is_empty() { Ok(holds) } else { Err("too many arguments".to_owned()) }
        }
    }
}

fn is_binary(operator: &[u8]) -> bool {
    const NAMES: [&[u8]; 14] = [
        b"=", b"==", b"!=", b"<", b">", b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge", b"-a",
        b"-o", b"-ef",
    ];
    NAMES.contains(&operator)
}

fn binary(left: &[u8], operator: &[u8], right: &[u8]) -> Result<bool, String> {
    let text = String::from_utf8_lossy(operator);
    Ok(match &*text {
        "=" | "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        ">" => left > right,
        "-a" => !left.is_empty() && !right.is_empty(),
        "-o" => !left.is_empty() || !right.is_empty(),
        "-ef" => left == right,
        _ => {
            let (left, right) = (integer(left)?, integer(right)?);
            match &*text {
                "-eq" => left == right,
                "-ne" => left != right,
                "-lt" => left < right,
                "-le" => left <= right,
                "-gt" => left > right,
                _ => left >= right,
            }
        }
    })
}

fn integer(word: &[u8]) -> Result<i64, String> {
    let text = String::from_utf8_lossy(word);
    let number = number::signed(text.trim());
    number.ok_or_else(|| format!("{text}: integer expression expected"))
}

fn unary(operator: &[u8], operand: &[u8], out: &Out<'_>) -> Result<bool, String> {
    Ok(match operator {
        b"-z" => operand.is_empty(),
        b"-n" => !operand.is_empty(),
        b"-e" | b"-r" | b"-w" | b"-a" => out.file_kind(operand).is_ok(),
        b"-x" | b"-d" => out.file_kind(operand) == Ok(FileKind::Directory),
        b"-f" => out.file_kind(operand) == Ok(FileKind::File),
        b"-c" => out.file_kind(operand) == Ok(FileKind::Null),
        b"-s" => {
            let is_folder = out.file_kind(operand) == Ok(FileKind::Directory);
            is_folder || out.read_file(operand).is_ok_and(|bytes| !bytes.is_empty())
        }
        b"-t" | b"-L" | b"-h" | b"-p" | b"-S" | b"-b" => false,
        _ => {
            let operator = String::from_utf8_lossy(operator);
            return Err(format!("{operator}: unary operator expected"));
        }
    })
}

impl Reader<'_, '_> {
    fn next(&mut self) -> Result<Vec<u8>, String> {
        let (first, rest) = self.words.split_first().ok_or("argument expected")?;
        self.words = rest;
        Ok(first.clone())
    }

    fn eat(&mut self, word: &[u8]) -> bool {
        let found = self.words.first().is_some_and(|first| first == word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    /// `a -o b`.
    fn any(&mut self, depth: usize) -> Result<bool, String> {
        let mut holds = self.all(depth)?;
        while self.eat(b"-o") {
            holds |= self.all(depth)?;
        }
        Ok(holds)
    }

    /// `a -a b`.
    fn all(&mut self, depth: usize) -> Result<bool, String> {
        let mut holds = self.one(depth)?;
        while self.eat(b"-a") {
            holds &= self.one(depth)?;
        }
        Ok(holds)
    }

    fn one(&mut self, depth: usize) -> Result<bool, String> {
        if depth > 100 {
            return Err("too many arguments".to_owned());
        }
        if self.words.len() >= 3 && self.words.get(1).is_some_and(|word| is_binary(word)) {
            let (left, operator, right) = (self.next()?, self.next()?, self.next()?);
            return binary(&left, &operator, &right);
        }
        if self.eat(b"!") {
            return Ok(!self.one(depth + 1)?);
        }
        if self.eat(b"(") {
            let holds = self.any(depth + 1)?;
            return if self.eat(b")") { Ok(holds) } else { Err("`)' expected".to_owned()) };
        }
        let first = self.next()?;
        let is_operator = first.len() == 2 && first[0] == b'-';
        match self.words.first() {
            Some(_) if is_operator => {
                let operand = self.next()?;
                unary(&first, &operand, self.out)
            }
            _ => Ok(!first.is_empty()),
        }
    }
}
