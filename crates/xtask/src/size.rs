//! `cargo xtask size`: what the first load of each page fetches from the built site, raw and
//! compressed, against the budgets. It measures files; what a page reaches is decided in
//! `first_load`, what it may cost in `budget`.

pub(crate) mod budget;
pub(crate) mod first_load;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::places;
use crate::trouble::{OrSay, Outcome, Trouble};
use budget::Budget;

/// Bytes as they are, and as a host may send them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Weight {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

impl Weight {
    fn of(bytes: &[u8]) -> Outcome<Self> {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(bytes).or_say(|| "compress with gzip".to_owned())?;
        let gzip = gzip.finish().or_say(|| "compress with gzip".to_owned())?;
        let mut small = Vec::new();
        let best =
            brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
        brotli::BrotliCompress(&mut &bytes[..], &mut small, &best)
            .or_say(|| "compress with brotli".to_owned())?;
        Ok(Self { raw: bytes.len(), gzip: gzip.len(), brotli: small.len() })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            raw: self.raw + other.raw,
            gzip: self.gzip + other.gzip,
            brotli: self.brotli + other.brotli,
        }
    }
}

/// The program whose engine is built without the cluster.
const WITHOUT_CLUSTER: &str = "reader";
/// What such an engine says in a panic if it looks at what only a cluster has (`scope::ABSENT` of the
/// core). Code that could do that keeps the words in the built file.
const ABSENT: &[u8] = b"only a build with the cluster looks at what belongs to it";

/// One page with the files that its first load fetches.
struct Page {
    path: String,
    files: BTreeSet<PathBuf>,
    brotli: usize,
}

impl Page {
    /// Says so if the page's engine can look at what belongs to a cluster, which it does not have.
    fn looks_at_a_cluster(&self, dist: &Path) -> Outcome<bool> {
        let mut looks = false;
        for file in self.files.iter().filter(|file| file.extension().is_some_and(|it| it == "wasm"))
        {
            let bytes = fs::read(dist.join(file))
                .or_say(|| format!("read dist/{}, which a page needs", file.display()))?;
            if bytes.windows(ABSENT.len()).any(|place| place == ABSENT) {
                println!(
                    "\n{}: {} can look at what only a cluster has, and would panic; put that code \
                     behind `scope::CLUSTER`",
                    self.path,
                    file.display()
                );
                looks = true;
            }
        }
        Ok(looks)
    }
}

/// Prints the table; says whether every page keeps its budget.
pub(crate) fn run(dist: &Path) -> Outcome<bool> {
    if !dist.join("index.html").is_file() {
        return Err(Trouble::new("The site is not built; run `cargo xtask build` first."));
    }
    let budgets = budget::read(&places::root().join(budget::FILE))?;
    let mut weights: BTreeMap<PathBuf, Weight> = BTreeMap::new();
    let mut by_program: BTreeMap<String, Vec<Page>> = BTreeMap::new();
    for html in first_load::pages(dist)? {
        let load = first_load::of(dist, &html)?;
        let mut brotli = 0;
        for file in &load.files {
            if !weights.contains_key(file) {
                let bytes = fs::read(dist.join(file))
                    .or_say(|| format!("read dist/{}, which a page needs", file.display()))?;
                weights.insert(file.clone(), Weight::of(&bytes)?);
            }
            brotli += weights[file].brotli;
        }
        let page = Page { path: html.display().to_string(), files: load.files, brotli };
        by_program
            .entry(load.program.unwrap_or_else(|| "no engine".to_owned()))
            .or_default()
            .push(page);
    }
    for (program, pages) in &by_program {
        print_heaviest(program, pages, &weights);
    }
    let mut all_kept = true;
    for page in by_program.get(WITHOUT_CLUSTER).into_iter().flatten() {
        all_kept &= !page.looks_at_a_cluster(dist)?;
    }
    for budget in &budgets {
        let pages = by_program.get(&budget.program).map_or(&[][..], Vec::as_slice);
        all_kept &= keeps(budget, pages);
    }
    Ok(all_kept)
}

fn print_heaviest(program: &str, pages: &[Page], weights: &BTreeMap<PathBuf, Weight>) {
    let Some(page) = pages.iter().max_by_key(|page| page.brotli) else { return };
    println!("\n{program}: the heaviest of {} page(s) is {}", pages.len(), page.path);
    println!("{:>10} {:>10} {:>10}  file", "raw", "gzip", "brotli");
    let row =
        |w: Weight, name: &str| println!("{:10} {:10} {:10}  {name}", w.raw, w.gzip, w.brotli);
    let mut sum = Weight::default();
    for file in &page.files {
        row(weights[file], &file.display().to_string());
        sum = sum.plus(weights[file]);
    }
    row(sum, "first load");
}

fn keeps(budget: &Budget, pages: &[Page]) -> bool {
    let Some(page) = pages.iter().max_by_key(|page| page.brotli) else {
        println!("\n{}: not built yet (budget {} kB brotli)", budget.program, budget.kilobytes);
        return true;
    };
    let kept = page.brotli <= budget.kilobytes * 1000;
    let (whole, tenth) = (page.brotli / 1000, page.brotli % 1000 / 100);
    println!(
        "\n{}: {whole}.{tenth} kB brotli, budget {} kB: {}",
        budget.program,
        budget.kilobytes,
        if kept { "kept" } else { "OVER; make the page lighter, the budget only goes down" }
    );
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_page_over_its_budget_is_told() {
        let budget = Budget { program: "reader".to_owned(), kilobytes: 2 };
        let page = |brotli| Page { path: "index.html".to_owned(), files: BTreeSet::new(), brotli };
        assert!(keeps(&budget, &[page(2000)]));
        assert!(!keeps(&budget, &[page(10), page(2001)]));
        assert!(keeps(&budget, &[]), "a page that is not built yet is only reported");
    }

    #[test]
    fn a_page_that_looks_at_a_cluster_is_told() {
        let core = include_str!("../../highwater-core/src/scope.rs");
        let words = std::str::from_utf8(ABSENT).unwrap();
        assert!(core.contains(&format!("ABSENT: &str = \"{words}\"")), "the core says otherwise");
        let dist = Scratch::new("size-cluster");
        for (content, looks) in
            [(&b"\0asm"[..], false), (&[b"\0asm\x01", ABSENT].concat()[..], true)]
        {
            fs::write(dist.path().join("a.wasm"), content).unwrap();
            let files = BTreeSet::from([PathBuf::from("a.wasm")]);
            let page = Page { path: "index.html".to_owned(), files, brotli: 0 };
            assert_eq!(page.looks_at_a_cluster(dist.path()).unwrap(), looks);
        }
    }

    #[test]
    fn compression_at_its_best_is_measured() {
        let text = "high watermark, low watermark; ".repeat(100);
        let weight = Weight::of(text.as_bytes()).unwrap();
        assert_eq!(weight.raw, text.len());
        assert!(weight.brotli < weight.gzip && weight.gzip < 100, "{weight:?}");
    }

    #[test]
    fn no_site_is_told_with_the_remedy() {
        let empty = Scratch::new("size-empty");
        assert!(run(empty.path()).unwrap_err().to_string().contains("cargo xtask build"));
    }
}
