//! Edits of a text: a piece of what texts consist of comes in, a character is replaced by one of another length, or lines are
//! repeated, moved and taken out.

use arbitrary::{Result, Unstructured};

/// A longer text gets no longer.
const LONGEST: usize = 32 << 10;
/// What logs, traces, documents, pages and tables consist of.
const PIECES: &[&str] = &[
    "2026-11-20 12:00:00 INFO user abc ok\n",
    "Jun  2 09:00:01 host kernel: [42] ok\n",
    "ERROR disk 7 failed\n",
    "Traceback (most recent call last):\n",
    "  File \"a.py\", line 3\n",
    "ValueError: x\n",
    "\tat com.example.A.b(A.java:3)\n",
    "Caused by: java.io.IOException: x\n",
    "# Heading\n",
    "=====\n",
    "A sentence. Another one! And a third?\n",
    "```rust\n",
    "1.2  Results\n",
    "- item\n",
    "| a | b |\n|---|---|\n",
    "a,b,\"c\nd\"\n",
    "{\"id\":1,\"name\":\"n\"}\n",
    "{'id': 1, 'ok': True}\n",
    "---\n",
    "key: value\n",
    "diff --git a/x b/x\n",
    "@@ -1,2 +1,3 @@\n",
    "\u{1b}[31mred\u{1b}[0m",
    "<!doctype html>",
    "<a href=/x>",
    "</a>",
    "<div hidden>",
    "</div>",
    "<svg>",
    "</svg>",
    "<h2>",
    "<p>",
    "<ul><li>",
    "<table><tr><td>",
    "<pre>",
    "</pre>",
    "&amp;",
    "<!--",
    "-->",
    "\n",
    " ",
];
/// Characters of one to four bytes, some of which are white space, digits, or change their length with their case.
const CHARACTERS: &[char] = &[
    '\0', '\t', '\r', '\u{1b}', '"', '\\', '0', '\u{85}', '\u{a0}', '\u{e9}', '\u{130}', '\u{301}', '\u{660}',
    '\u{1e9e}', '\u{200d}', '\u{2028}', '\u{212a}', '\u{3000}', '\u{65e5}', '\u{feff}', '\u{fffd}', '\u{1f469}',
    '\u{1f1e9}',
];

/// One edit of a text.
pub fn edit(text: &mut String, choose: &mut Unstructured<'_>) -> Result<()> {
    let at = floor(text, choose.int_in_range(0..=text.len())?);
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    match choose.int_in_range(0..=9)? {
        0..=4 if text.len() < LONGEST => {
            let (piece, times) = (*choose.choose(PIECES)?, *choose.choose(&[1, 1, 1, 2, 10, 60])?);
            text.insert_str(if choose.ratio(1, 2)? { line } else { at }, &piece.repeat(times));
        }
        5..=6 => {
            let other = *choose.choose(CHARACTERS)?;
            let replaced = if choose.ratio(1, 2)? { text[at..].chars().next() } else { None };
            text.replace_range(at..at + replaced.map_or(0, char::len_utf8), other.encode_utf8(&mut [0; 4]));
        }
        7 if text.len() < LONGEST => {
            let repeated = text[line..end].repeat(*choose.choose(&[1, 2, 10, 60])?);
            if repeated.len() < LONGEST {
                text.insert_str(line, &repeated);
            }
        }
        8 => {
            let moved = text[line..end].to_owned();
            text.replace_range(line..end, "");
            let to = floor(text, choose.int_in_range(0..=text.len())?);
            text.insert_str(to, &moved);
        }
        _ => text.replace_range(line..end, ""),
    }
    Ok(())
}

/// The start of the character that a byte is of.
fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
