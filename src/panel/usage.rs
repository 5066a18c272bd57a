//! Tokens and what they cost, as a reader sees them.

use super::view::grouped;
use crate::wire::{Price, Usage};

/// What a request used, and its cost where the reader set prices: `1,091 tokens in · 500 out · $0.012`. Empty when the
/// provider did not say. Tokens from a cache count as read.
pub(super) fn usage_line(usage: Option<Usage>, price: Option<Price>) -> String {
    let Some(usage) = usage else { return String::new() };
    let cached = usage.cache_read_tokens.saturating_add(usage.cache_write_tokens);
    let read = usage.input_tokens.saturating_add(cached);
    if read == 0 && usage.output_tokens == 0 {
        return String::new();
    }
    let tokens = format!("{} tokens in · {} out", grouped(read), grouped(usage.output_tokens));
    match price {
        Some(price) => {
            let billionths =
                read.saturating_mul(price.input).saturating_add(usage.output_tokens.saturating_mul(price.output));
            format!("{tokens} · {}", dollars(billionths))
        }
        None => tokens,
    }
}

/// Billionths of a dollar, rounded to cents, or finer where cents would say nothing.
fn dollars(billionths: u64) -> String {
    let (unit, digits) = match billionths {
        0 => return "$0".to_owned(),
        1..50_000 => return "under $0.0001".to_owned(),
        50_000..9_950_000 => (100_000, 4),
        9_950_000..995_000_000 => (1_000_000, 3),
        _ => (10_000_000, 2),
    };
    let units = billionths.saturating_add(unit / 2) / unit;
    let one = 1_000_000_000 / unit;
    format!("${}.{:0digits$}", grouped(units / one), units % one)
}
