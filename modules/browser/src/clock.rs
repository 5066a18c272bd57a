//! The time, and something that differs from one client to the next.

/// Milliseconds since 1970. Wall time, since `Retry-After` may name a date.
pub fn now() -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and far below 2^53")]
    let now = js_sys::Date::now() as u64;
    now
}

/// A number to spread retries with.
pub fn seed() -> u64 {
    js_sys::Math::random().to_bits()
}
