//! Where the first sentence of prose ends.
//!
//! A text is looked at once, however it is punctuated. The rules are those of UAX 29 that prose needs, with two
//! differences: Latin punctuation ends a sentence only before white space, so that `?a=b` and `a != b` end none, and a line
//! break is a space, because prose is wrapped.

/// What ends a sentence without a space behind it, because its script has no spaces.
const ENDS_ANYWHERE: [char; 12] = ['。', '！', '？', '｡', '।', '॥', '؟', '۔', '։', '።', '‼', '⁇'];
/// What may come between the end of a sentence and the white space behind it: quotation marks, brackets, marks of Markdown.
const CLOSES: [char; 14] = ['"', '\'', ')', ']', '}', '*', '_', '`', '”', '’', '»', '」', '』', '）'];

/// The first sentence of a paragraph, or its first lines to one that introduces a list, without white space at its end.
pub fn first(paragraph: &str) -> &str {
    let ends = paragraph.char_indices().filter(|&(_, c)| is_end(c) || c == ':');
    for (at, end) in ends {
        let behind = &paragraph[at + end.len_utf8()..];
        let rest = behind.trim_start_matches(CLOSES);
        let ends_here = match end {
            ':' => rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n'),
            '.' => starts_blank(rest) && !goes_on(rest),
            '!' | '?' => starts_blank(rest),
            _ => true,
        };
        if ends_here {
            return &paragraph[..paragraph.len() - rest.len()];
        }
    }
    paragraph.trim_end()
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?') || ENDS_ANYWHERE.contains(&c)
}

fn starts_blank(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

/// Whether the full stop before belongs to an abbreviation: the next letter, in the same sentence, is a small one.
fn goes_on(rest: &str) -> bool {
    rest.chars().find(|&c| is_end(c) || c.is_alphabetic()).is_some_and(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn a_sentence_ends_before_white_space() {
        for (paragraph, sentence) in [
            ("One two\nthree four. Five.", "One two\nthree four."),
            ("A list:\n- b\n- c", "A list:"),
            ("A time: 10:30. Then.", "A time: 10:30."),
            ("no end ", "no end"),
            ("Is a != b, or /x?y=z the one? Yes.", "Is a != b, or /x?y=z the one?"),
            ("Version 1.2.3 of it. More.", "Version 1.2.3 of it."),
            (
                "Say e.g. this, etc.\nand (perhaps) that... well. Then.",
                "Say e.g. this, etc.\nand (perhaps) that... well.",
            ),
            ("He said “no.” Then he left.", "He said “no.”"),
            ("**Note.** It is (almost.) all.", "**Note.**"),
            ("これは文です。次の文。", "これは文です。"),
            ("「はい。」と言った。", "「はい。」"),
            ("यह एक वाक्य है। दूसरा।", "यह एक वाक्य है।"),
            ("", ""),
        ] {
            assert_eq!(first(paragraph), sentence);
        }
    }

    #[test]
    fn what_closes_or_separates_is_looked_at_once() {
        // Looked at from each of them, this would take days.
        for filler in [")", ". ", ".)", " ", "1 "] {
            let paragraph = format!("Words.{}x", filler.repeat(1 << 20));
            assert!(first(&paragraph).starts_with("Words."));
        }
    }
}
