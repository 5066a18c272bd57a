//! One pass over a page: block by block, sentence by sentence, word by word.

use std::ops::Range;

use super::block::{Block, Shape, Stop, Word};
use super::clause::{self, Span, with_quotes};
use super::kind::Kind;
use super::lexicon::{Hit, Lexicon, Sentence, Unless};
use super::links::Link;
use super::select::{Candidate, Candidates};
use crate::wire::Category;

/// Fewest words of a block that is read as prose; less is a heading, a caption or a button.
const PROSE: usize = 5;
/// A block of so many words is prose even without a full stop at its end.
const PROSE_UNSTOPPED: usize = 20;
/// Two weak words of one category this close together make a mark.
const PILE: usize = 6;
/// Quoted words that make a quotation; fewer are a term.
const QUOTATION: usize = 4;

/// Most bytes of a block that are read at once; a longer one is cut at a space, or where a word has no end.
pub(super) const LONGEST_BLOCK: usize = 64 * 1024;
/// Most words of a sentence; a longer one is read as two.
const LONGEST_SENTENCE: usize = 500;
/// Most candidates of a block that wait for what its other sentences and its neighbours say; the others are dropped.
const MOST_PENDING: usize = 64;

/// What was counted on the way. Sentences are those of prose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) words: usize,
    pub(super) sentences: usize,
    /// Sentences that carry a link.
    pub(super) linked: usize,
    /// Sentences that name who says so.
    pub(super) named: usize,
    /// Sentences that quote.
    pub(super) quoting: usize,
    /// Sentences that lean on people nobody can ask.
    pub(super) nobody: usize,
    /// Pattern elements tried: the work done.
    pub(super) steps: u64,
}

/// The pass. Buffers are reused from block to block.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    lexicon: &'a Lexicon,
    text: &'a str,
    links: &'a [Link<'a>],
    /// First link that does not end before the current sentence.
    next_link: usize,
    pub(super) counts: Counts,
    pub(super) candidates: Candidates,
    hits: Vec<Hit>,
    /// Words under a plain use.
    plain: Vec<bool>,
    /// Candidates of this block that count only if it carries no source.
    unless_here: Vec<Candidate>,
    /// Candidates of this block that count only if neither it nor its neighbours carry one.
    unless_nearby: Vec<Candidate>,
    /// Those of the block before, waiting for this one.
    waiting: Vec<Candidate>,
    /// Whether the block before carries a source.
    sourced_before: bool,
}

