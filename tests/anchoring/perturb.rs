//! Quotations as models spoil them, made from a page's own text.

use sidelight::wire::Snapshot;
use unicode_normalization::UnicodeNormalization;

/// A quotation, what stands on the page, and how the one was made from the other.
pub(crate) struct Quotation {
    pub(crate) phrase: String,
    pub(crate) truth: String,
    pub(crate) kind: &'static str,
}

/// A linear congruential generator (Knuth's MMIX constants), so that a seed tells which quotations were tried.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

/// The main content as lines of words.
fn lines(snapshot: &Snapshot) -> Vec<Vec<String>> {
    let units: Vec<u16> = snapshot.text.encode_utf16().collect();
    let (mut lines, mut line, mut at) = (Vec::new(), String::new(), 0);
    for &(len, flags) in &snapshot.nodes {
        if flags & Snapshot::BLOCK != 0 || flags & Snapshot::MAIN == 0 {
            lines.push(std::mem::take(&mut line));
        }
        let end = at + len as usize;
        if flags & Snapshot::MAIN != 0 {
            line.push_str(&String::from_utf16_lossy(&units[at..end]));
        }
        at = end;
    }
    lines.push(line);
    let words = |line: String| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    lines.into_iter().map(words).filter(|words| words.len() >= 5).collect()
}

/// Kinds, as `phrases.json` of the shared pages names them.
const KINDS: [&str; 11] =
    ["exact", "quotes", "curl", "dash", "ellipsis", "space", "case", "nfd", "stop", "typo", "dropword"];

/// Up to `count` quotations of each kind that the page's text has room for.
pub(crate) fn quotations(snapshot: &Snapshot, count: usize, random: &mut Random) -> Vec<Quotation> {
    let lines = lines(snapshot);
    let mut made = Vec::new();
    for kind in KINDS {
        let mut left = count;
        for _ in 0..40 * count {
            if left == 0 || lines.is_empty() {
                break;
            }
            let line = &lines[random.below(lines.len())];
            let len = (5 + random.below(20)).min(line.len());
            let from = random.below(line.len() - len + 1);
            let words = &line[from..from + len];
            let truth = words.join(" ");
            if let Some(phrase) = spoil(kind, words, random).filter(|phrase| *phrase != truth || kind == "exact") {
                made.push(Quotation { phrase, truth, kind });
                left -= 1;
            }
        }
    }
    made
}

/// The words quoted in a way of this kind; `None` where it can't be done to them.
fn spoil(kind: &str, words: &[String], random: &mut Random) -> Option<String> {
    let text = words.join(" ");
    Some(match kind {
        "exact" => text,
        "quotes" => text.replace(['“', '”', '„', '«', '»'], "\"").replace(['‘', '’'], "'"),
        "curl" => text.replace('\'', "’").replacen('"', "“", 1).replace('"', "”"),
        "dash" => match random.below(3) {
            0 => text.replace(['–', '—'], "-"),
            1 => text.replace(['–', '—'], "--"),
            _ => text.replace('-', "–"),
        },
        // Without a word there is nothing to find it by.
        "ellipsis" if !text.contains(char::is_alphanumeric) => return None,
        "ellipsis" if text.contains('…') => text.replace('…', "..."),
        "ellipsis" => text.replace("...", "…"),
        "space" => text.replacen(' ', "\u{a0} ", 1 + random.below(2)).replacen(' ', "  ", 1),
        "case" => {
            let mut chars = text.chars();
            let first = chars.next()?;
            let turned: String =
                if first.is_uppercase() { first.to_lowercase().collect() } else { first.to_uppercase().collect() };
            turned + chars.as_str()
        }
        "nfd" => text.nfd().collect(),
        "stop" => match text.strip_suffix(['.', ',', ';', ':', '!', '?']) {
            Some(bare) => bare.to_owned(),
            None => text + ".",
        },
        "typo" => {
            let at = random.below(words.len());
            let mut letters: Vec<char> = words[at].chars().collect();
            let pairs: Vec<usize> = (1..letters.len())
                .filter(|&i| {
                    letters[i - 1].is_alphabetic() && letters[i].is_alphabetic() && letters[i - 1] != letters[i]
                })
                .collect();
            if letters.len() < 3 || pairs.is_empty() {
                return None;
            }
            let pair = pairs[random.below(pairs.len())];
            letters.swap(pair - 1, pair);
            let mut words = words.to_vec();
            words[at] = letters.into_iter().collect();
            words.join(" ")
        }
        "dropword" if words.len() >= 8 => {
            let mut words = words.to_vec();
            words.remove(1 + random.below(words.len() - 2));
            words.join(" ")
        }
        _ => return None,
    })
}
