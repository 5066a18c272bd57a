//! Scores anchoring on real pages. Skipped unless `SIDELIGHT_SNAPSHOTS` names a folder that
//! `node tests/content/dump.mjs <folder>` filled.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod perturb;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Deserialize;
use sidelight::page::AnchorIndex;
use sidelight::wire::{Anchor, Snapshot};

#[derive(Deserialize)]
struct Quotation {
    phrase: String,
    truth: String,
    kind: String,
}

/// Range and truth agree: white space folded, and for `stop` one mark at the end more or less.
fn is_right(marked: &str, truth: &str, kind: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches(['.', ',', ';', ':', '!', '?', ' ']).to_owned();
    marked == truth || (kind == "stop" && bare(marked) == bare(truth))
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Scripts without spaces read on across a line break.
fn unspaced(unit: Option<&u16>) -> bool {
    unit.is_some_and(|unit| matches!(unit, 0x3005..=0x3007 | 0x3040..=0x30ff | 0x3400..=0x9fff))
}

/// The text of a range, with a space where a block begins.
fn covered(snapshot: &Snapshot, text: &[u16], anchor: Anchor) -> String {
    let mut covered = Vec::new();
    let mut at = 0;
    for &(len, flags) in &snapshot.nodes {
        let (start, end) = (at.max(anchor.start), (at + len).min(anchor.end));
        if start < end {
            let reads_on =
                flags & Snapshot::BREAK != 0 && (unspaced(covered.last()) || unspaced(text.get(start as usize)));
            if flags & Snapshot::BLOCK != 0 && !reads_on {
                covered.push(u16::from(b' '));
            }
            covered.extend_from_slice(&text[start as usize..end as usize]);
        }
        at += len;
    }
    folded(&String::from_utf16(&covered).expect("a range never splits a pair"))
}

#[test]
fn quotations_find_their_place_on_real_pages() {
    let Some(snapshots) = std::env::var_os("SIDELIGHT_SNAPSHOTS").map(PathBuf::from) else {
        println!("skipped: SIDELIGHT_SNAPSHOTS is not set");
        return;
    };
    let shared = std::env::var_os("SIDELIGHT_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")), PathBuf::from);
    let mut score: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    let (mut indexing, mut finding) = (Duration::ZERO, Duration::ZERO);
    let mut files: Vec<_> = std::fs::read_dir(&snapshots).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let snapshot: Snapshot = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let quotations: Vec<Quotation> =
            serde_json::from_slice(&std::fs::read(shared.join("pages").join(&name).join("phrases.json")).unwrap())
                .unwrap();
        let text: Vec<u16> = snapshot.text.encode_utf16().collect();
        let started = Instant::now();
        let index = AnchorIndex::new(&snapshot, decompose);
        indexing += started.elapsed();
        for Quotation { phrase, truth, kind } in quotations {
            let started = Instant::now();
            let anchor = index.find(&phrase, None);
            finding += started.elapsed();
            let marked = anchor.map(|anchor| covered(&snapshot, &text, anchor));
            let outcome = match &marked {
                None => 1,
                Some(marked) if is_right(marked, &truth, &kind) => 0,
                Some(_) => 2,
            };
            if outcome != 0 {
                println!("{name} [{kind}]\n  phrase {phrase:?}\n  truth  {truth:?}\n  marked {marked:?}");
            }
            score.entry(kind).or_default()[outcome] += 1;
        }
    }
    let total = score.values().fold([0; 3], |sum, one| [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]]);
    for (kind, [right, missed, wrong]) in &score {
        println!("{kind:10} right {right:4} missed {missed:3} wrong {wrong:3}");
    }
    println!(
        "all        right {:4} missed {:3} wrong {:3}; index {indexing:?}, find {finding:?}",
        total[0], total[1], total[2]
    );
    assert_eq!(total[2], 0, "a wrong place was marked");
    assert!(f64::from(total[0]) >= 0.99 * f64::from(total.iter().sum::<u32>()), "too many quotations are missed");
}

