//! Sorting, compiled once.
//!
//! The standard library's sorts are compiled anew for everything they sort, 3 to 5 kB of the wasm module each time. Here
//! the one thing that is sorted is positions.

use std::cmp::Ordering;

/// Sorts by a key; what has equal keys stays in its order. Takes `O(n log n)` calls of `key`.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let mut order = order(items.len(), &|a, b| key(&items[a]).cmp(&key(&items[b])));
    // Each round of positions that change places among each other is gone along once.
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            items.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

/// The positions of so many things in their order. The comparison is not a parameter of type, so that this exists once.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::sort_by_key;

    proptest! {
        #[test]
        fn as_the_standard_library_does_it(mut items: Vec<(u8, u16)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_key(&mut items, |item| item.0);
            prop_assert_eq!(items, expected);
        }
    }
}
