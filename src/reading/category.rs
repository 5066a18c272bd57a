//! The one table of highlight categories: colours, underline, and what models call them. Their words stand with all
//! others of the interface.
//!
//! Prompt, style sheets, pills, legend and the parser of model answers all read these rows. To add a category, add a
//! variant to [`Category`] and a row here.

use std::fmt::Write as _;

use crate::wire::Category;
use crate::words;

/// Everything Sidelight knows about one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CategoryRow {
    /// The category.
    pub category: Category,
    /// Its name on the wire, in CSS names and in the prompt.
    pub name: &'static str,
    /// Stands before the words wherever the colour appears, so that colour never speaks alone.
    pub symbol: &'static str,
    /// What a model is told about when to use it; one line.
    pub prompt: &'static str,
    /// Base colour, `#rrggbb`: tint and underline on the page, dots and bars in the panel.
    pub colour: &'static str,
    /// Shade for text on the light surfaces; contrast at least 4.5:1.
    pub text_on_light: &'static str,
    /// Shade for text on the dark surfaces; contrast at least 4.5:1.
    pub text_on_dark: &'static str,
    /// How the phrase is underlined; each category has its own style, which forced colours leave in place.
    pub underline: Underline,
    /// What models write instead of [`Self::name`], as [`parse`] folds it: lower case, letters and digits only.
    pub synonyms: &'static [&'static str],
}

impl CategoryRow {
    /// Symbol and words, as the legend and the tooltip show them: the text `category_label_…`.
    pub fn label(&self) -> String {
        self.say("label")
    }

    /// One word for a pill: the text `category_short_…`.
    pub fn short(&self) -> String {
        self.say("short")
    }

    /// What a mark means, as the legend tells the reader, in one sentence: the text `category_meaning_…`.
    pub fn meaning(&self) -> String {
        self.say("meaning")
    }

    fn say(&self, what: &str) -> String {
        words::say(&["category_", what, "_", self.name].concat(), &[])
    }
}

/// A `text-decoration-style`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Underline {
    /// One line.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Two lines.
    Double,
    /// A wave.
    Wavy,
}

impl Underline {
    /// The CSS keyword.
    pub fn as_css(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Dashed => "dashed",
            Self::Dotted => "dotted",
            Self::Double => "double",
            Self::Wavy => "wavy",
        }
    }
}

/// The rows, in the order of [`Category`].
pub const CATEGORIES: [CategoryRow; 5] = [
    CategoryRow {
        category: Category::Misinformation,
        name: "misinformation",
        symbol: "⚠",
        prompt: "a factual claim that is contradicted by good evidence or leaves out what makes it misleading",
        colour: "#ff6b6b",
        text_on_light: "#c02626",
        text_on_dark: "#ff8080",
        underline: Underline::Wavy,
        synonyms: &[
            "misinformationrisk",
            "misinfo",
            "disinformation",
            "false",
            "falseclaim",
            "falsehood",
            "incorrect",
            "inaccurate",
            "misleading",
            "misleadingclaim",
            "debunked",
            "contradicted",
            "fabricated",
        ],
    },
    CategoryRow {
        category: Category::Emotional,
        name: "emotional",
        symbol: "💬",
        prompt: "wording chosen to stir fear, anger, pity or pride rather than to inform",
        colour: "#ffa94d",
        text_on_light: "#a34700",
        text_on_dark: "#ffa94d",
        underline: Underline::Dashed,
        synonyms: &[
            "emotion",
            "emotionallanguage",
            "emotionalappeal",
            "emotive",
            "emotivelanguage",
            "loaded",
            "loadedlanguage",
            "loadedwords",
            "inflammatory",
            "sensational",
            "sensationalism",
            "sensationalist",
            "fear",
            "fearmongering",
            "hyperbole",
            "manipulation",
            "manipulative",
        ],
    },
    CategoryRow {
        category: Category::Bias,
        name: "bias",
        symbol: "⚖",
        prompt: "one-sided selection, labels or framing that favour one side of a dispute",
        colour: "#ffd43b",
        text_on_light: "#7d5a00",
        text_on_dark: "#ffd43b",
        underline: Underline::Dotted,
        synonyms: &[
            "biased",
            "biasframing",
            "biasandframing",
            "biasedframing",
            "biasedlanguage",
            "framing",
            "frame",
            "slant",
            "slanted",
            "onesided",
            "partisan",
            "opinion",
            "stereotype",
        ],
    },
    CategoryRow {
        category: Category::Supported,
        name: "supported",
        symbol: "✓",
        prompt: "a checkable claim that carries its source or agrees with well-established knowledge",
        colour: "#69db7c",
        text_on_light: "#21702f",
        text_on_dark: "#69db7c",
        underline: Underline::Solid,
        synonyms: &[
            "supportedclaim",
            "support",
            "supporting",
            "supportedfact",
            "wellsupported",
            "verified",
            "verifiedclaim",
            "verifiedfact",
            "true",
            "fact",
            "factual",
            "accurate",
            "correct",
            "confirmed",
            "evidence",
            "evidencebased",
            "sourced",
        ],
    },
    CategoryRow {
        category: Category::Logical,
        name: "logical",
        symbol: "⧖",
        prompt: "a flaw of reasoning: false dichotomy, straw man, slippery slope, cause taken from coincidence",
        colour: "#da77f2",
        text_on_light: "#8f2fa8",
        text_on_dark: "#e08df5",
        underline: Underline::Double,
        synonyms: &[
            "logic",
            "logicflaw",
            "logicalflaw",
            "logicerror",
            "logicalerror",
            "logicalfallacy",
            "logicfallacy",
            "fallacy",
            "fallacious",
            "reasoning",
            "flawedreasoning",
            "strawman",
            "falsedichotomy",
            "falsedilemma",
            "slipperyslope",
            "adhominem",
            "nonsequitur",
        ],
    },
];

