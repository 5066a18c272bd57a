//! What looks at every byte of an answer or a page, in a crate of its own: this one is compiled for speed, the rest for size.
//!
//! - [`sse`]: bytes to events
//! - [`envelope`]: the short way for events that differ from the one before in their text alone
//! - [`json`]: the inside of a JSON string
//! - [`object`]: well-formed objects of an answer, wherever the text is cut
//! - [`text`]: what a text is made of
//! - [`words`]: its words, and where each stands
//!
//! Nothing here is generic over what a caller brings along: code is compiled as the crate it is instantiated in says. And
//! what a caller enters with a text is never inlined: within a function that is built for size it would be built for size.

mod eight;
pub mod envelope;
pub mod json;
pub mod object;
pub mod sse;
pub mod text;
pub mod words;
