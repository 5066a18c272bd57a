//! What a row of a word list is about, and what follows from it: one table.

use crate::wire::Category;

/// What a row of a list is about.
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

/// One row for each kind.
pub(super) struct Row {
    pub(super) kind: Kind,
    /// In the first column of a list.
    name: &'static str,
    /// Of its marks; `None`: it makes none. Never [`Category::Misinformation`], which takes a source that contradicts.
    pub(super) category: Option<Category>,
    /// Key of what a summary calls it.
    pub(super) label: &'static str,
    /// Whether a "not" before the words takes their force away.
    yields: bool,
}

const fn row(kind: Kind, name: &'static str, category: Option<Category>, label: &'static str, yields: bool) -> Row {
    Row { kind, name, category, label, yields }
}

const EMOTIONAL: Option<Category> = Some(Category::Emotional);
const BIAS: Option<Category> = Some(Category::Bias);
const LOGICAL: Option<Category> = Some(Category::Logical);
const SUPPORTED: Option<Category> = Some(Category::Supported);

/// The table.
pub(super) const KINDS: &[Row] = &[
    row(Kind::Loaded, "loaded", EMOTIONAL, "rules_kind_loaded", true),
    row(Kind::Fear, "fear", EMOTIONAL, "rules_kind_fear", true),
    row(Kind::Them, "them", BIAS, "rules_kind_them", false),
    row(Kind::Weasel, "weasel", BIAS, "rules_kind_weasel", false),
    row(Kind::Framing, "framing", BIAS, "rules_kind_framing", false),
    row(Kind::Superlative, "superlative", BIAS, "rules_kind_superlative", true),
    row(Kind::Absolute, "absolute", LOGICAL, "rules_kind_absolute", true),
    row(Kind::Dichotomy, "dichotomy", LOGICAL, "rules_kind_dichotomy", false),
    row(Kind::Nobody, "nobody", LOGICAL, "rules_kind_nobody", true),
    row(Kind::Slope, "slope", LOGICAL, "rules_kind_slope", false),
    row(Kind::Rhetoric, "rhetoric", LOGICAL, "rules_kind_rhetoric", false),
    row(Kind::Number, "number", LOGICAL, "rules_kind_number", false),
    row(Kind::Source, "source", SUPPORTED, "rules_kind_source", false),
    row(Kind::Plain, "plain", None, "", false),
];

impl Kind {
    /// The kind of a row's first column.
    pub(super) fn named(name: &str) -> Option<Self> {
        KINDS.iter().find(|row| row.name == name).map(|row| row.kind)
    }

    fn row(self) -> Option<&'static Row> {
        KINDS.iter().find(|row| row.kind == self)
    }

    /// The category its marks belong to.
    pub(super) fn category(self) -> Option<Category> {
        self.row()?.category
    }

    /// Whether a "not" before the words takes their force away.
    pub(super) fn yields_to_negation(self) -> bool {
        self.row().is_some_and(|row| row.yields)
    }
}
