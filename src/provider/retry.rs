//! When to ask again, and how long to wait first. Pure: the time and the jitter come in.

use crate::wire::{ErrorCode, ReadingError};

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// How often a request is sent at most, the first time included.
pub const MAX_ATTEMPTS: u32 = 4;
/// The longest wait, in milliseconds, whatever a server asks for: a person is watching.
pub const MAX_DELAY_MS: u32 = 60_000;
/// The wait behind the first failure, before jitter, in milliseconds; it doubles with each further one.
const FIRST_DELAY_MS: u32 = 1_000;

/// Milliseconds to wait before the next attempt; `None` when enough were made.
///
/// - `attempt`: how many attempts have failed, from 1.
/// - `retry_after`: the header as sent, in seconds or as an HTTP date; anything else counts as absent.
/// - `now_unix_ms`: the time, for the date.
/// - `jitter`: a random number in 0..1, which spreads the waits between half and all of the back-off.
pub fn delay(attempt: u32, retry_after: Option<&str>, now_unix_ms: u64, jitter: f64) -> Option<u32> {
    if attempt >= MAX_ATTEMPTS {
        return None;
    }
    if let Some(ms) = retry_after.and_then(|header| asked_delay(header, now_unix_ms)) {
        return Some(u32::try_from(ms).unwrap_or(MAX_DELAY_MS).min(MAX_DELAY_MS));
    }
    let half = (FIRST_DELAY_MS / 2) << attempt.saturating_sub(1);
    let share = if (0.0..=1.0).contains(&jitter) { jitter } else { 0.5 };
    // Between zero and `half`, so the cast loses nothing but the fraction.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let spread = (f64::from(half) * share) as u32;
    Some(half + spread)
}

/// Milliseconds a server asks to wait, however long; `None` when its header names no later time.
pub fn asked_delay(retry_after: &str, now_unix_ms: u64) -> Option<u64> {
    asked_ms(retry_after.trim(), now_unix_ms).filter(|ms| *ms > 0)
}

/// Whether to ask again by ourselves: the failure may pass, and the reader has seen nothing of the answer yet.
pub fn may_retry(error: &ReadingError, shown: bool) -> bool {
    let passes = match error.code {
        ErrorCode::RateLimited | ErrorCode::Overloaded | ErrorCode::Network | ErrorCode::Truncated => error.retryable,
        ErrorCode::UnknownMessage
        | ErrorCode::NoKey
        | ErrorCode::Auth
        | ErrorCode::NotFound
        | ErrorCode::BadRequest
        | ErrorCode::TooLong
        | ErrorCode::Refused
        | ErrorCode::OriginRefused
        | ErrorCode::NeedsConsent
        | ErrorCode::Stalled
        | ErrorCode::Protocol
        | ErrorCode::Empty
        | ErrorCode::Runaway
        | ErrorCode::Overflow
        | ErrorCode::Interrupted
        | ErrorCode::Page
        | ErrorCode::Internal => false,
    };
    passes && !shown
}

fn asked_ms(header: &str, now_unix_ms: u64) -> Option<u64> {
    if header.bytes().next()?.is_ascii_digit() {
        // Whole seconds by the standard; some servers send fractions, of which the next whole second is good enough.
        let (seconds, fraction) = header.split_once('.').unwrap_or((header, ""));
        if !seconds.bytes().chain(fraction.bytes()).all(|digit| digit.is_ascii_digit()) {
            return None;
        }
        let seconds = seconds.parse::<u64>().unwrap_or(u64::MAX).saturating_add(u64::from(!fraction.is_empty()));
        return Some(seconds.saturating_mul(1_000));
    }
    Some(http_date_ms(header)?.saturating_sub(now_unix_ms))
}

/// Milliseconds since 1970 of a date such as `Sat, 25 Jul 2026 12:05:00 GMT`
/// ([RFC 9110 §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7), the form in use).
fn http_date_ms(date: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = date.split_once(", ")?.1.split(' ');
    let day: u64 = parts.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let name = parts.next()?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let year: u64 = parts.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut clock = parts.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if parts.next()? != "GMT" || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_days_before = |year: u64| (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
    let month_start = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month];
    let days = (year - 1970) * 365 + leap_days_before(year) - leap_days_before(1970)
        + month_start
        + u64::from(month > 1 && leap(year))
        + (day - 1);
    Some((days * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000)
}
