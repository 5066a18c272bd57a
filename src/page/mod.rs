//! A page's text as the core sees it, and how a phrase finds its place in it.
