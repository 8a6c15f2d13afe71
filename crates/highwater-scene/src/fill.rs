//! Templates: sentences and paths with places for names and numbers. One small function instead of
//! a formatting machinery at every call, and sentences that a translator can reorder.

use crate::digits::int;

/// What fills a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg<'a> {
    /// Text.
    S(&'a str),
    /// A whole number.
    N(i64),
}

/// The template with every `{0}`, `{1}` and so on filled.
#[inline(never)]
pub(crate) fn fill(template: &str, args: &[Arg<'_>]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut pieces = template.split('{');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let mut rest = piece.chars();
        let place = rest.next().map_or(0, |digit| u32::from(digit).wrapping_sub(u32::from('0')));
        match args.get(place as usize) {
            Some(Arg::S(text)) => out.push_str(text),
            Some(Arg::N(number)) => out.push_str(&int(*number)),
            None => {}
        }
        let rest = rest.as_str();
        out.push_str(rest.strip_prefix('}').unwrap_or(rest));
    }
    out
}

/// The template with every `#` filled by the next number; for path data.
#[inline(never)]
pub(crate) fn path(template: &str, numbers: &[i32]) -> String {
    let mut out = String::with_capacity(template.len() * 3);
    let mut numbers = numbers.iter();
    for byte in template.bytes() {
        match byte {
            b'#' => out.push_str(&int(i64::from(numbers.next().copied().unwrap_or(0)))),
            other => out.push(char::from(other)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Places are filled in any order; what is filled in is not read again.
    #[test]
    fn templates() {
        assert_eq!(fill("{1} has {0}, {1}!", &[Arg::N(3), Arg::S("{0}")]), "{0} has 3, {0}!");
        assert_eq!(fill("no place", &[]), "no place");
        assert_eq!(path("M# #h-#z", &[1, -2, 30]), "M1 -2h-30z");
    }
}
