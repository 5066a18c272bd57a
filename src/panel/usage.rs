//! Tokens and what they cost, as a reader sees them.

use crate::wire::{Price, Usage};
use crate::words;

/// What a request used, and its cost where the reader set prices: `1,091 tokens in · 500 out · $0.012`. Empty when the
/// provider did not say. Tokens from a cache count as read.
pub(super) fn usage_line(usage: Option<Usage>, price: Option<Price>) -> String {
    let Some(usage) = usage else { return String::new() };
    let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
    let read = usage.input_tokens.saturating_add(cached);
    if read == 0 && usage.output_tokens == 0 {
        return String::new();
    }
    let (input, output) = (words::number(read), words::number(usage.output_tokens));
    match price {
        Some(price) => words::say("panel_tokens_cost", &[&input, &output, &cost(read, usage.output_tokens, price)]),
        None => words::say("panel_tokens", &[&input, &output]),
    }
}

/// What so many tokens cost.
pub(super) fn cost(sent: u64, received: u64, price: Price) -> String {
    dollars(sent.saturating_mul(price.input).saturating_add(received.saturating_mul(price.output)))
}

/// Billionths of a dollar, rounded to cents, or finer where cents would say nothing.
fn dollars(billionths: u64) -> String {
    let (unit, digits) = match billionths {
        0 => return words::dollars(0, 0),
        1..50_000 => return words::say("panel_cost_under", &[&words::dollars(1, 4)]),
        50_000..9_950_000 => (100_000, 4),
        9_950_000..995_000_000 => (1_000_000, 3),
        _ => (10_000_000, 2),
    };
    words::dollars(billionths.saturating_add(unit / 2) / unit, digits)
}
