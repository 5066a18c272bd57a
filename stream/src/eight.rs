//! Eight bytes at a time, in plain Rust. A mask has the highest bit of each byte that is meant.

/// Eight times the same byte.
pub(crate) const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Marks bytes below `bound`, which is at most 128: all up to the first, and perhaps others behind it.
pub(crate) const fn below(word: u64, bound: u8) -> u64 {
    word.wrapping_sub(each(bound)) & !word & each(0x80)
}

/// Likewise bytes that are `byte`.
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ each(byte), 1)
}

/// Marks the ASCII bytes from `low` to `high`, and no others.
pub(crate) const fn between(word: u64, low: u8, high: u8) -> u64 {
    let bits = word & each(0x7f);
    (bits + each(0x80 - low)) & !(bits + each(0x7f - high)) & !word & each(0x80)
}

/// Which byte is the first that is marked; 8 when none is.
pub(crate) const fn first(mask: u64) -> usize {
    (mask.trailing_zeros() / 8) as usize
}

/// The first `count` bytes (at most 8), and zeros.
pub(crate) const fn keep(word: u64, count: usize) -> u64 {
    if count >= 8 { word } else { word & ((1 << (8 * count)) - 1) }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_lies_between_is_marked_and_nothing_else(bytes in any::<[u8; 8]>(), a in 1..128_u8, b in 1..128_u8) {
            let (low, high) = (a.min(b), a.max(b));
            let marks = between(u64::from_le_bytes(bytes), low, high).to_le_bytes();
            prop_assert_eq!(marks, bytes.map(|byte| if (low..=high).contains(&byte) { 0x80 } else { 0 }));
        }

        #[test]
        fn the_first_is_found(bytes in any::<[u8; 8]>(), bound in 0..=128_u8, byte: u8) {
            let word = u64::from_le_bytes(bytes);
            let position = |is: &dyn Fn(u8) -> bool| bytes.iter().position(|&byte| is(byte)).unwrap_or(8);
            prop_assert_eq!(first(below(word, bound)), position(&|it| it < bound));
            prop_assert_eq!(first(equal(word, byte)), position(&|it| it == byte));
        }
    }

    #[test]
    fn what_is_kept_is_the_beginning() {
        let word = u64::from_le_bytes(*b"abcdefgh");
        for count in 0..=8 {
            let kept = keep(word, count).to_le_bytes();
            assert_eq!((&kept[..count], &kept[count..]), (&b"abcdefgh"[..count], &[0; 8][count..]));
        }
    }
}
