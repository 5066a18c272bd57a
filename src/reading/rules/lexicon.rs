//! A language's word list: rows of `kind, strength, pattern, reason`, looked up word by word.
//!
//! The pattern language is described in `docs/offline-reader.md`; `lists/en.tsv` is the reference example.

use super::words::{Block, Stop, Word};
use crate::wire::Category;

/// Most words a gap (`...`) may stand for.
const GAP: usize = 6;

/// What a row of the list is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Loaded words: they judge or stir while they tell.
    Loaded,
    /// Words that warn and frighten.
    Fear,
    /// We against them.
    Them,
    /// Words that keep a way out.
    Weasel,
    /// Words that put a colour on what they report.
    Framing,
    /// The best, the worst, the only.
    Superlative,
    /// Everybody, nobody, beyond doubt.
    Absolute,
    /// Two choices, as if there were no third.
    Dichotomy,
    /// Said by nobody in particular.
    Nobody,
    /// One step leads to the last one.
    Slope,
    /// A question that is a claim.
    Rhetoric,
    /// A number that carries the claim.
    Number,
    /// Names who says so.
    Source,
    /// A plain use of words that are otherwise marked: nothing that overlaps it is.
    Plain,
}

impl Kind {
    /// The kind of a row's first column.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "loaded" => Self::Loaded,
            "fear" => Self::Fear,
            "them" => Self::Them,
            "weasel" => Self::Weasel,
            "framing" => Self::Framing,
            "superlative" => Self::Superlative,
            "absolute" => Self::Absolute,
            "dichotomy" => Self::Dichotomy,
            "nobody" => Self::Nobody,
            "slope" => Self::Slope,
            "rhetoric" => Self::Rhetoric,
            "number" => Self::Number,
            "source" => Self::Source,
            "plain" => Self::Plain,
            _ => return None,
        })
    }

    /// The category its marks belong to. None is [`Category::Misinformation`]: that takes a source that contradicts.
    pub(super) fn category(self) -> Option<Category> {
        match self {
            Self::Loaded | Self::Fear => Some(Category::Emotional),
            Self::Them | Self::Weasel | Self::Framing | Self::Superlative => Some(Category::Bias),
            Self::Absolute | Self::Dichotomy | Self::Nobody | Self::Slope | Self::Rhetoric | Self::Number => {
                Some(Category::Logical)
            }
            Self::Source => Some(Category::Supported),
            Self::Plain => None,
        }
    }

    /// Whether a "not" before the words takes their force away.
    pub(super) fn yields_to_negation(self) -> bool {
        matches!(self, Self::Loaded | Self::Fear | Self::Superlative | Self::Absolute | Self::Nobody)
    }
}

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
    /// The reason; `{}` stands for the words as the page has them.
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
        };
        for row in list.lines() {
            lexicon.add(row);
        }
        lexicon.first.sort_unstable();
        for words in [
            &mut lexicon.abbreviations,
            &mut lexicon.capitalised,
            &mut lexicon.negations,
            &mut lexicon.joints,
        ] {
            words.sort_unstable();
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
            _ => return self.add_entry(Kind::of(kind)?, strength, pattern, columns.next()?),
        };
        words.extend(pattern.split(' '));
        Some(())
    }

    fn add_entry(
        &mut self,
        kind: Kind,
        strength: &str,
        pattern: &'static str,
        reason: &'static str,
    ) -> Option<()> {
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
        let special = sentence.words[at].number || self.is_name(sentence, at);
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
            _ => {
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
            Element::Number(percent) => word.number && (!percent || sentence.folded(at).ends_with('%')),
            Element::Name => self.is_name(sentence, at),
            Element::Gap | Element::Clause | Element::Question => false,
        }
    }

    /// Whether the word names somebody: a capital that the start of the sentence does not explain.
    fn is_name(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let word = &sentence.words[at];
        let named = |at: usize| {
            sentence.words[at].capital && self.capitalised.binary_search(&sentence.folded(at)).is_err()
        };
        let first = at == 0 || word.opens;
        let next = at + 1 < sentence.words.len() && word.stop == Stop::None && named(at + 1);
        named(at) && (!first || word.acronym || next)
    }

    /// Whether one of the two words before `at` negates it.
    pub(super) fn negated(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        (at.saturating_sub(2)..at).any(|at| {
            let word = sentence.folded(at);
            word.ends_with("n't") || self.negations.binary_search(&word).is_ok()
        })
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
