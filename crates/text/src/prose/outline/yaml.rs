//! The documents of a YAML stream.

use super::mark::Mark;

/// Lines of a document in which its name is looked for.
const NAME_LINES: usize = 60;

/// One heading for each document; none if a document does not look like YAML.
pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let is_divider = |line: &str| {
        line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('#'))
    };
    let mut starts: Vec<usize> = (0..lines.len()).filter(|&line| is_divider(lines[line])).collect();
    if starts.is_empty() || lines[..starts[0]].iter().any(|line| is_content(line)) {
        starts.insert(0, 0);
    }
    let mut marks = Vec::new();
    for (at, &start) in starts.iter().enumerate() {
        let document = &lines[start..starts.get(at + 1).copied().unwrap_or(lines.len())];
        let mut content = document.iter().filter(|line| is_content(line) && !is_divider(line));
        let Some(first) = content.next() else { continue };
        if !(is_key(first) || first.starts_with("- ")) {
            return Vec::new();
        }
        marks.push(Mark::new(start, 1, name(document).unwrap_or_else(|| first.trim().to_owned())));
    }
    marks
}

fn is_content(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with(['#', '%'])
}

fn is_key(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || "_-./$\"'".contains(c);
    !key.is_empty() && key.chars().all(is_name) && (value.is_empty() || value.starts_with([' ', '\r']))
}

/// What a document says that it is: its kind and its name.
fn name(document: &[&str]) -> Option<String> {
    let document = &document[..document.len().min(NAME_LINES)];
    let value = |key: &str, is_nested: bool| {
        let found = document.iter().find_map(|line| {
            let text = line.trim_start();
            let is_there = (text.len() < line.len()) == is_nested;
            text.strip_prefix(key).filter(|_| is_there)?.strip_prefix(": ")
        })?;
        Some(found.trim().trim_matches(['"', '\'']))
    };
    match (value("kind", false), value("name", true).or_else(|| value("name", false))) {
        (Some(kind), Some(name)) => Some(format!("{kind} {name}")),
        (kind, name) => kind.or(name).map(str::to_owned),
    }
}
