//! Which addresses may be shown as links: only those a search or a fetch has really brought.

use crate::reading::address::web_address;

/// Addresses that may be cited, compared as a reader would: whatever the fragment, the closing slash or a user name.
#[derive(Debug, Clone, Default)]
pub struct Citable(Vec<String>);

impl Citable {
    /// Most addresses kept; a link to a further one is shown as one nobody checked.
    pub const MAX: usize = 1_000;

    /// Takes an address that was really found. Anything that leads nowhere on the web is left out.
    pub fn insert(&mut self, address: &str) {
        if self.0.len() < Self::MAX
            && let Some(address) = normalised(address)
            && !self.0.contains(&address)
        {
            self.0.push(address);
        }
    }

    /// Whether an address is one of these.
    pub fn holds(&self, address: &str) -> bool {
        normalised(address).is_some_and(|address| self.0.contains(&address))
    }

    /// How many there are, for renderers: more of them may turn words into links.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn normalised(address: &str) -> Option<String> {
    let mut url = web_address(address)?;
    url.set_fragment(None);
    // Both succeed for a URL with a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    let mut address = String::from(url);
    if address.ends_with('/') {
        address.pop();
    }
    Some(address)
}