/// The row of a category.
pub fn row(category: Category) -> &'static CategoryRow {
    // In bounds: a test holds the rows to the order and number of the variants.
    &CATEGORIES[category as usize]
}

/// Longest folded name [`parse`] looks at, in bytes; longer ones are sentences, not names.
const MAX_NAME: usize = 40;

/// Reads what a model wrote as a category: name, label or synonym, whatever its case and separators; of several (`bias,
/// emotional`) the first.
///
/// Mild words such as "unverified" or "unsupported" name nothing here: they say less than any category does.
pub fn parse(written: &str) -> Option<Category> {
    by_name(written).or_else(|| written.split([',', '/', ';']).find_map(by_name))
}

fn by_name(written: &str) -> Option<Category> {
    // As the prompt names them.
    if let Some(row) = CATEGORIES.iter().find(|row| row.name == written) {
        return Some(row.category);
    }
    let mut folded = String::new();
    for c in written.chars().filter(|c| c.is_alphanumeric()) {
        // No name has letters beyond ASCII.
        folded.push(c.to_ascii_lowercase());
        if folded.len() > MAX_NAME {
            return None;
        }
    }
    CATEGORIES.iter().find(|row| row.name == folded || row.synonyms.contains(&folded.as_str())).map(|row| row.category)
}

/// Opacity of the tint behind a marked phrase.
const TINT: &str = "0.25";

/// Style sheet for the page: one `::highlight(sidelight-<name>)` rule per category, one for the focused phrase, and
/// what remains of both under forced colours. It reads no custom property, since those belong to the page.
pub fn page_css() -> String {
    let mut css = String::with_capacity(2048);
    for row in &CATEGORIES {
        let [r, g, b] = rgb(row.colour);
        // Writing to a `String` can't fail.
        let _ = writeln!(
            css,
            "::highlight(sidelight-{name}) {{\n  background-color: rgb({r} {g} {b} / {TINT});\n  text-decoration: underline 2px {style} {colour};\n}}",
            name = row.name,
            style = row.underline.as_css(),
            colour = row.colour,
        );
    }
    css.push_str("::highlight(sidelight-focus) {\n  background-color: rgb(77 141 255 / 0.4);\n}\n");
    css.push_str("@media (forced-colors: active) {\n");
    for row in &CATEGORIES {
        let _ = writeln!(
            css,
            "  ::highlight(sidelight-{name}) {{\n    background-color: transparent;\n    text-decoration: underline 2px {style} CanvasText;\n  }}",
            name = row.name,
            style = row.underline.as_css(),
        );
    }
    css.push_str(
        "  ::highlight(sidelight-focus) {\n    background-color: Highlight;\n    color: HighlightText;\n  }\n}\n",
    );
    css
}

/// Style sheet for the panel: `--cat-<name>` (base) and `--cat-<name>-text` (safe for text), in light and dark.
pub fn panel_css() -> String {
    let mut css = String::from(":root {\n");
    for row in &CATEGORIES {
        let _ = writeln!(css, "  --cat-{}: {};", row.name, row.colour);
        let _ = writeln!(css, "  --cat-{}-text: {};", row.name, row.text_on_light);
    }
    css.push_str("}\n@media (prefers-color-scheme: dark) {\n  :root {\n");
    for row in &CATEGORIES {
        let _ = writeln!(css, "    --cat-{}-text: {};", row.name, row.text_on_dark);
    }
    css.push_str("  }\n}\n");
    css
}

/// The channels of `#rrggbb`.
fn rgb(colour: &str) -> [u8; 3] {
    let channel = |at: usize| colour.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    [channel(1), channel(3), channel(5)]
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
