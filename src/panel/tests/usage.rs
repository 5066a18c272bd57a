//! Tokens and cost in words.

use crate::panel::usage::usage_line;
use crate::wire::{Price, Usage};

fn line(read: u64, written: u64, price: Option<(u64, u64)>) -> String {
    let usage = Usage { input_tokens: read, output_tokens: written, ..Usage::default() };
    usage_line(Some(usage), price.map(|(input, output)| Price { input, output }))
}

#[test]
fn cost_is_rounded_to_what_a_reader_can_use() {
    // One token read at so many billionths of a dollar.
    for (billionths, shown) in [
        (0, "$0"),
        (49_999, "under $0.0001"),
        (50_000, "$0.0001"),
        (1_234_567, "$0.0012"),
        (9_949_999, "$0.0099"),
        (9_950_000, "$0.010"),
        (12_345_678, "$0.012"),
        (994_999_999, "$0.995"),
        (995_000_000, "$1.00"),
        (1_234_567_890, "$1.23"),
        (1_234_567_890_123, "$1,234.57"),
    ] {
        assert_eq!(line(1, 0, Some((billionths, 0))), format!("1 tokens in · 0 out · {shown}"));
    }
    assert!(line(u64::MAX, u64::MAX / 2, Some((1, u64::MAX))).contains('$'), "no sum is too large");
}

#[test]
fn without_prices_there_is_no_cost_and_without_tokens_nothing() {
    assert_eq!(line(1_234_567, 89, None), "1,234,567 tokens in · 89 out");
    assert_eq!(line(0, 0, Some((1, 1))), "");
    assert_eq!(usage_line(None, None), "");
}
