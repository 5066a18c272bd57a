//! A language's word list: rows of `kind, strength, pattern, reason`, looked up word by word.
//!
//! The pattern language is described in `docs/offline-reader.md`; `lists/en.tsv` is the reference example.

use super::block::{Block, Shape, Stop, Word};
use super::kind::Kind;
use crate::sort::sort_by_key;

/// Most words a gap (`...`) may stand for.
const GAP: usize = 6;

/// Most words a name is followed for.
const NAME: usize = 12;

/// One word of a pattern.
#[derive(Debug, PartialEq, Eq)]
enum Element {
    /// One of these words, the first after an opening and the last before a closing quotation mark where it says so.
    OneOf { words: Vec<&'static str>, opens: bool, closes: bool },
    /// A word that is none of these.
    NoneOf(Vec<&'static str>),
    /// A number; `true`: a percentage.
    Number(bool),
    /// A name: a capitalised word that is not capitalised for another reason.
    Name,
    /// Up to [`GAP`] words, over commas too.
    Gap,
    /// A comma or the like may stand here.
    Clause,
    /// The sentence ends as a question, wherever.
    Question,
}

/// Where a source keeps a row from marking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unless {
    /// Nowhere.
    Never,
    /// In the same paragraph: `!`.
    Paragraph,
    /// In the same paragraph, the one before or the one after: `!!`.
    Nearby,
}

/// A row of the list.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// 1 weak (marks only in company), 2 clear, 3 strong.
    pub(super) strength: u8,
    /// What a source in the text does to it.
    pub(super) unless_sourced: Unless,
    /// Key of the reason's text, in which `$1` stands for the words as the page has them.
    pub(super) reason: &'static str,
    starts_sentence: bool,
    /// Each with whether it may be missing.
    pattern: Vec<(Element, bool)>,
}

/// A word list, ready for look-up.
#[derive(Debug)]
pub(super) struct Lexicon {
    pub(super) entries: Vec<Entry>,
    /// First words of patterns, sorted, each with its entry.
    first: Vec<(&'static str, usize)>,
    /// Entries whose pattern starts with a name or a number.
    unworded: Vec<usize>,
    /// Words whose full stop ends no sentence, sorted.
    pub(super) abbreviations: Vec<&'static str>,
    /// Words that are written with a capital and name nobody, sorted.
    capitalised: Vec<&'static str>,
    /// Words that take the force away from what follows, sorted.
    negations: Vec<&'static str>,
    /// Words before which a phrase may be cut, sorted.
    joints: Vec<&'static str>,
    /// Words a phrase does not start with, sorted.
    conjunctions: Vec<&'static str>,
    /// Words that stand inside names, sorted.
    particles: Vec<&'static str>,
}

/// A pattern found: entry, first and last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) entry: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Lexicon {
    /// Reads a list. Rows it can't read are left out; a test holds the lists to having none.
    pub(super) fn parse(list: &'static str) -> Self {
        let mut lexicon = Self {
            entries: Vec::new(),
            first: Vec::new(),
            unworded: Vec::new(),
            abbreviations: Vec::new(),
            capitalised: Vec::new(),
            negations: Vec::new(),
            joints: Vec::new(),
            conjunctions: Vec::new(),
            particles: Vec::new(),
        };
        for row in list.lines() {
            lexicon.add(row);
        }
        sort_by_key(&mut lexicon.first, |&row| row);
        for words in [
            &mut lexicon.abbreviations,
            &mut lexicon.capitalised,
            &mut lexicon.negations,
            &mut lexicon.joints,
            &mut lexicon.conjunctions,
            &mut lexicon.particles,
        ] {
            sort_by_key(words, |&word| word);
        }
        lexicon
    }

