use super::*;

/// 25 July 2026, 12:00 UTC.
const NOON: u64 = 1_784_980_800_000;

#[track_caller]
fn check(header: &str, expect_ms: u32) {
    assert_eq!(delay(1, Some(header), NOON, 0.0), Some(expect_ms), "{header}");
}

#[test]
fn both_forms_of_retry_after_are_followed_up_to_the_cap() {
    check("7", 7_000);
    check(" 7 ", 7_000);
    check("1.5", 2_000);
    check("7200", MAX_DELAY_MS);
    check("99999999999999999999999", MAX_DELAY_MS);
    check("Sat, 25 Jul 2026 12:00:30 GMT", 30_000);
    check("Sat, 25 Jul 2026 14:00:00 GMT", MAX_DELAY_MS);
}

#[test]
fn what_names_no_later_time_falls_back_to_backoff() {
    for header in [
        "",
        "0",
        "-5",
        "soon",
        "5 minutes",
        "NaN",
        "Sat, 25 Jul 2026 11:59:00 GMT",
        "Sat, 25 Jul 2026 12:05:00 CET",
        "Sat, 99 Jul 2026 12:05:00 GMT",
        "Sat, 25 Jul",
        "1e3",
    ] {
        check(header, 500);
    }
}

#[test]
fn dates_count_leap_years() {
    for (date, ms) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800_000),
        ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200_000),
        ("Sat, 25 Jul 2026 12:00:00 GMT", NOON),
    ] {
        assert_eq!(http_date_ms(date), Some(ms), "{date}");
    }
}

#[test]
fn backoff_doubles_within_its_jitter_and_ends() {
    assert_eq!(
        [1, 2, 3, 4, 9].map(|attempt| delay(attempt, None, 0, 0.0)),
        [Some(500), Some(1000), Some(2000), None, None]
    );
    assert_eq!(delay(3, None, 0, 1.0), Some(4_000));
    assert_eq!(delay(1, None, 0, f64::NAN), Some(750));
    assert_eq!(delay(4, Some("1"), 0, 0.0), None);
}

#[test]
fn only_passing_failures_are_retried_and_only_before_the_first_word() {
    let busy = ReadingError::retryable(ErrorCode::Overloaded, "busy");
    assert!(may_retry(&busy, false));
    assert!(!may_retry(&busy, true));
    assert!(!may_retry(&ReadingError::new(ErrorCode::RateLimited, "no credit"), false));
    assert!(!may_retry(&ReadingError::new(ErrorCode::Auth, "bad key"), false));
}
