//! Headings with a line of marks under them, and perhaps one above (reStructuredText, setext).

use super::mark::Mark;
use super::marked::Fences;
use super::title;

/// The longest heading.
const MAX_CHARS: usize = 120;

/// The headings, whose level follows the order in which their marks appear first.
pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mut styles: Vec<(char, bool)> = Vec::new();
    let (mut marks, mut fences, mut next) = (Vec::new(), Fences::default(), 0);
    for (line, text) in lines.iter().enumerate() {
        let in_fence = fences.is_in(text);
        if in_fence || line < next {
            continue;
        }
        let Some((style, content, from)) = heading(lines, line) else { continue };
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        marks.push(Mark::new(from, level + 1, title::plain(content)));
        next = line + 2;
    }
    marks
}

/// The style of the heading at a line, if it is one: its mark, and whether there is one above, too. Also the first line.
fn heading<'a>(lines: &[&'a str], line: usize) -> Option<((char, bool), &'a str, usize)> {
    let content = lines[line].trim_end();
    let mark = rule(lines.get(line + 1)?)?;
    let width = lines[line + 1].trim_end().chars().count();
    let chars = content.chars().count();
    let is_title =
        content.chars().any(char::is_alphanumeric) && chars <= MAX_CHARS && !content.starts_with(['|', '>', '+']);
    if !is_title || width < chars.clamp(3, 8) {
        return None;
    }
    let above = line.checked_sub(1).map_or("", |above| lines[above]);
    match rule(above) {
        Some(over) if over == mark && is_free(lines, line - 1) => Some(((mark, true), content.trim(), line - 1)),
        _ if above.trim().is_empty() && !content.starts_with([' ', '\t']) => Some(((mark, false), content, line)),
        _ => None,
    }
}

fn is_free(lines: &[&str], line: usize) -> bool {
    line == 0 || lines[line - 1].trim().is_empty()
}

/// The mark of a line that consists of one repeated mark.
fn rule(line: &str) -> Option<char> {
    let line = line.trim_end();
    let mark = line.chars().next().filter(|mark| "=-~^\"'`+*#:._<>".contains(*mark))?;
    (line.len() >= 3 && line.chars().all(|other| other == mark)).then_some(mark)
}
