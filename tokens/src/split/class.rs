//! The Unicode class of a character, as the patterns of the encodings see it.
//!
//! Promises the classes of Unicode 16.0, which is what `tiktoken` 0.14 uses. The table is generated
//! by `cargo xtask vocab` from the crate `regex-syntax`, the same data that `tiktoken`'s own regex
//! engine is built on.

/// Neither letter, mark, number nor white space.
pub(crate) const OTHER: u8 = 0;
/// White space but carriage return and line feed.
pub(crate) const SPACE: u8 = 1;
/// Carriage return or line feed.
pub(crate) const NEWLINE: u8 = 2;
/// `\p{N}`
pub(crate) const NUMBER: u8 = 3;
/// `\p{M}`
pub(crate) const MARK: u8 = 4;
/// `\p{Lu}` or `\p{Lt}`
pub(crate) const UPPER: u8 = 5;
/// `\p{Ll}`
pub(crate) const LOWER: u8 = 6;
/// `\p{Lm}` or `\p{Lo}`: letters without case
pub(crate) const LETTER: u8 = 7;

/// Code points a block of the table covers.
const BLOCK: usize = 128;
/// Blocks in all of Unicode; the first part of the table names a stored block for each.
const BLOCKS: usize = 0x11_0000 / BLOCK;

/// The number of the stored block for each block of Unicode, then the stored blocks, two classes a byte.
const TABLE: &[u8] = include_bytes!("../data/classes.bin");

/// Whether `class` is `\p{L}`.
#[inline]
pub(crate) fn is_letter(class: u8) -> bool {
    class >= UPPER
}

/// The class of the code point `code`.
#[inline]
pub(crate) fn of(code: u32) -> u8 {
    let code = code as usize;
    let block = TABLE[(code / BLOCK).min(BLOCKS - 1)] as usize;
    let pair = TABLE[BLOCKS + block * (BLOCK / 2) + code % BLOCK / 2];
    pair >> (code % 2 * 4) & 15
}

/// Class and length in bytes of the character that starts at `bytes[at]`, in UTF-8.
///
/// `bytes` is the text of a `str` and `at` a character boundary below its length.
#[inline(always)]
pub(crate) fn at(bytes: &[u8], at: usize) -> (u8, usize) {
    let lead = bytes[at];
    if lead < 0x80 {
        return (SHORT[usize::from(lead)], 1);
    }
    if lead < 0xE0 {
        return (SHORT[usize::from(lead & 0x1F) << 6 | usize::from(bytes[at + 1] & 0x3F)], 2);
    }
    // Of those that take three bytes, what most are.
    if matches!(lead, 0xE5..=0xE8 | 0xEB..=0xEC) {
        return (LETTER, 3);
    }
    if lead < 0xF0
        && let Some(&[_, second, third]) = bytes[at..].first_chunk()
    {
        return (of(u32::from(lead & 0x0F) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F)), 3);
    }
    let (code, len) = code_at(bytes, at);
    (of(code), len)
}

/// Code point and length in bytes of the character that starts at `bytes[at]`, in UTF-8.
#[inline]
pub(crate) fn code_at(bytes: &[u8], at: usize) -> (u32, usize) {
    let tail = |i: usize| u32::from(bytes[at + i] & 0x3F);
    let lead = u32::from(bytes[at]);
    match lead {
        0..0x80 => (lead, 1),
        0x80..0xE0 => ((lead & 0x1F) << 6 | tail(1), 2),
        0xE0..0xF0 => ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
        _ => ((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    }
}

/// Length in bytes of the character that starts with the byte `lead`.
#[inline]
pub(crate) fn len_of(lead: u8) -> usize {
    match lead {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// The classes of the characters of one or two bytes, which need no look-up in two steps.
static SHORT: [u8; 0x800] = {
    let mut classes = [OTHER; 0x800];
    let mut code = 0;
    while code < 0x800 {
        let pair = TABLE[BLOCKS + TABLE[code / BLOCK] as usize * (BLOCK / 2) + code % BLOCK / 2];
        classes[code] = pair >> (code % 2 * 4) & 15;
        code += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_class_of_the_table() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer);
            assert_eq!(at(text.as_bytes(), 0), (of(c.into()), text.len()), "{c:?}");
        }
    }

    #[test]
    fn white_space_is_what_the_standard_library_says() {
        for c in '\0'..=char::MAX {
            let class = of(c.into());
            assert_eq!(class == SPACE || class == NEWLINE, c.is_whitespace(), "{c:?}");
        }
    }

    #[test]
    fn code_points_are_read_from_utf8() {
        for c in ['a', 'é', '\u{7FF}', '\u{800}', '中', '\u{FFFF}', '😀', char::MAX] {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer);
            assert_eq!(code_at(text.as_bytes(), 0), (c.into(), text.len()));
        }
    }
}
