//! What a host shows of a text that is over its limit, as hosts were seen to do it in November 2026.

use std::borrow::Cow;
use std::fmt;

use super::text_size::TextSize;

/// What a host does with a result over its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverLimit {
    /// It has no limit.
    Shows,
    /// Half of the limit is from the start, half from the end.
    RemovesMiddle,
    /// A fifth of the limit is from the start, the rest from the end.
    RemovesMost,
    /// It shows the lines that fit; a longer one has none.
    KeepsFirstLines,
    /// It shows the file's name, and this many characters.
    WritesFile(usize),
    /// The same for one block.
    WritesBlock,
    /// It writes a file, and shows whole lines from both ends, or of one long line a fifth of the limit.
    WritesFileAndEnds,
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::Shows => "",
            Self::RemovesMiddle => "removes the middle",
            Self::RemovesMost => "keeps a fifth of the limit from the start, the rest from the end",
            Self::KeepsFirstLines => "shows the first lines, and nothing of a line that is longer",
            Self::WritesFile(0) => "writes it to a file",
            Self::WritesFile(chars @ 1_000..) => {
                return write!(f, "writes it to a file and shows {},{:03} characters", chars / 1_000, chars % 1_000);
            }
            Self::WritesFile(chars) => return write!(f, "writes it to a file and shows {chars} characters"),
            Self::WritesBlock => "writes the block to a file",
            Self::WritesFileAndEnds => "writes it to a file and shows both ends",
        })
    }
}

impl OverLimit {
    /// What is shown of a text that is over this limit, without the host's own words.
    pub fn left(self, text: &str, limit: TextSize) -> Cow<'_, str> {
        match self {
            Self::Shows => Cow::Borrowed(text),
            Self::RemovesMiddle => ends(text, limit.chars / 2, limit.chars - limit.chars / 2),
            Self::RemovesMost => ends(text, limit.chars / 5, limit.chars - limit.chars / 5),
            Self::WritesFileAndEnds if text.contains('\n') => {
                ends(text, limit.chars / 5, limit.chars - limit.chars / 5)
            }
            Self::WritesFileAndEnds => ends(text, limit.chars / 5, 0),
            Self::WritesFile(chars) => ends(text, chars, 0),
            Self::WritesBlock => Cow::Borrowed(""),
            Self::KeepsFirstLines => {
                let within = &text.as_bytes()[..limit.bytes.min(text.len())];
                let most = memchr::memchr_iter(b'\n', within).take(limit.lines).last();
                Cow::Borrowed(most.map_or("", |end| &text[..end]))
            }
        }
    }
}

/// The first and the last characters of a text.
fn ends(text: &str, first: usize, last: usize) -> Cow<'_, str> {
    let start = text.char_indices().nth(first).map_or(text.len(), |(at, _)| at);
    if last == 0 {
        return Cow::Borrowed(&text[..start]);
    }
    let end = text.char_indices().rev().nth(last - 1).map_or(0, |(at, _)| at);
    if end <= start { Cow::Borrowed(text) } else { Cow::Owned([&text[..start], &text[end..]].concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: TextSize = TextSize { tokens: usize::MAX, bytes: 10, chars: 10, lines: 2 };

    #[test]
    fn each_host_shows_other_parts() {
        let text = "äbcdefghijklmnopqrst";
        for (over, shown) in [
            (OverLimit::Shows, text),
            (OverLimit::RemovesMiddle, "äbcdepqrst"),
            (OverLimit::RemovesMost, "äbmnopqrst"),
            (OverLimit::WritesFile(3), "äbc"),
            (OverLimit::WritesBlock, ""),
            (OverLimit::WritesFileAndEnds, "äb"),
            (OverLimit::KeepsFirstLines, ""),
        ] {
            assert_eq!(over.left(text, LIMIT), shown, "{over:?}");
        }
        assert_eq!(OverLimit::KeepsFirstLines.left("a\nb\nc\nd", LIMIT), "a\nb");
        assert_eq!(OverLimit::KeepsFirstLines.left("aäää\nbääääääää", LIMIT), "aäää");
        assert_eq!(OverLimit::WritesFileAndEnds.left("abcdefgh\nabcdefgh", LIMIT), "ababcdefgh");
        assert_eq!(OverLimit::RemovesMiddle.left("short", LIMIT), "short");
    }
}
