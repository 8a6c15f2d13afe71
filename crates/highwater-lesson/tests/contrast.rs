//! Proves that every colour that must be read or seen can be, in both themes: WCAG 2.2, 1.4.3 (4.5:1
//! for text) and 1.4.11 (3:1 for marks). The colours are read from web/style/tokens.css itself.

use std::collections::BTreeMap;

const TOKENS: &str = include_str!("../../../web/style/tokens.css");
const SURFACES: [&str; 3] = ["paper", "sheet", "faint"];
const TEXT: [&str; 4] = ["ink", "soft", "tide", "warn"];
const KEYS: [&str; 4] = ["key-a", "key-b", "key-c", "key-d"];

type Rgb = [f64; 3];
/// The light and the dark colour of each token.
type Tokens = BTreeMap<String, [Rgb; 2]>;

fn tokens(css: &str) -> Tokens {
    let declaration = |line: &str| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(": light-dark(")?;
        let (light, dark) = value.strip_suffix(");")?.split_once(", ")?;
        Some((name.to_owned(), [rgb(light), rgb(dark)]))
    };
    css.lines().filter_map(declaration).collect()
}

/// `#rrggbb` as linear light.
fn rgb(hex: &str) -> Rgb {
    let digits = hex.strip_prefix('#').filter(|digits| digits.len() == 6).expect(hex);
    [0, 2, 4].map(|at| {
        let value = u8::from_str_radix(&digits[at..at + 2], 16).expect(hex);
        let c = f64::from(value) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

fn contrast(one: Rgb, other: Rgb) -> f64 {
    let luminance = |[r, g, b]: Rgb| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let (a, b) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The distance that eyes see: Euclidean in OKLab.
fn distance(one: Rgb, other: Rgb) -> f64 {
    let lab = |[r, g, b]: Rgb| {
        let l = (0.412_221 * r + 0.536_333 * g + 0.051_446 * b).cbrt();
        let m = (0.211_903 * r + 0.680_700 * g + 0.107_397 * b).cbrt();
        let s = (0.088_302 * r + 0.281_719 * g + 0.629_979 * b).cbrt();
        [
            0.210_454 * l + 0.793_618 * m - 0.004_072 * s,
            1.977_998 * l - 2.428_592 * m + 0.450_594 * s,
            0.025_904 * l + 0.782_772 * m - 0.808_676 * s,
        ]
    };
    let (a, b) = (lab(one), lab(other));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Every pair that must be seen, with the ratio it needs.
fn pairs() -> Vec<(String, String, f64)> {
    let mut pairs = Vec::new();
    let mut need = |front: &str, back: &str, ratio: f64| {
        pairs.push((front.to_owned(), back.to_owned(), ratio));
    };
    for surface in SURFACES {
        TEXT.iter().for_each(|text| need(text, surface, 4.5));
        need("edge", surface, 3.0);
        KEYS.iter().for_each(|key| need(key, surface, 3.0));
    }
    for key in KEYS {
        let fill = format!("{key}-fill");
        need("ink", &fill, 4.5);
        need(key, &fill, 3.0);
    }
    need("on-tide", "tide", 4.5);
    need("tide", "tide-wash", 4.5);
    need("ink", "tide-wash", 4.5);
    pairs
}

/// What is wrong with these tokens, one line a fault.
fn faults(tokens: &Tokens) -> Vec<String> {
    let mut faults = Vec::new();
    for (theme, theme_name) in ["light", "dark"].into_iter().enumerate() {
        let colour = |name: &str| tokens.get(name).unwrap_or_else(|| panic!("no --{name}"))[theme];
        for (front, back, needed) in pairs() {
            let ratio = contrast(colour(&front), colour(&back));
            if ratio < needed {
                faults.push(format!("{theme_name}: {front} on {back} {ratio:.2}, needs {needed}"));
            }
        }
        let apart: Vec<&str> = KEYS.into_iter().chain(["tide", "warn"]).collect();
        for (at, one) in apart.iter().enumerate() {
            for other in &apart[at + 1..] {
                let gap = distance(colour(one), colour(other));
                if gap < 0.1 {
                    faults.push(format!("{theme_name}: {one} is too close to {other}: {gap:.3}"));
                }
            }
        }
    }
    faults
}

/// Text, edges and marks reach their ratios, and no key is close to another, the tide or the warning.
#[test]
fn every_colour_can_be_seen_in_both_themes() {
    let faults = faults(&tokens(TOKENS));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The test above would notice a bad token.
#[test]
fn a_bad_token_is_noticed() {
    let spoil = |from: &str, to: &str| {
        assert!(TOKENS.contains(from), "{from} is gone: choose another one for this test");
        faults(&tokens(&TOKENS.replace(from, to)))
    };
    let pale = spoil("--soft: light-dark(#555d67", "--soft: light-dark(#9aa2ac");
    assert!(pale.iter().any(|fault| fault.starts_with("light: soft on paper")), "{pale:?}");
    let dim = spoil("#76818c);", "#3a424a);");
    assert!(dim.iter().any(|fault| fault.starts_with("dark: edge on sheet")), "{dim:?}");
    let same = spoil("--key-b: light-dark(#5a55c8", "--key-b: light-dark(#0a6a90");
    assert!(same.iter().any(|fault| fault.contains("key-b is too close to tide")), "{same:?}");
}

/// Forced colours replace every colour token, so none is left behind.
#[test]
fn forced_colours_name_every_token() {
    let forced = TOKENS.split_once("(forced-colors: active)").expect("forced colours").1;
    for name in tokens(TOKENS).keys() {
        assert!(forced.contains(&format!("--{name}: ")), "--{name} has no system colour");
    }
}
