//! Character classes, and the folding under which a page and a model's quotation of it are the same text.

use super::marks::is_combining_mark;

/// Hands a character's full compatibility decomposition (NFKD), in lower case, to a callback, piece by piece.
///
/// It comes in from outside because its tables would cost the wasm module a quarter of its budget, and every browser has
/// them already. It must not depend on anything but the character.
pub type Decompose = fn(char, &mut dyn FnMut(char));

/// What matching makes of a character.
pub(super) enum Folded {
    /// Nothing: the character can't be seen.
    Nothing,
    /// White space; a run of it is one space.
    Space,
    /// A character to decompose and put in lower case.
    Text(char),
}

/// Sorts a character into what matching makes of it.
pub(super) fn fold(c: char) -> Folded {
    match c {
        c if is_invisible(c) || is_ignored_mark(c) => Folded::Nothing,
        c if c.is_whitespace() => Folded::Space,
        // Its compatibility decomposition is a space with an accent, but people type it as an apostrophe.
        '\u{b4}' => Folded::Text('\''),
        c => Folded::Text(c),
    }
}

/// Pushes the decomposed, lower-case, plainly punctuated form of `c` (NFKD and case fold).
pub(super) fn push_folded(c: char, decompose: Decompose, out: &mut Vec<char>) {
    if c.is_ascii() {
        out.push(plain(c.to_ascii_lowercase()));
        return;
    }
    decompose(c, &mut |part| match part {
        'ß' => out.extend(['s', 's']),
        'ς' => out.push('σ'),
        part => out.push(plain(part)),
    });
}

/// Typographic quotes and dashes as their plain twins.
pub(super) fn plain(c: char) -> char {
    match c {
        '`' | '\u{2b9}' | '\u{2bc}' | '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '‹' | '›' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '«' | '»' | '「' | '」' | '『' | '』' | '〝' | '〞' => {
            '"'
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => '-',
        c => c,
    }
}

/// Characters without a shape of their own: soft hyphen, zero-width, bidi controls, tag characters.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Marks that writers leave out at will: Arabic harakat and tatweel, Hebrew points, variation selectors.
fn is_ignored_mark(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{656}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether `c` belongs to the character before it, so that nothing may come between them.
pub(super) fn extends(c: char) -> bool {
    !c.is_ascii()
        && (is_combining_mark(c)
            || is_ignored_mark(c)
            || matches!(c, '\u{1160}'..='\u{11ff}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}'))
}

/// Symbols that a zero-width joiner fuses into one picture.
pub(super) fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Half of a flag.
pub(super) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Scripts written without spaces between words: every character stands for itself.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What a browser does for the core, done by a library.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn decompose_for_tests(c: char, out: &mut dyn FnMut(char)) {
    unicode_normalization::char::decompose_compatible(c, |part| part.to_lowercase().for_each(&mut *out));
}