    /// Adds a row; `None` when it can't be read. Empty rows and comments add nothing.
    fn add(&mut self, row: &'static str) -> Option<()> {
        if row.is_empty() || row.starts_with('#') {
            return Some(());
        }
        let mut columns = row.split('\t');
        let (kind, strength, pattern) = (columns.next()?, columns.next()?, columns.next()?);
        let words = match kind {
            "abbreviation" => &mut self.abbreviations,
            "capitalised" => &mut self.capitalised,
            "negation" => &mut self.negations,
            "joint" => &mut self.joints,
            "conjunction" => &mut self.conjunctions,
            "particle" => &mut self.particles,
            _ => return self.add_entry(Kind::named(kind)?, strength, pattern, columns.next()?),
        };
        words.extend(pattern.split(' '));
        Some(())
    }

    fn add_entry(&mut self, kind: Kind, strength: &str, pattern: &'static str, reason: &'static str) -> Option<()> {
        let (digit, unless) = strength.split_at_checked(1)?;
        let unless_sourced = match unless {
            "" => Unless::Never,
            "!" => Unless::Paragraph,
            "!!" => Unless::Nearby,
            _ => return None,
        };
        let (pattern, starts_sentence) = pattern.strip_prefix("^ ").map_or((pattern, false), |rest| (rest, true));
        let pattern: Vec<_> = pattern.split(' ').map(element).collect();
        let entry = self.entries.len();
        match pattern.first()? {
            (Element::OneOf { words, .. }, false) => self.first.extend(words.iter().map(|&word| (word, entry))),
            (Element::Name | Element::Number(_), false) => self.unworded.push(entry),
            _ => return None,
        }
        let strength = digit.parse().ok()?;
        self.entries.push(Entry { kind, strength, unless_sourced, reason, starts_sentence, pattern });
        Some(())
    }

    /// Adds to `hits` what starts at word `at` of a sentence. Returns the steps it took: pattern elements tried.
    pub(super) fn match_at(&self, sentence: &Sentence<'_>, at: usize, hits: &mut Vec<Hit>) -> u64 {
        let word = sentence.folded(at);
        let from = self.first.partition_point(|&(first, _)| first < word);
        let worded = self.first[from..].iter().take_while(|&&(first, _)| first == word).map(|&(_, entry)| entry);
        let special = sentence.words[at].shape == Shape::Number || self.is_name(sentence, at);
        let unworded = self.unworded.iter().copied().filter(|_| special);
        let mut steps = 1;
        for entry in worded.chain(unworded) {
            let Entry { starts_sentence, pattern, .. } = &self.entries[entry];
            if *starts_sentence && at > 0 {
                continue;
            }
            if let Some(end) = self.matches(pattern, sentence, at, true, &mut steps)
                && end > at
            {
                hits.push(Hit { entry, first: at, last: end - 1 });
            }
        }
        steps
    }

    /// Matches `pattern` at word `at`; one past its last word when it does. `over`: it may start after a comma.
    /// Patterns are short and gaps bounded, so the work per word is bounded too.
    fn matches(
        &self,
        pattern: &[(Element, bool)],
        sentence: &Sentence<'_>,
        at: usize,
        over: bool,
        steps: &mut u64,
    ) -> Option<usize> {
        *steps += 1;
        let Some(((element, optional), rest)) = pattern.split_first() else { return Some(at) };
        match element {
            Element::Gap => (at..=at + GAP)
                .take_while(|&at| at <= sentence.words.len())
                .find_map(|at| self.matches(rest, sentence, at, true, steps)),
            Element::Clause => self.matches(rest, sentence, at, true, steps),
            Element::Question => {
                let asks = sentence.words.last().is_some_and(|word| word.stop == Stop::Question);
                if asks { self.matches(rest, sentence, at, over, steps) } else { None }
            }
            Element::OneOf { .. } | Element::NoneOf(_) | Element::Number(_) | Element::Name => {
                let reachable = over
                    || match sentence.words[at - 1].stop {
                        Stop::None => true,
                        Stop::Quote => matches!(element, Element::OneOf { opens: true, .. }),
                        Stop::Clause | Stop::Sentence | Stop::Question => false,
                    };
                let fits = at < sentence.words.len() && reachable && self.fits(element, sentence, at);
                fits.then(|| self.matches(rest, sentence, at + 1, false, steps))
                    .flatten()
                    .or_else(|| if *optional { self.matches(rest, sentence, at, over, steps) } else { None })
            }
        }
    }

