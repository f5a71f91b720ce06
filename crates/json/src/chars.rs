//! How many characters the text of a JSON string literal has.

/// A literal of more bytes is searched.
const SHORT: usize = 256;

/// The number of characters of a literal's text (a lone surrogate is one). Quotes around the literal are one each.
pub fn chars(literal: &str) -> usize {
    // Most strings are short, and plain ASCII: they are looked at once, and need no search.
    let is_other = |byte: u8| byte >= 0x80 || byte == b'\\';
    if literal.len() <= SHORT && !literal.bytes().fold(false, |found, byte| found | is_other(byte)) {
        return literal.len();
    }
    let (mut count, mut rest) = (0, literal);
    while let Some(plain) = rest.find('\\') {
        count += rest[..plain].chars().count() + 1;
        rest = &rest[plain + escape_len(&rest.as_bytes()[plain..])..];
    }
    count + rest.chars().count()
}

/// The bytes of the escape that a literal begins with, of two if they are the halves of one character.
fn escape_len(bytes: &[u8]) -> usize {
    let is_half = |at: usize, second: std::ops::RangeInclusive<u8>| {
        let half = bytes.get(at..at + 4);
        half.is_some_and(|half| half[..2] == *b"\\u" && half[2] | 0x20 == b'd' && second.contains(&(half[3] | 0x20)))
    };
    match bytes.get(1) {
        // The second digit of a high surrogate is 8, 9, A or B; that of a low one C to F.
        Some(b'u') if (is_half(0, b'8'..=b'9') || is_half(0, b'a'..=b'b')) && is_half(6, b'c'..=b'f') => 12,
        Some(b'u') => 6,
        Some(_) => 2,
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::chars;

    #[test]
    fn an_escape_is_one_character() {
        let literals = [
            ("", 0),
            ("plain", 5),
            (r"a\n\\\u00e9\/", 5),
            ("é日🙂", 3),
            (r"\ud83d\ude00", 1),
            (r"\uD83D\uDE00", 1),
            (r"\ud83d\ud83d", 2),
            (r"\ude00\ud83d", 2),
            (r"\ud7ff\udc00", 2),
            (r"\udbff\udfff", 1),
            (r"\ud83d\n", 2),
            (r"\ud83d", 1),
        ];
        for (literal, count) in literals {
            assert_eq!(chars(literal), count, "{literal}");
            let many = literal.repeat(200);
            // A high half before a low one is one character with it, whoever wrote them.
            if !literal.starts_with(r"\ude") {
                assert_eq!(chars(&many), 200 * count, "{literal}");
            }
        }
    }
}
