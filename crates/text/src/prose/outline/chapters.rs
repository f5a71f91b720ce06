//! Numbered headings, as in RFCs, and headings with a word such as Chapter.

use super::mark::Mark;

/// The longest heading.
const MAX_CHARS: usize = 90;
/// The deepest number.
const MAX_DEPTH: usize = 6;
const WORDS: [(&str, usize); 13] = [
    ("book", 1),
    ("volume", 1),
    ("part", 1),
    ("act", 1),
    ("chapter", 2),
    ("scene", 2),
    ("article", 2),
    ("appendix", 1),
    ("annex", 1),
    ("kapitel", 2),
    ("chapitre", 2),
    ("section", 3),
    ("canto", 2),
];

/// The headings; none without the evidence of at least three numbers that follow each other.
pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let by_number = numbered(lines);
    if by_number.len() > 2 { by_number } else { worded(lines) }
}

/// Headings such as `3.1.  Terms`. Each number follows from the one before, so items of a list in a paragraph are none. A table of
/// contents is left for the text after it.
fn numbered<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let (mut best, mut run): (Vec<Mark<'a>>, Vec<Mark<'a>>) = (Vec::new(), Vec::new());
    let mut last: Vec<usize> = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let Some(number) = number(text) else { continue };
        if !stands_free(lines, line) {
            continue;
        }
        if number == [1] && !last.is_empty() {
            best = longer(best, std::mem::take(&mut run));
            last.clear();
        }
        if follows(&last, &number) {
            run.push(Mark::new(line, number.len(), text.trim()));
            last = number;
        }
    }
    let best = longer(best, run);
    // Items of a list are close together.
    let apart = best.windows(2).filter(|two| two[1].line - two[0].line > 3).count();
    if apart * 2 >= best.len().saturating_sub(1) { best } else { Vec::new() }
}

fn longer<'a>(one: Vec<Mark<'a>>, other: Vec<Mark<'a>>) -> Vec<Mark<'a>> {
    if other.len() >= one.len() { other } else { one }
}

/// The number of a heading at the very start of a line.
fn number(line: &str) -> Option<Vec<usize>> {
    if !line.as_bytes().first()?.is_ascii_digit() || line.len() > 4 * MAX_CHARS {
        return None;
    }
    let end = line.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, title) = line.split_at(end);
    let title = title.strip_prefix([' ', '\t'])?.trim();
    let is_title = title.starts_with(|c: char| c.is_uppercase() || c == '"')
        && title.chars().count() <= MAX_CHARS
        && !title.ends_with(['.', ',', ';', ':'])
        // A line of a table of contents ends with a page.
        && !(title.contains("..") || title.contains(" . "));
    let parts: Option<Vec<usize>> = number.trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    parts.filter(|parts| is_title && (1..=MAX_DEPTH).contains(&parts.len()))
}

/// Whether one number comes after another: deeper, next to it, or next to one above.
fn follows(last: &[usize], number: &[usize]) -> bool {
    let (Some((&end, above)), len) = (number.split_last(), number.len()) else { return false };
    if last.is_empty() {
        return len == 1 && end <= 1;
    }
    match len.cmp(&(last.len() + 1)) {
        std::cmp::Ordering::Equal => above == last && end <= 1,
        std::cmp::Ordering::Less => above == &last[..len - 1] && end == last[len - 1] + 1,
        std::cmp::Ordering::Greater => false,
    }
}

fn stands_free(lines: &[&str], line: usize) -> bool {
    let is_blank =
        |line: Option<usize>| line.and_then(|line| lines.get(line)).is_none_or(|line| line.trim().is_empty());
    is_blank(line.checked_sub(1)) && is_blank(Some(line + 1))
}

/// Headings such as `CHAPTER IV. A Mad Tea-Party`; the title may be in the next line.
fn worded<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mut marks: Vec<Mark<'a>> = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let text = text.trim();
        let before = line.checked_sub(1).map_or("", |before| lines[before]);
        if !before.trim().is_empty() || text.len() > 4 * MAX_CHARS || text.chars().count() > MAX_CHARS {
            continue;
        }
        let Some(level) = worded_level(text) else { continue };
        let next = lines.get(line + 1).map_or("", |next| next.trim());
        let is_bare = text.split_whitespace().count() == 2 && !next.is_empty() && next.chars().count() <= MAX_CHARS;
        let title = if is_bare && worded_level(next).is_none() { format!("{text} {next}").into() } else { text.into() };
        marks.push(Mark { line, level, title });
    }
    let body = start_of_body(&marks);
    marks.split_off(body)
}

/// The first heading after a table of contents, which has the same headings close to each other.
fn start_of_body(marks: &[Mark<'_>]) -> usize {
    let number = |mark: &Mark<'_>| mark.title.split(' ').take(2).map(str::to_ascii_lowercase).collect::<String>();
    let Some(first) = marks.first() else { return 0 };
    let wanted = number(first);
    let start = marks.iter().rposition(|mark| number(mark) == wanted).unwrap_or(0);
    let lines = marks[start].line - first.line;
    if start * 2 <= marks.len() && lines < 4 * start + 8 { start } else { 0 }
}

fn worded_level(line: &str) -> Option<usize> {
    let (word, rest) = line.split_once(' ')?;
    let (_, level) = WORDS.iter().find(|(known, _)| word.eq_ignore_ascii_case(known))?;
    let is_marked = word.starts_with(char::is_uppercase);
    let number = rest.split([' ', '.', ':', '-', '—', '–']).next()?;
    let is_number = !number.is_empty()
        && (number.bytes().all(|byte| byte.is_ascii_digit())
            || number.bytes().all(|byte| b"IVXLCDM".contains(&byte))
            || (number.len() == 1 && number.starts_with(|c: char| c.is_ascii_uppercase()))
            || is_spelled(number));
    (is_marked && is_number && !rest.ends_with([',', ';'])).then_some(*level)
}

fn is_spelled(number: &str) -> bool {
    const NAMES: [&str; 13] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first", "second", "third"];
    NAMES.iter().any(|name| number.eq_ignore_ascii_case(name))
}
