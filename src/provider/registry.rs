//! The one table of providers. Options page, host permission, routing and tests read it; nothing else lists providers.

use crate::wire::ProviderId;
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// One provider: what there is to know about it before a request.
#[derive(Clone, Copy)]
pub struct Provider {
    /// Its name in storage.
    pub id: ProviderId,
    /// Its name as its company writes it.
    pub name: &'static str,
    /// Its own base URL; empty without HTTP.
    pub base_url: &'static str,
    /// The model taken when the reader chose none; empty where there is no choice.
    pub model: &'static str,
    /// Whether its own address asks for a key. A base URL the reader set may do without.
    pub needs_key: bool,
    /// Where the reader gets a key; empty when none is needed.
    pub key_page: &'static str,
    /// Match pattern of its own host, to be granted before the first request; empty without HTTP.
    pub host_permission: &'static str,
    /// Whether the reader may set another base URL.
    pub base_url_editable: bool,
    /// Whether it may refuse browser extensions altogether, so that the page has to ask in our place. Only with the
    /// reader's consent, since the page then sees the key.
    pub page_proxy: bool,
    /// Path of the endpoint of servers compatible with it, from the version on, with `{model}` for the model's name and the
    /// query, if any; empty without HTTP.
    pub(super) path: &'static str,
    /// Path of its own endpoint.
    pub(super) own_path: &'static str,
    /// Path of its list of models, with the query, if any; empty where there is none.
    pub(super) models_path: &'static str,
}

impl Provider {
    /// Its name in a sentence: one of a company stands as it is, others are the text `provider_name_…`.
    pub fn name_in_sentence(&self) -> String {
        if self.speaks_http() {
            return self.name.to_owned();
        }
        words::say(&format!("provider_name_{}", self.id.as_str()), &[])
    }

    /// Its name in a list, with whatever else it covers: the text `provider_label_…`.
    pub fn label(&self) -> String {
        words::say(&format!("provider_label_{}", self.id.as_str()), &[])
    }

    /// What is sent where, in one sentence: the text `provider_sends_…`.
    pub fn sends(&self) -> String {
        words::say(&format!("provider_sends_{}", self.id.as_str()), &[])
    }

    /// Whether it says which models it has.
    pub fn lists_models(&self) -> bool {
        !self.models_path.is_empty()
    }

    /// Whether a request to it leaves the extension.
    pub fn speaks_http(&self) -> bool {
        !self.path.is_empty()
    }
}

/// Every provider, in the order the options page shows them.
pub static PROVIDERS: [Provider; 5] = [
    Provider {
        id: ProviderId::Rules,
        name: "offline reader",
        base_url: "",
        model: "",
        needs_key: false,
        key_page: "",
        host_permission: "",
        base_url_editable: false,
        page_proxy: false,
        path: "",
        models_path: "",
        own_path: "",
    },
    Provider {
        id: ProviderId::Anthropic,
        name: "Anthropic",
        base_url: "https://api.anthropic.com",
        model: "claude-sonnet-4-5",
        needs_key: true,
        key_page: "https://platform.claude.com/settings/keys",
        host_permission: "https://api.anthropic.com/*",
        base_url_editable: true,
        page_proxy: false,
        path: "/v1/messages",
        models_path: "/v1/models?limit=1000",
        own_path: "/v1/messages",
    },
    Provider {
        id: ProviderId::Openai,
        name: "OpenAI",
        base_url: "https://api.openai.com",
        model: "gpt-5-mini",
        needs_key: true,
        key_page: "https://platform.openai.com/api-keys",
        host_permission: "https://api.openai.com/*",
        base_url_editable: true,
        page_proxy: false,
        path: "/v1/chat/completions",
        models_path: "/v1/models",
        own_path: "/v1/responses",
    },
    Provider {
        id: ProviderId::Gemini,
        name: "Gemini",
        base_url: "https://generativelanguage.googleapis.com",
        model: "gemini-flash-latest",
        needs_key: true,
        key_page: "https://aistudio.google.com/apikey",
        host_permission: "https://generativelanguage.googleapis.com/*",
        base_url_editable: true,
        page_proxy: true,
        path: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
        own_path: "/v1beta/models/{model}:streamGenerateContent?alt=sse",
        models_path: "/v1beta/models?pageSize=1000",
    },
    Provider {
        id: ProviderId::Builtin,
        name: "Chrome's built-in model",
        base_url: "",
        model: "",
        needs_key: false,
        key_page: "",
        host_permission: "",
        base_url_editable: false,
        page_proxy: false,
        path: "",
        own_path: "",
        models_path: "",
    },
];

/// The row of a provider; the offline reader's for an id without one.
pub fn provider(id: ProviderId) -> &'static Provider {
    PROVIDERS.iter().find(|row| row.id == id).unwrap_or(&PROVIDERS[0])
}

/// The row with this name in storage.
pub fn by_name(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|row| row.id.as_str() == name)
}

/// The short name of the provider whose own host this is.
pub(super) fn host_label(host: &str) -> Option<&'static str> {
    let row = PROVIDERS.iter().find(|row| row.base_url.strip_prefix("https://") == Some(host))?;
    Some(row.name)
}