/// Thousands of quotations made from the pages themselves: `SIDELIGHT_QUOTATIONS` of each kind and page (default 40),
/// from the seed `SIDELIGHT_SEED`.
#[test]
fn spoilt_quotations_find_their_place_and_no_other() {
    let Some(snapshots) = std::env::var_os("SIDELIGHT_SNAPSHOTS").map(PathBuf::from) else {
        println!("skipped: SIDELIGHT_SNAPSHOTS is not set");
        return;
    };
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |value| value.parse().unwrap());
    let (count, seed) = (number("SIDELIGHT_QUOTATIONS", 40), number("SIDELIGHT_SEED", 1));
    let mut random = perturb::Random(seed);
    let mut score: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(&snapshots).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let snapshot: Snapshot = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let text: Vec<u16> = snapshot.text.encode_utf16().collect();
        let index = AnchorIndex::new(&snapshot, decompose);
        for made in perturb::quotations(&snapshot, usize::try_from(count).unwrap(), &mut random) {
            let marked = index.find(&made.phrase, None).map(|anchor| covered(&snapshot, &text, anchor));
            let outcome = match &marked {
                None => 1,
                Some(marked) if is_right(marked, &made.truth, made.kind) => 0,
                Some(_) => 2,
            };
            if outcome != 0 {
                println!(
                    "{} [{}]\n  phrase {:?}\n  truth  {:?}\n  marked {marked:?}",
                    file.display(),
                    made.kind,
                    made.phrase,
                    made.truth
                );
            }
            score.entry(made.kind).or_default()[outcome] += 1;
        }
    }
    for (kind, [right, missed, wrong]) in &score {
        println!("{kind:10} right {right:5} missed {missed:4} wrong {wrong:3}");
    }
    println!("seed {seed}");
}

/// A page of 1 MB in 100,000 text nodes: an index and 25 phrases, a third of them misspelt, a third not there.
#[test]
fn a_megabyte_is_searched_in_no_time() {
    const SYLLABLES: [&str; 24] = [
        "ba", "cor", "din", "el", "fa", "gor", "hin", "il", "jo", "kar", "lim", "mo", "nar", "os", "pel", "qui", "ras",
        "sto", "tal", "un", "vor", "wen", "xi", "yel",
    ];
    let mut seed = 7_u32;
    let mut next = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    let mut snapshot = Snapshot::default();
    while snapshot.nodes.len() < 100_000 {
        let before = snapshot.text.len();
        for _ in 0..2 {
            // Few words are frequent, most are rare, as in any language.
            let frequent = next(400) + 1;
            let word = next(frequent);
            snapshot.text.push_str(SYLLABLES[word as usize % 24]);
            snapshot.text.push_str(SYLLABLES[word as usize / 24 % 24]);
            snapshot.text.push(' ');
        }
        let block = u32::from(snapshot.nodes.len() % 10 == 0);
        snapshot.nodes.push((u32::try_from(snapshot.text.len() - before).unwrap(), block | Snapshot::MAIN));
    }
    let phrases: Vec<String> = (0..25)
        .map(|nth| {
            let at = snapshot.text[nth * 30_000..].find(' ').unwrap() + nth * 30_000 + 1;
            let words: Vec<&str> = snapshot.text[at..].split(' ').take(12).collect();
            match nth % 3 {
                0 => words.join(" "),
                1 => words.join(" ").replacen("ar", "ra", 1),
                _ => words.iter().rev().copied().collect::<Vec<_>>().join(" "),
            }
        })
        .collect();
    let started = Instant::now();
    let index = AnchorIndex::new(&snapshot, decompose);
    let indexed = started.elapsed();
    let found = index.find_all(&phrases).iter().flatten().count();
    let all = started.elapsed();
    println!("{} bytes: index {indexed:?}, with 25 phrases {all:?}, {found} found", snapshot.text.len());
    assert!(found >= 9, "all exact phrases are found");
    assert!(all < Duration::from_secs(10), "a busy machine takes a tenth of that");
}

fn decompose(c: char, out: &mut dyn FnMut(char)) {
    unicode_normalization::char::decompose_compatible(c, |part| part.to_lowercase().for_each(&mut *out));
}
