//! Splits text into the pieces that are merged separately: the patterns of the encodings.
//!
//! For any text, the pieces are the matches of the published regular expressions in OpenAI's `tiktoken`,
//! `tiktoken_ext/openai_public.py`. Here each is a function from the start of a piece to its end, and no step reads a
//! character more than a bounded number of times.

use crate::base::lanes::Lanes;
use crate::split::class::{self, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER, is_letter};

/// A pattern that cuts text into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// The pattern of `o200k_base`: words split where lower case meets upper case.
    O200kBase,
    /// The pattern of `cl100k_base`: words of any case, contractions on their own.
    Cl100kBase,
}

impl Pattern {
    /// The patterns by the names of the encodings that they come from.
    pub const NAMES: [(&'static str, Self); 2] = [("o200k_base", Self::O200kBase), ("cl100k_base", Self::Cl100kBase)];

    /// The end of the piece that starts at `start`, a piece boundary below the end of `text`.
    #[inline]
    pub(crate) fn piece_end(self, text: &[u8], start: usize) -> usize {
        match self {
            Self::O200kBase => o200k_end(text, start),
            Self::Cl100kBase => cl100k_end(text, start),
        }
    }
}

fn o200k_end(text: &[u8], start: usize) -> usize {
    let (first, len) = class::at(text, start);
    match first {
        UPPER | LOWER | LETTER | MARK => return cased_word_end(text, start),
        OTHER | SPACE if matches!(class_at(text, start + len), Some(UPPER | LOWER | LETTER | MARK)) => {
            return cased_word_end(text, start + len);
        }
        _ => {}
    }
    if first == NUMBER {
        return number_end(text, start);
    }
    match symbols_end(text, start) {
        Some(end) => run_end(text, end, |byte| matches!(byte, b'\r' | b'\n' | b'/')),
        None => white_space_end(text, start, false),
    }
}

fn cl100k_end(text: &[u8], start: usize) -> usize {
    if let Some(end) = contraction_end(text, start) {
        return end;
    }
    let (first, len) = class::at(text, start);
    if is_letter(first) {
        return word_end(text, start);
    }
    if matches!(first, OTHER | SPACE | MARK) && class_at(text, start + len).is_some_and(is_letter) {
        return word_end(text, start + len);
    }
    if first == NUMBER {
        return number_end(text, start);
    }
    match symbols_end(text, start) {
        Some(end) => run_end(text, end, |byte| matches!(byte, b'\r' | b'\n')),
        None => white_space_end(text, start, true),
    }
}

#[inline]
fn class_at(text: &[u8], at: usize) -> Option<u8> {
    (at < text.len()).then(|| class::at(text, at).0)
}

/// How far to go from `at`, in a piece that starts at `start` and takes the character there, to the last of many equal
/// bytes of ASCII: what is true of a character of a run is true of all of them. Looked for now and then.
#[inline]
fn run_of_one(text: &[u8], start: usize, at: usize) -> usize {
    const NOW_AND_THEN: usize = 64;
    if (at - start) % NOW_AND_THEN != NOW_AND_THEN - 1 || text[at] >= 0x80 {
        return 0;
    }
    let blocks = text[at + 1..].as_chunks::<16>().0;
    16 * blocks.iter().take_while(|block| Lanes::new(block).equal(text[at]) == 0xFFFF).count()
}

/// `\p{L}+`
fn word_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some((class, len)) = class_and_len(text, at)
        && is_letter(class)
    {
        at += len + run_of_one(text, start, at);
    }
    at
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`, else the same with `+` and `*` exchanged, and a
/// contraction after either. There is a mark or a letter at `start`.
fn cased_word_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    // Behind the last character that both halves of the pattern take: where backtracking ends in the first alternative,
    // if no lower case follows.
    let mut after_caseless = None;
    let mut lower = false;
    while at < text.len() {
        let (class, len) = class::at(text, at);
        // Letters of ASCII have case: none of a run is the last that both halves take.
        let next = at + len + run_of_one(text, start, at);
        match class {
            LETTER | MARK => after_caseless = Some(at + len),
            UPPER if !lower => {}
            LOWER => lower = true,
            _ => break,
        }
        at = next;
    }
    let end = if lower { at } else { after_caseless.unwrap_or(at) };
    contraction_end(text, end).unwrap_or(end)
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`; under case folding U+017F is an s.
fn contraction_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?.strip_prefix(b"'")?;
    let letter = |i: usize| rest.get(i).map_or(0, u8::to_ascii_lowercase);
    let len = match (letter(0), letter(1)) {
        (b's' | b't' | b'm' | b'd', _) => 1,
        (b'r' | b'v', b'e') | (b'l', b'l') | (0xC5, 0xBF) => 2,
        _ => return None,
    };
    Some(start + 1 + len)
}

/// `\p{N}{1,3}`
fn number_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    for _ in 0..3 {
        match class_and_len(text, at) {
            Some((NUMBER, len)) => at += len,
            _ => break,
        }
    }
    at
}

