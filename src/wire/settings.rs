//! What `chrome.storage.local` holds, and what of it a request needs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A provider by the name it has in storage. What each is and can do stands in [`crate::provider::registry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderId {
    /// Anthropic's Messages API, or a server that speaks it.
    Anthropic,
    /// OpenAI's chat completions, or any server that speaks them.
    Openai,
    /// Google's Gemini.
    Gemini,
    /// The model in Chrome itself, behind its Prompt API.
    Builtin,
    /// The offline reader: no model, no network.
    Rules,
}

impl ProviderId {
    /// The name in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Builtin => "builtin",
            Self::Rules => "rules",
        }
    }
}

/// How to reach one provider.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ProviderConfig {
    /// Secret; empty when not set.
    pub key: String,
    /// Model name; empty means the provider's default.
    pub model: String,
    /// Base URL as the reader typed it; empty means the provider's own.
    pub base_url: String,
    /// What it takes, where the reader set both prices. Stays in the panel.
    #[serde(skip)]
    pub price: Option<Price>,
    /// What the reader chose for long pages. Stays in the panel.
    #[serde(skip)]
    pub long_pages: LongPages,
}

/// What to do with a page whose reading sends much. Remembered for each provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LongPages {
    /// Ask each time.
    #[default]
    Ask,
    /// Read all of those that send no more tokens than this.
    UpTo(u64),
    /// Read their first part.
    FirstPart,
}

impl LongPages {
    /// The key in storage.
    pub fn key(provider: ProviderId) -> String {
        format!("{}LongPages", provider.as_str())
    }

    /// The value in storage: `"first"`, or the number of tokens.
    pub fn to_stored(self) -> Value {
        match self {
            Self::Ask => Value::Null,
            Self::UpTo(tokens) => tokens.into(),
            Self::FirstPart => "first".into(),
        }
    }

    fn from_stored(stored: Option<&Value>) -> Self {
        match stored {
            Some(value) if value.as_str() == Some("first") => Self::FirstPart,
            // JavaScript writes every number as one with a point.
            Some(value) => value.as_f64().filter(|tokens| (1.0..1e12).contains(tokens)).map_or(Self::Ask, |tokens| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "within the range that is checked"
                )]
                Self::UpTo(tokens as u64)
            }),
            None => Self::Ask,
        }
    }
}

impl std::fmt::Debug for ProviderConfig {
    /// Never prints the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.key.is_empty() { "" } else { "…" };
        f.debug_struct("ProviderConfig")
            .field("key", &key)
            .field("model", &self.model)
            .field("base_url", &self.base_url)
            .field("price", &self.price)
            .field("long_pages", &self.long_pages)
            .finish()
    }
}

/// Instructions of the reader's own in place of ours; empty means ours. `{text}`, `{title}` and `{url}` stand for the
/// page, as the delimited block that says it is untrusted data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnPrompts {
    /// `analysisPrompt` in storage.
    pub analysis: String,
    /// `chatPrompt` in storage.
    pub chat: String,
    /// `highlightsPrompt` in storage: what to look for. The form of the answer stays ours.
    pub highlights: String,
}

/// What a provider takes, in US dollars for a billion tokens. Storage holds dollars for a million, as price lists do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// Tokens read; `<provider>InputPrice` in storage.
    pub input: u64,
    /// Tokens written; `<provider>OutputPrice` in storage.
    pub output: u64,
}

/// Whether models may open links of a page. What the reader names in a message may always be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenLinks {
    /// Without asking.
    Always,
    /// After asking, each time.
    Ask,
    /// Not at all.
    Never,
}

impl OpenLinks {
    /// The name in storage.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Ask => "ask",
            Self::Never => "never",
        }
    }

    /// The value of a name in storage; `None` for any other.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Always, Self::Ask, Self::Never].into_iter().find(|value| value.as_str() == name)
    }
}

