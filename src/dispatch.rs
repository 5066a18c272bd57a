//! A request's life: port message → run → events.