#[inline]
fn class_and_len(text: &[u8], at: usize) -> Option<(u8, usize)> {
    (at < text.len()).then(|| class::at(text, at))
}

/// ` ?[^\s\p{L}\p{N}]+`
fn symbols_end(text: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(text[start] == b' ');
    let mut at = first;
    while let Some((OTHER | MARK, len)) = class_and_len(text, at) {
        at += len + run_of_one(text, start, at);
    }
    (at > first).then_some(at)
}

#[inline]
fn run_end(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let len = text[start..].iter().take_while(|&&byte| belongs(byte)).count();
    start + len
}

/// `\s*[\r\n]+`, else `\s+(?!\S)`, else `\s+`; before them all `\s++$` where `end_first`.
fn white_space_end(text: &[u8], start: usize, end_first: bool) -> usize {
    let mut at = start;
    let mut last = start;
    let mut after_newline = None;
    while let Some((class @ (SPACE | NEWLINE), len)) = class_and_len(text, at) {
        at += run_of_one(text, start, at);
        last = at;
        at += len;
        if class == NEWLINE {
            after_newline = Some(at);
        }
    }
    let to_the_end = at == text.len();
    match after_newline {
        Some(end) if !(to_the_end && end_first) => end,
        _ if to_the_end || last == start => at,
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(pattern: Pattern, text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = pattern.piece_end(text.as_bytes(), start);
            found.push(&text[start..end]);
            start = end;
        }
        found
    }

    #[test]
    fn words_take_one_character_before_them() {
        assert_eq!(pieces(Pattern::O200kBase, "a (b) {\"c"), ["a", " (", "b", ")", " {\"", "c"]);
        assert_eq!(pieces(Pattern::O200kBase, "\tname:x"), ["\tname", ":x"]);
    }

    #[test]
    fn case_splits_words_of_o200k_only() {
        assert_eq!(pieces(Pattern::O200kBase, "camelCaseHTTPServer"), ["camel", "Case", "HTTPServer"]);
        assert_eq!(pieces(Pattern::Cl100kBase, "camelCaseHTTPServer"), ["camelCaseHTTPServer"]);
    }

    #[test]
    fn letters_without_case_give_back() {
        assert_eq!(pieces(Pattern::O200kBase, "AあBB"), ["Aあ", "BB"]);
        assert_eq!(pieces(Pattern::O200kBase, "AあBBc"), ["AあBBc"]);
        assert_eq!(pieces(Pattern::O200kBase, "\u{301}BB"), ["\u{301}", "BB"]);
    }

    #[test]
    fn contractions_fold_case() {
        assert_eq!(pieces(Pattern::O200kBase, "don't'S I'LL a'ſb"), ["don't", "'S", " I'LL", " a'ſ", "b"]);
        assert_eq!(pieces(Pattern::Cl100kBase, "don't'S a'ſb"), ["don", "'t", "'S", " a", "'ſ", "b"]);
    }

    #[test]
    fn white_space_leaves_its_last_character_to_the_word() {
        assert_eq!(pieces(Pattern::O200kBase, "a   b"), ["a", "  ", " b"]);
        assert_eq!(pieces(Pattern::O200kBase, "a \n \n  1"), ["a", " \n \n", " ", " ", "1"]);
        assert_eq!(pieces(Pattern::O200kBase, ";\n//\n \n"), [";\n//\n", " \n"]);
        assert_eq!(pieces(Pattern::O200kBase, "a\n "), ["a", "\n", " "]);
        assert_eq!(pieces(Pattern::Cl100kBase, "a\n "), ["a", "\n "]);
    }

    #[test]
    fn runs_end_where_they_would_one_by_one() {
        for len in [62, 63, 64, 65, 79, 80, 81, 200] {
            for (run, next) in
                [("a", "B"), ("A", "a"), ("-", "\n-"), (" ", "a"), ("\n", " "), ("\n", " \n"), ("\t", "")]
            {
                let text = run.repeat(len) + next;
                // Without its middle, the same.
                let short = run.repeat(20) + next;
                for pattern in [Pattern::O200kBase, Pattern::Cl100kBase] {
                    let end = pattern.piece_end(text.as_bytes(), 0);
                    assert_eq!(end, pattern.piece_end(short.as_bytes(), 0) + len - 20, "{pattern:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_come_in_threes() {
        assert_eq!(pieces(Pattern::O200kBase, " 12345½²x"), [" ", "123", "45½", "²", "x"]);
    }
}