impl<'a> Scan<'a> {
    pub(super) fn new(lexicon: &'a Lexicon, text: &'a str, links: &'a [Link<'a>]) -> Self {
        Self {
            lexicon,
            text,
            links,
            next_link: 0,
            counts: Counts::default(),
            candidates: Candidates::default(),
            hits: Vec::new(),
            plain: Vec::new(),
            unless_here: Vec::new(),
            unless_nearby: Vec::new(),
            waiting: Vec::new(),
            sourced_before: false,
        }
    }

    /// Reads the whole text.
    pub(super) fn run(&mut self) {
        let mut block = Block::default();
        let mut start = 0;
        while start < self.text.len() {
            let piece = piece(&self.text[start..]);
            block.read(piece, &self.lexicon.abbreviations);
            self.counts.words += block.words.len();
            if is_prose(&block, piece) {
                self.block(&block, piece, start);
            }
            start += piece.len();
            start += usize::from(self.text[start..].starts_with(['\n', ' ']));
        }
        for candidate in std::mem::take(&mut self.waiting) {
            self.keep(candidate);
        }
    }

    fn block(&mut self, block: &Block, line: &str, start: usize) {
        let mut sourced = false;
        let mut from = 0;
        for (at, word) in block.words.iter().enumerate() {
            if word.stop >= Stop::Sentence || at - from == LONGEST_SENTENCE {
                sourced |= self.sentence(&Sentence { block, words: &block.words[from..=at] }, line, start);
                from = at + 1;
            }
        }
        let mut here = std::mem::take(&mut self.unless_here);
        let mut waiting = std::mem::take(&mut self.waiting);
        if sourced {
            here.clear();
            waiting.clear();
        }
        if sourced || self.sourced_before {
            self.unless_nearby.clear();
        }
        for candidate in here.drain(..).chain(waiting.drain(..)) {
            self.keep(candidate);
        }
        (self.unless_here, self.waiting) = (here, std::mem::take(&mut self.unless_nearby));
        self.sourced_before = sourced;
    }

    /// Reads a sentence; whether it carries a source. `start`: where its block starts in the text.
    fn sentence(&mut self, sentence: &Sentence<'_>, line: &str, start: usize) -> bool {
        self.counts.sentences += 1;
        let words = sentence.words;
        self.hits.clear();
        for at in 0..words.len() {
            self.counts.steps += self.lexicon.match_at(sentence, at, &mut self.hits);
        }
        self.drop_plain(sentence);

        let carried = self.link_in(start + words[0].at.start..start + words[words.len() - 1].at.end);
        let lexicon = self.lexicon;
        let named = self.hits.iter().find(|hit| lexicon.entries[hit.entry].kind == Kind::Source).copied();
        let quoting = words.iter().filter(|word| word.quoted).count() >= QUOTATION;
        self.counts.linked += usize::from(carried.is_some());
        self.counts.named += usize::from(named.is_some());
        self.counts.quoting += usize::from(quoting);

        let at = named
            .map(|hit| lexicon.whole_names(sentence, (hit.first, hit.last)))
            .or_else(|| self.words_of(carried?, words, start));
        if let Some(at) = at
            && let Some(phrase) = clause::claim(lexicon, line, sentence, at)
        {
            let figure = words.iter().any(|word| phrase.contains(&word.at.start) && is_figure(word, line));
            // A link by itself stands for a source only of a figure; who is named may also be quoted.
            let quotes = quoting && named.is_some();
            let asks = words[words.len() - 1].stop == Stop::Question;
            let evidence = u8::from(figure) + u8::from(quotes) + u8::from(named.is_some() && carried.is_some());
            if evidence > 0 && !asks {
                let made = self.candidate(sentence, line, start, at, phrase);
                let entry = named.map(|hit| hit.entry);
                self.candidates.push(Candidate { entry, link: carried, strength: evidence, ..made });
            }
        }
        self.wording(sentence, line, start);
        named.is_some() || carried.is_some()
    }

    /// Makes candidates of the hits that are about wording.
    fn wording(&mut self, sentence: &Sentence<'_>, line: &str, start: usize) {
        let hits = std::mem::take(&mut self.hits);
        let mut weak: [Option<(Hit, bool)>; 3] = [None; 3];
        for (index, &hit) in hits.iter().enumerate() {
            let entry = &self.lexicon.entries[hit.entry];
            let pile = match entry.kind.category() {
                Some(Category::Emotional) => &mut weak[0],
                Some(Category::Bias) => &mut weak[1],
                Some(Category::Logical) => &mut weak[2],
                Some(Category::Supported | Category::Misinformation) | None => continue,
            };
            // What is quoted is the speaker's wording, unless the quotation marks themselves are the point.
            let quoted = sentence.words[hit.first].quoted && !sentence.words[hit.first].opens;
            if quoted || is_speech(sentence, hit) {
                continue;
            }
            if entry.kind.yields_to_negation() && self.lexicon.negated(sentence, hit.first) {
                continue;
            }
            let (at, strength) = if entry.strength > 1 {
                ((hit.first, hit.last), entry.strength)
            } else {
                match pile.replace((hit, false)) {
                    // The same word twice is a subject, not a pile.
                    Some((before, false))
                        if hit.first - before.last <= PILE
                            && sentence.folded(hit.first) != sentence.folded(before.first) =>
                    {
                        *pile = Some((hit, true));
                        let more = hits[index + 1..].iter().take_while(|more| more.first <= hit.last + PILE / 2);
                        let last = more.filter(|more| self.is_weak(**more, entry.kind)).last();
                        ((before.first, last.map_or(hit.last, |last| last.last)), 2)
                    }
                    _ => continue,
                }
            };
            let Some(phrase) = clause::wording(self.lexicon, line, sentence, at) else { continue };
            let made = self.candidate(sentence, line, start, at, phrase);
            let made = Candidate { kind: entry.kind, entry: Some(hit.entry), strength, ..made };
            match entry.unless_sourced {
                Unless::Never => self.keep(made),
                Unless::Paragraph if self.unless_here.len() < MOST_PENDING => self.unless_here.push(made),
                Unless::Nearby if self.unless_nearby.len() < MOST_PENDING => self.unless_nearby.push(made),
                Unless::Paragraph | Unless::Nearby => {}
            }
        }
        self.hits = hits;
    }

    fn is_weak(&self, hit: Hit, kind: Kind) -> bool {
        let entry = &self.lexicon.entries[hit.entry];
        entry.strength == 1 && entry.kind == kind
    }

    /// A candidate that carries a source; `phrase` in bytes of the block.
    fn candidate(
        &self,
        sentence: &Sentence<'_>,
        line: &str,
        start: usize,
        trigger: Span,
        phrase: Range<usize>,
    ) -> Candidate {
        let trigger = with_quotes(line, sentence.words, trigger);
        Candidate {
            phrase: start + phrase.start..start + phrase.end,
            trigger: start + trigger.start..start + trigger.end,
            kind: Kind::Source,
            entry: None,
            link: None,
            strength: 0,
            sentence: self.counts.sentences,
        }
    }

    fn keep(&mut self, candidate: Candidate) {
        self.counts.nobody += usize::from(candidate.kind == Kind::Nobody);
        self.candidates.push(candidate);
    }

    /// Drops the hits that overlap a plain use of their words.
    fn drop_plain(&mut self, sentence: &Sentence<'_>) {
        self.plain.clear();
        self.plain.resize(sentence.words.len(), false);
        let lexicon = self.lexicon;
        let is_plain = |hit: &Hit| lexicon.entries[hit.entry].kind == Kind::Plain;
        for hit in self.hits.iter().filter(|hit| is_plain(hit)) {
            self.plain[hit.first..=hit.last].fill(true);
        }
        let plain = &self.plain;
        self.hits.retain(|hit| !plain[hit.first..=hit.last].contains(&true));
    }

    /// The first link within these bytes of the text. Sentences come in order, so the links are walked once.
    fn link_in(&mut self, sentence: Range<usize>) -> Option<usize> {
        while self.links.get(self.next_link).is_some_and(|link| link.at.end <= sentence.start) {
            self.next_link += 1;
        }
        self.links.get(self.next_link).filter(|link| link.at.start < sentence.end).map(|_| self.next_link)
    }

    /// The words a link covers in a sentence.
    fn words_of(&self, link: usize, words: &[Word], start: usize) -> Option<(usize, usize)> {
        let at = &self.links[link].at;
        let covers = |word: &Word| start + word.at.start < at.end && at.start < start + word.at.end;
        let first = words.iter().position(covers)?;
        Some((first, words.iter().rposition(covers)?.min(first + QUOTATION)))
    }
}

