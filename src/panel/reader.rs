//! Who reads.

use super::model::Panel;
use crate::provider::{self, registry};
use crate::wire::{Price, ProviderId};

/// Who reads, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderName {
    /// The provider.
    pub id: ProviderId,
    /// Its name.
    pub label: String,
    /// The model; empty for the offline reader.
    pub model: String,
    /// What it takes, where the reader set prices.
    pub price: Option<Price>,
}

impl ReaderName {
    /// A provider by its label, without what that says in brackets.
    fn unasked(id: ProviderId) -> Self {
        let label = registry::provider(id).label();
        let label = label.split_once(" (").map_or(label.as_str(), |(name, _)| name).to_owned();
        Self { id, label, model: String::new(), price: None }
    }
}

impl Panel {
    /// Who would read now: the chosen provider, or the offline reader in its place.
    pub fn reader(&self) -> ReaderName {
        match provider::resolve(&self.settings) {
            Ok(route) if registry::provider(route.id).speaks_http() => {
                ReaderName { id: route.id, label: route.name(), model: route.config.model, price: route.config.price }
            }
            Ok(route) => ReaderName::unasked(route.id),
            // The reading itself will say what is wrong with the settings.
            Err(_) => ReaderName::unasked(self.chosen().unwrap_or(ProviderId::Rules)),
        }
    }

    /// Whether the chosen provider has to be replaced by the offline reader for want of a key.
    pub(super) fn lacks_key(&self) -> bool {
        provider::resolve(&self.settings).is_ok_and(|route| route.notice.is_some())
    }

    fn chosen(&self) -> Option<ProviderId> {
        registry::by_name(self.settings.provider.as_deref()?).map(|row| row.id)
    }
}
