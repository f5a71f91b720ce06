//! What words beside rows say of their number: `Showing 1-100 of 412 results`, `Page 2 of 9`, `and 312 more`, `items 0-99/412`.
//!
//! A number is that of all rows only next to the number of the rows that came, or to the places of the first and the last of them.

use super::{has, means};

/// What is between the rows that came and all rows.
const OF: &str = "of von de sur";
/// Words that may be around numbers.
const ABOUT: &str = "about approximately first from last nearly out over the through to top";
/// What says that rows are shown.
const SHOWN: &str = "display displaying first limited listing returned showing shown";

/// What a text says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// The number of all rows, and how many are before these if the text says so.
    Total(u64, Option<u64>),
    /// The number of the page, and of all pages.
    Page(u64, u64),
    /// The number of rows that are not shown.
    More(u64),
}

enum LinePart {
    Number(u64),
    Word(String),
    To,
    Per,
    Break,
}

/// What a line says of all rows, if `rows` came.
pub(super) fn stated(line: &str, rows: u64) -> Option<Stated> {
    let pieces = pieces(line);
    let word = |at: usize| match pieces.get(at) {
        Some(LinePart::Word(word)) => Some(std::slice::from_ref(word)),
        _ => None,
    };
    let is_word = |at: usize, list: &str| word(at).is_some_and(|word| has(word, list));
    let number = |at: usize| match pieces.get(at) {
        Some(LinePart::Number(number)) => Some(*number),
        _ => None,
    };
    let past = |mut at: usize| {
        while is_word(at, ABOUT) {
            at += 1;
        }
        at
    };
    let is_shown = (0..pieces.len()).any(|at| is_word(at, SHOWN));
    for (at, first) in (0..pieces.len()).filter_map(|at| Some((at, number(at)?))) {
        let is_to = matches!(pieces.get(at + 1), Some(LinePart::To)) || is_word(at + 1, "to through");
        let last = number(at + 2).filter(|&last| is_to && last >= first);
        let (end, came) = last.map_or((at + 1, first), |last| (at + 3, last - first + 1));
        // A noun may be between, as in `25 records of 300`.
        let noun = usize::from(is_shown && word(end).is_some() && !is_word(end, OF) && !is_word(end, ABOUT));
        let of = past(end + noun);
        let is_of = is_word(of, OF) || matches!(pieces.get(of), Some(LinePart::Per));
        let all = number(past(of + 1)).filter(|&all| is_of && all > last.unwrap_or(first));
        if let Some(all) = all {
            let is_page = at > 0 && is_word(at - 1, means::PAGE);
            if is_page && last.is_none() {
                return Some(Stated::Page(first, all));
            }
            if came == rows && all > rows {
                // Places count from 0 or from 1.
                let before = last.map(|_| first - u64::from(first % rows == 1 || rows == 1).min(first));
                return Some(Stated::Total(all, before));
            }
        }
        if first == rows && last.is_none() && is_shown_before(at, &is_word) {
            let counted = (0..pieces.len()).find_map(|at| {
                let is_count = at > 0 && is_word(at - 1, means::COUNT) || is_word(at + 1, means::COUNT);
                number(at).filter(|&all| all > rows && is_count)
            });
            if let Some(all) = counted {
                return Some(Stated::Total(all, None));
            }
        }
    }
    let is_about_rows = |piece: &LinePart| match piece {
        LinePart::Word(word) => {
            let word = std::slice::from_ref(word);
            has(word, "and not") || has(word, SHOWN) || [means::THING, means::MORE].iter().any(|list| has(word, list))
        }
        _ => true,
    };
    let mut numbers = (0..pieces.len()).filter_map(|at| Some((at, number(at)?)));
    match (numbers.next(), numbers.next()) {
        (Some((at, more)), None)
            if more > 0 && (is_word(at + 1, "more") || is_word(at + 2, "more")) && pieces.iter().all(is_about_rows) =>
        {
            Some(Stated::More(more))
        }
        _ => None,
    }
}

/// Whether what says that rows are shown is before a number, with nothing between but what may be.
fn is_shown_before(at: usize, is_word: &dyn Fn(usize, &str) -> bool) -> bool {
    (0..at).rev().take_while(|&at| is_word(at, ABOUT) || is_word(at, SHOWN)).any(|at| is_word(at, SHOWN))
}

fn pieces(line: &str) -> Vec<LinePart> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let run = |is_part: &dyn Fn(char) -> bool| rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let end = if first.is_ascii_digit() {
            let end = run(&|c| c.is_ascii_digit() || matches!(c, ',' | '.'));
            let digits = rest[..end].trim_end_matches([',', '.']);
            out.push(whole(digits).map_or(LinePart::Break, LinePart::Number));
            digits.len()
        } else if first.is_alphabetic() {
            let end = run(&char::is_alphanumeric);
            out.push(LinePart::Word(rest[..end].to_lowercase()));
            end
        } else {
            match first {
                '-' | '\u{2013}' | '\u{2014}' => out.push(LinePart::To),
                '/' => out.push(LinePart::Per),
                _ if first.is_whitespace() || matches!(first, '(' | ')' | '[' | ']' | '~' | '#' | '*' | '_') => {}
                _ => out.push(LinePart::Break),
            }
            first.len_utf8()
        };
        rest = &rest[end..];
    }
    out
}

/// A whole number, which may have its thousands divided.
fn whole(digits: &str) -> Option<u64> {
    let mut groups = digits.split([',', '.']);
    let first = groups.next()?;
    let are_thousands = groups.all(|group| group.len() == 3);
    (are_thousands && (digits.len() == first.len() || first.len() < 4)).then_some(())?;
    digits.replace([',', '.'], "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_came_are_beside_all_rows() {
        let cases = [
            ("Showing 100 of 412", Stated::Total(412, None)),
            ("Results 1 - 100 of about 5,320", Stated::Total(5320, Some(0))),
            ("items 0-99/412", Stated::Total(412, Some(0))),
            ("Showing 201\u{2013}300 of 412 results", Stated::Total(412, Some(200))),
            ("Found 412 people, showing the first 100.", Stated::Total(412, None)),
            ("Displaying 100 records out of 300", Stated::Total(300, None)),
            ("# Page 2 of 9", Stated::Page(2, 9)),
            ("... and 312 more", Stated::More(312)),
            ("(312 more rows not shown)", Stated::More(312)),
        ];
        for (line, what) in cases {
            assert_eq!(stated(line, 100), Some(what), "{line}");
        }
    }

    #[test]
    fn other_numbers_are_of_something_else() {
        let others = [
            "Showing 100 of 100",
            "100 items in 412 ms",
            "Returned 100 rows in 412 ms",
            "Chapter 3 of 412",
            "We met 100 customers of 2,500 employees each.",
            "It costs 12 more than 100 of the others",
            "Members 1923-2022 of 412 families",
            "100.5 of 412",
            "Page 1 of 1",
        ];
        for line in others {
            assert_eq!(stated(line, 100), None, "{line}");
        }
    }
}