/// The first line of a text, or as much of it as is read at once.
fn piece(text: &str) -> &str {
    let end = memchr::memchr(b'\n', &text.as_bytes()[..text.len().min(LONGEST_BLOCK)]);
    if end.is_none() && text.len() > LONGEST_BLOCK {
        let most = &text[..text.floor_char_boundary(LONGEST_BLOCK)];
        return most.rsplit_once(' ').map_or(most, |(piece, _)| piece);
    }
    &text[..end.unwrap_or(text.len())]
}

/// Whether the hit starts with the first word of a quotation longer than a term.
fn is_speech(sentence: &Sentence<'_>, hit: Hit) -> bool {
    let words = &sentence.words[hit.first..];
    words[0].opens && !words.iter().take(QUOTATION).any(|word| word.closes)
}

/// Whether a block is running text: enough words, an end to its last sentence, no code, not all in capitals.
fn is_prose(block: &Block, line: &str) -> bool {
    let words = block.words.len();
    let ends = line.trim_end_matches(|c: char| "\"'”’»)]".contains(c)).ends_with(['.', '?', '!', '…', ':']);
    let code = line.bytes().filter(|byte| b"{}=<>_;|\\".contains(byte)).count();
    let capitals = block.words.iter().filter(|word| word.shape == Shape::Acronym).count();
    words >= PROSE && (ends || words >= PROSE_UNSTOPPED) && code * 4 <= words && capitals * 2 <= words
}

/// Whether a word is a figure, not a year or the number of a footnote.
fn is_figure(word: &Word, line: &str) -> bool {
    let number = &line[word.at.clone()];
    let year = number.len() == 4 && number.parse::<u16>().is_ok_and(|year| (1500..2100).contains(&year));
    word.shape == Shape::Number && !year && !line[..word.at.start].ends_with('[')
}
