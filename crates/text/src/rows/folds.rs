//! Lines that are folded at a fixed width: calendars (RFC 5545, 3.1), cards (RFC 6350, 3.2), LDIF (RFC 2849, note 2). They are cut
//! anywhere, also inside a word, and go on behind one blank. Other lines that go on are divided between words.

use std::borrow::Cow;
use std::ops::Range;

/// The octets of a line in calendars and cards, and in LDIF.
const USUAL: [usize; 2] = [75, 76];
const BLANKS: [char; 2] = [' ', '\t'];

/// The lines with those that are folded at a fixed width whole, each with the lines that it had.
pub fn unfolded<'t>(lines: &[&'t str]) -> Vec<(Range<usize>, Cow<'t, str>)> {
    let is_folded = are_folded(lines);
    let mut out: Vec<(Range<usize>, Cow<'t, str>)> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        match out.last_mut().zip(further(line)).filter(|_| is_folded) {
            Some(((place, whole), further)) => {
                place.end += 1;
                whole.to_mut().push_str(further);
            }
            None => out.push((at..at + 1, Cow::Borrowed(line))),
        }
    }
    out
}

/// Whether every line with another one that goes on with it has the full width, and no line has more. Any other width than the usual
/// ones is certain where a line is cut before or behind a blank: between words that is left out.
fn are_folded(lines: &[&str]) -> bool {
    let folds = || lines.windows(2).filter_map(|pair| Some((pair[0], further(pair[1])?)));
    // Widths are those of octets; some programs count characters.
    let by = |size: fn(&str) -> usize, most: usize| {
        let width = folds().map(|(line, _)| size(line)).max()?;
        let is_full = |(line, further): (&str, &str)| {
            size(line) + further.chars().next().map_or(0, |next| next.len_utf8().min(most)) > width
        };
        (folds().all(is_full) && lines.iter().all(|line| size(line) <= width)).then_some(width)
    };
    let width = by(str::len, 4).or_else(|| by(|line| line.chars().count(), 1));
    let is_cut = || folds().any(|(line, further)| line.ends_with(BLANKS) || further.starts_with(BLANKS));
    width.is_some_and(|width| USUAL.contains(&width) || is_cut())
}

/// What a line adds to the one before it.
fn further(line: &str) -> Option<&str> {
    line.strip_prefix(BLANKS).filter(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        unfolded(&lines).into_iter().map(|(_, line)| line.into_owned() + "\n").collect()
    }

    /// A line cut after a number of octets, or of characters.
    fn folded(line: &str, width: usize, in_characters: bool) -> String {
        let (mut out, mut len) = (String::new(), 0);
        for c in line.chars() {
            let size = if in_characters { 1 } else { c.len_utf8() };
            if len + size > width {
                out += "\n ";
                len = 1;
            }
            out.push(c);
            len += size;
        }
        out + "\n"
    }

    #[test]
    fn lines_of_a_fixed_width_are_cut_anywhere() {
        let line = "DESCRIPTION:The review of all warehouses moves to the large room, Überprüfung für die Größe,  two blanks \
                    kept and more words than two lines of it have room for in any of these widths";
        for (width, in_characters) in [(75, false), (76, false), (40, false), (73, false), (75, true)] {
            let text = format!("A:1\n{}B:2\n", folded(line, width, in_characters));
            assert_eq!(whole(&text), format!("A:1\n{line}\nB:2\n"), "{width}");
        }
        let lines = ["a", "b", "c"].map(|name| name.repeat(75));
        let once = format!("{}\n x\nB:2\n", lines[0]);
        assert_eq!(whole(&once), format!("{}x\nB:2\n", lines[0]));
    }

    #[test]
    fn other_lines_that_go_on_stay() {
        let wide = "w".repeat(75);
        for text in [
            "SUMMARY:Talk\n on rows\nX:1\n".to_owned(),
            "Description: words and\n more words\n and more\n".to_owned(),
            format!("{wide}w\n{wide}\n x\n"),
            format!("{wide}\n x\nshort\n y\n"),
            format!("{wide}\n \nshort\n"),
            "a\nb\n".to_owned(),
        ] {
            assert_eq!(whole(&text), text);
        }
    }
}
