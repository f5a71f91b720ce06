//! Manual pages, and other texts whose headings are in capitals.

use super::mark::Mark;

/// The longest heading in capitals.
const MAX_CHARS: usize = 60;
/// Headings of which a manual page has one.
const OF_MANUAL: [&str; 4] = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"];
/// Headings in capitals that are evidence.
const MIN_CAPITALS: usize = 3;

/// The sections of manual pages, and their parts, which are indented by less than the text.
pub(super) fn pages<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let is_section = |line: &str| line.starts_with(|c: char| c.is_ascii_uppercase()) && is_capital(line);
    let is_known = lines.iter().filter(|line| OF_MANUAL.contains(&line.trim_end())).count();
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let indented = lines.iter().filter(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty()).count();
    if is_known < 2 || indented * 2 < filled {
        return Vec::new();
    }
    let mut marks: Vec<Mark<'a>> = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let is_free = line == 0 || lines[line - 1].trim().is_empty();
        let indent = text.len() - text.trim_start().len();
        if indent == 0 && is_section(text) && (is_free || OF_MANUAL.contains(&text.trim_end())) {
            marks.push(Mark::new(line, 1, text.trim()));
        } else if is_free && indent == 3 && lines.get(line + 1).is_some_and(|next| next.starts_with("    ")) {
            marks.push(Mark::new(line, 2, text.trim()));
        }
    }
    marks
}

/// Lines in capitals between blank ones.
pub(super) fn capitals<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
    let mark = |(line, text): (usize, &&'a str)| {
        let is_free =
            is_blank(line.checked_sub(1).and_then(|before| lines.get(before))) && is_blank(lines.get(line + 1));
        (is_free && is_capital(text)).then(|| Mark::new(line, 1, text.trim()))
    };
    let marks: Vec<Mark<'a>> = lines.iter().enumerate().filter_map(mark).collect();
    if marks.len() >= MIN_CAPITALS && marks.len() * 4 <= lines.len() { marks } else { Vec::new() }
}

/// Whether a line is a few words in capitals.
fn is_capital(line: &str) -> bool {
    let text = line.trim();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 3
        && text.len() <= 4 * MAX_CHARS
        && text.chars().count() <= MAX_CHARS
        && !text.chars().any(char::is_lowercase)
        && text.chars().any(char::is_uppercase)
        && !text.contains(['=', '{', '}', ';', '|', '$', '<', '>'])
        && letters * 2 >= text.chars().count()
}
