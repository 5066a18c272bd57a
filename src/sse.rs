//! Push parser for server-sent events: bytes in, events out.
