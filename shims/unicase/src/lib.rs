//! What pulldown-cmark needs of `unicase`, without its tables.
//!
//! pulldown-cmark compares the labels of link references and nothing else with it. Full case folding brings 48 kB of
//! tables for that; the lower case of the standard library differs in a handful of characters (`ß` and `ss`), which no
//! model's link label hangs on.

use std::hash::{Hash, Hasher};

/// A string that equals another when their lower case does.
#[derive(Debug, Clone)]
pub struct UniCase<S>(S);

impl<S: AsRef<str>> UniCase<S> {
    /// Wraps a string.
    pub const fn new(text: S) -> Self {
        Self(text)
    }

    fn folded(&self) -> impl Iterator<Item = char> {
        self.0.as_ref().chars().flat_map(char::to_lowercase)
    }
}

impl<S: AsRef<str>> AsRef<str> for UniCase<S> {
    fn as_ref(&self) -> &str {
        self.0.as_ref()
    }
}

impl<S: AsRef<str>> PartialEq for UniCase<S> {
    fn eq(&self, other: &Self) -> bool {
        self.folded().eq(other.folded())
    }
}

impl<S: AsRef<str>> Eq for UniCase<S> {}

impl<S: AsRef<str>> Hash for UniCase<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded().for_each(|c| c.hash(state));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::UniCase;

    #[test]
    fn case_makes_no_difference() {
        let labels: HashSet<_> = ["Größe", "GRÖSSE", "größe", "ΣΊΣΥΦΟΣ", "σίσυφοσ"].map(UniCase::new).into();
        assert_eq!(labels.len(), 3);
    }
}
