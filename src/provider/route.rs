//! Who serves a request.

use super::base_url::{self, is_own};
use super::dialect::dialect;
use super::registry;
use super::request::{self, Tools, Transport};
use crate::url::Url;
use crate::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError, Settings};
use crate::words;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// Key of what the reader is told when the chosen provider has no key and the offline reader steps in.
pub const NO_KEY_NOTICE: &str = "error_no_key";

/// Who serves a request, and how to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The provider.
    pub id: ProviderId,
    /// Key, model and base URL; the model is filled in.
    pub config: ProviderConfig,
    /// Key of what is to be shown before the answer.
    pub notice: Option<&'static str>,
    /// The tab whose page is read, which may have to ask in our place.
    pub tab: Option<i32>,
    /// Whether the reader allowed that.
    pub page_allowed: bool,
    /// Whether there is any address that the model may open.
    pub may_fetch: bool,
}

impl Route {
    /// A route that needs no page.
    pub fn new(id: ProviderId, config: ProviderConfig) -> Self {
        Self { id, config, notice: None, tab: None, page_allowed: false, may_fetch: true }
    }

    /// The next way to send what was refused for its origin: without the header, then through the page. `None` where there
    /// is no further one; fails when the reader has to agree first.
    pub fn way_around(&self, refused: Transport) -> Result<Option<Transport>, ReadingError> {
        let name = self.name();
        match refused {
            Transport::Direct => Ok(Some(Transport::WithoutOrigin)),
            Transport::WithoutOrigin if !registry::provider(self.id).page_proxy => Ok(None),
            Transport::WithoutOrigin if !self.page_allowed => {
                Err(ReadingError::new(ErrorCode::NeedsConsent, words::say("route_consent", &[&name])))
            }
            Transport::WithoutOrigin => self
                .tab
                .map(|tab| Some(Transport::Page(tab)))
                .ok_or_else(|| ReadingError::new(ErrorCode::OriginRefused, words::say("route_no_page", &[&name]))),
            Transport::Page(_) | Transport::Offscreen => Ok(None),
        }
    }

    /// Who is asked, for the reader: the host where the reader set an address, else the provider's name.
    pub fn name(&self) -> String {
        let row = registry::provider(self.id);
        base_url::host(row, &self.config).unwrap_or_else(|| row.name_in_sentence())
    }

    /// Whether a server on this machine or network is asked.
    pub fn is_local(&self) -> bool {
        let url = base_url::endpoint(self.id, &self.config).ok().and_then(|url| Url::parse(&url));
        url.is_some_and(|url| base_url::is_local(&url.host()))
    }

    /// Which tools a model there may have, as far as that is known before it is asked.
    pub fn tools(&self) -> Tools {
        let own_host = is_own(self.id, &self.config);
        let tools = dialect(self.id, own_host).map(|dialect| dialect.tools(own_host)).unwrap_or_default();
        Tools { fetch_url: tools.fetch_url && self.may_fetch, ..tools }
    }
}

/// Decides who serves a request. While nothing is set up that is the offline reader, silently; so it is, with a notice,
/// when the chosen provider's own address would need a key and there is none.
pub fn resolve(settings: &Settings) -> Result<Route, ReadingError> {
    let offline = |notice| Ok(Route { notice, ..Route::new(ProviderId::Rules, ProviderConfig::default()) });
    let Some(name) = &settings.provider else { return offline(None) };
    let Some(row) = registry::by_name(name) else {
        let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
        return Err(ReadingError::new(ErrorCode::BadRequest, words::say("route_unknown", &[&name])));
    };
    if !row.speaks_http() {
        return Ok(Route::new(row.id, ProviderConfig::default()));
    }
    let mut config = settings.config(row.id);
    if row.needs_key && config.key.is_empty() && (config.base_url.is_empty() || is_own(row.id, &config)) {
        return offline(Some(NO_KEY_NOTICE));
    }
    request::check_key(&config.key)?;
    base_url::endpoint(row.id, &config)?;
    if config.model.is_empty() {
        row.model.clone_into(&mut config.model);
    }
    Ok(Route { page_allowed: row.page_proxy && settings.gemini_page_proxy, ..Route::new(row.id, config) })
}