/// Everything the reader has set, as storage holds it. Unknown keys are left alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Name of the chosen provider as stored, even one unknown here; `None` while nothing is set up.
    pub provider: Option<String>,
    /// Instructions of the reader's own.
    pub prompts: OwnPrompts,
    /// Language of answers, as the reader named it; empty means the page's. `answerLanguage` in storage.
    pub answer_language: String,
    /// Whether models may open links; `None` means on every page but private ones. `openLinks` in storage.
    pub open_links: Option<OpenLinks>,
    /// Whether a provider reads every page the panel is open on, unasked. `readEveryPage` in storage.
    pub read_every_page: bool,
    /// Whether Gemini may be reached through the page, which then sees the key. `geminiPageProxy` in storage.
    pub gemini_page_proxy: bool,
    /// Whether readings are kept from the history: `keepHistory` in storage is off.
    pub forgets_readings: bool,
    anthropic: ProviderConfig,
    openai: ProviderConfig,
    gemini: ProviderConfig,
}

impl Settings {
    /// Reads storage; what is absent or of another type counts as not set.
    pub fn from_storage(stored: &Map<String, Value>) -> Self {
        let text = |key: &str| stored.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_on = |key: &str| stored.get(key).and_then(Value::as_bool).unwrap_or_default();
        let config = |id: ProviderId| {
            let name = id.as_str();
            let price = |which| stored.get(&format!("{name}{which}Price"))?.as_f64().and_then(for_a_billion);
            let mut key = clean_key(text(&format!("{name}Key")));
            if key.is_empty() && id == ProviderId::Anthropic {
                key = clean_key(text("apiKey"));
            }
            ProviderConfig {
                key,
                model: text(&format!("{name}Model")).trim().to_owned(),
                base_url: text(&format!("{name}BaseUrl")).trim().to_owned(),
                long_pages: LongPages::from_stored(stored.get(&LongPages::key(id))),
                price: price("Input").zip(price("Output")).map(|(input, output)| Price { input, output }),
            }
        };
        Self {
            provider: Some(text("provider").trim().to_owned()).filter(|name| !name.is_empty()),
            prompts: OwnPrompts {
                analysis: text("analysisPrompt").trim().to_owned(),
                chat: text("chatPrompt").trim().to_owned(),
                highlights: text("highlightsPrompt").trim().to_owned(),
            },
            answer_language: text("answerLanguage").trim().to_owned(),
            open_links: OpenLinks::named(text("openLinks")),
            read_every_page: is_on("readEveryPage"),
            gemini_page_proxy: is_on("geminiPageProxy"),
            forgets_readings: stored.get("keepHistory").and_then(Value::as_bool) == Some(false),
            anthropic: config(ProviderId::Anthropic),
            openai: config(ProviderId::Openai),
            gemini: config(ProviderId::Gemini),
        }
    }

    /// Whether models may open links of a page. Without the reader's word it is asked on a page that is theirs alone, for
    /// its text may hold what nobody else may know.
    pub fn open_links_of(&self, is_private: bool) -> OpenLinks {
        self.open_links.unwrap_or(if is_private { OpenLinks::Ask } else { OpenLinks::Always })
    }

    /// How to reach a provider.
    pub fn config(&self, id: ProviderId) -> ProviderConfig {
        match id {
            ProviderId::Anthropic => self.anthropic.clone(),
            ProviderId::Openai => self.openai.clone(),
            ProviderId::Gemini => self.gemini.clone(),
            ProviderId::Builtin | ProviderId::Rules => ProviderConfig::default(),
        }
    }
}

/// Removes what a paste brings along: white space, line breaks and zero-width characters at any place, and quotes around.
pub fn clean_key(pasted: &str) -> String {
    let visible: String = pasted
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .filter(|c| !matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{00AD}'))
        .collect();
    visible.trim_matches(['"', '\'', '“', '”', '‘', '’']).to_owned()
}

/// Dollars for a million tokens as dollars for a billion; `None` for what is no price.
fn for_a_billion(for_a_million: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range that is checked")]
    (0.0..=1e6).contains(&for_a_million).then_some((for_a_million * 1e3).round() as u64)
}
