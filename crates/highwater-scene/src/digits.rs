//! Small things that the standard library does at a price: whole numbers as text without its
//! formatting machinery, and the order of a few items without its sorting, which weighs 4 kB a type.

/// `value` in decimal digits, with a hyphen if it is negative, as attributes want it.
pub(crate) fn int(value: i64) -> String {
    let mut out = String::with_capacity(8);
    if value < 0 {
        out.push('-');
    }
    push_digits(value.unsigned_abs(), &mut out);
    out
}

fn push_digits(value: u64, out: &mut String) {
    if value >= 10 {
        push_digits(value / 10, out);
    }
    out.push(char::from(b'0' + u8::try_from(value % 10).unwrap_or(0)));
}

/// As [`int`], with a real minus sign, as people want it.
pub(crate) fn signed(value: i64) -> String {
    let mut out = String::new();
    if value < 0 {
        out.push('\u{2212}');
    }
    push_digits(value.unsigned_abs(), &mut out);
    out
}

/// The number that decimal digits say, and nothing but digits; `None` where it does not fit.
#[must_use]
#[inline(never)]
fn digits(text: &str) -> Option<i64> {
    let mut value: i64 = 0;
    for byte in text.bytes() {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value = value.checked_mul(10)?.checked_add(digit.into())?;
    }
    (!text.is_empty()).then_some(value)
}

/// Reads a number that is not negative.
#[must_use]
pub fn number<T: TryFrom<i64>>(text: &str) -> Option<T> {
    T::try_from(digits(text)?).ok()
}

/// The indices of `keys` in ascending order of what they hold; equal keys keep their order. For the
/// few items that a drawing shows.
pub(crate) fn order(keys: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        let mut at = order.len();
        while at > 0 && keys[order[at - 1]] > *key {
            at -= 1;
        }
        order.insert(at, index);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The digits are those of the standard library, at the borders too.
    #[test]
    fn digits() {
        for value in [0, 1, -1, 9, 10, 99, 100, -713_338_313, i64::MAX, i64::MIN] {
            assert_eq!(int(value), value.to_string());
        }
        assert_eq!(signed(-5), "\u{2212}5");
        assert_eq!(signed(5), "5");
    }

    /// Numbers come back, and nothing else is one.
    #[test]
    fn numbers() {
        assert_eq!(number(&int(i64::MAX)), Some(i64::MAX));
        assert_eq!(number("016"), Some(16_u32));
        assert_eq!(number::<u8>("256"), None);
        for text in ["", "-1", "+1", " 1", "1.5", "9223372036854775808"] {
            assert_eq!(number::<i64>(text), None);
        }
    }

    /// Ascending, and stable.
    #[test]
    fn orders() {
        assert_eq!(order(&[3, 1, 2, 1]), [1, 3, 2, 0]);
        assert_eq!(order(&[]), Vec::<usize>::new());
    }
}