    fn fits(&self, element: &Element, sentence: &Sentence<'_>, at: usize) -> bool {
        let word = &sentence.words[at];
        match element {
            Element::OneOf { words, opens, closes } => {
                (words[0] == "_" || words.contains(&sentence.folded(at)))
                    && (!opens || word.opens)
                    && (!closes || word.closes)
            }
            Element::NoneOf(words) => !words.contains(&sentence.folded(at)),
            Element::Number(percent) => word.shape == Shape::Number && (!percent || sentence.folded(at).ends_with('%')),
            Element::Name => self.is_name(sentence, at),
            Element::Gap | Element::Clause | Element::Question => false,
        }
    }

    /// Whether the word names somebody: a capital that the start of the sentence does not explain.
    fn is_name(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let word = &sentence.words[at];
        let named = |at: usize| {
            sentence.words[at].shape.is_capital() && self.capitalised.binary_search(&sentence.folded(at)).is_err()
        };
        let first = at == 0 || word.opens;
        let next = at + 1 < sentence.words.len() && word.stop == Stop::None && named(at + 1);
        named(at) && (!first || word.shape == Shape::Acronym || next)
    }

    /// The words `first..=last`, and before and after them the rest of a name they start or end in.
    pub(super) fn whole_names(&self, sentence: &Sentence<'_>, (first, last): (usize, usize)) -> (usize, usize) {
        let words = sentence.words;
        let capital = |at: usize| words.get(at).is_some_and(|word| word.shape.is_capital());
        let joined = |at: usize| words.get(at).is_some_and(|word| word.stop == Stop::None);
        let particle = |at: usize| joined(at) && self.particles.binary_search(&sentence.folded(at)).is_ok();
        let (mut from, mut to) = (first, last);
        while capital(from) && from > 0 && joined(from - 1) && last - from < NAME {
            match from {
                _ if capital(from - 1) => from -= 1,
                2.. if particle(from - 1) && joined(from - 2) && capital(from - 2) => from -= 2,
                _ => break,
            }
        }
        while capital(to) && joined(to) && to - first < NAME {
            match () {
                () if capital(to + 1) => to += 1,
                () if particle(to + 1) && capital(to + 2) => to += 2,
                () => break,
            }
        }
        (from, to)
    }

    /// Whether one of the two words before `at` negates it.
    pub(super) fn negated(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        (at.saturating_sub(2)..at).any(|at| {
            let word = sentence.folded(at);
            word.ends_with("n't") || self.negations.binary_search(&word).is_ok()
        })
    }

    /// Whether a phrase reads better without this word at its start.
    pub(super) fn is_conjunction(&self, word: &str) -> bool {
        self.conjunctions.binary_search(&word).is_ok()
    }

    /// Whether a phrase may be cut before this word.
    pub(super) fn is_joint(&self, word: &str) -> bool {
        self.joints.binary_search(&word).is_ok()
    }
}

/// The words of one sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentence<'a> {
    pub(super) block: &'a Block,
    pub(super) words: &'a [Word],
}

impl<'a> Sentence<'a> {
    /// The word in lower case.
    pub(super) fn folded(&self, at: usize) -> &'a str {
        self.block.folded(&self.words[at])
    }
}

/// One element of a pattern, and whether it may be missing.
fn element(text: &'static str) -> (Element, bool) {
    let (text, optional) = match text {
        "$?" | "..." => (text, false),
        _ => text.strip_suffix('?').map_or((text, false), |text| (text, true)),
    };
    let element = match text {
        "..." => Element::Gap,
        "," => Element::Clause,
        "$?" => Element::Question,
        "#" => Element::Number(false),
        "#%" => Element::Number(true),
        "@" => Element::Name,
        _ => match text.strip_prefix('!') {
            Some(words) => Element::NoneOf(words.split('|').collect()),
            None => Element::OneOf {
                words: text.trim_matches(['“', '”']).split('|').collect(),
                opens: text.starts_with('“'),
                closes: text.ends_with('”'),
            },
        },
    };
    (element, optional)
}
