//! Sections of settings: `[name]`, as in TOML and INI.

use super::mark::Mark;

/// Sections with more of other lines than of settings are none.
const SETTINGS_TENTHS: usize = 7;

pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let (mut marks, mut filled, mut settings) = (Vec::new(), 0, 0);
    for (line, text) in lines.iter().enumerate() {
        let text = text.trim_end();
        if text.trim().is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        match name(text) {
            Some(name) => marks.push(Mark::new(line, 1 + name.matches('.').count().min(5), name)),
            None => {
                filled += 1;
                let is_inside = text.starts_with([' ', '\t', '"', '\'', ']', '}']);
                settings += usize::from(is_inside || text.contains('='));
            }
        }
    }
    if filled > 0 && settings * 10 >= filled * SETTINGS_TENTHS { marks } else { Vec::new() }
}

/// The name of a section.
fn name(line: &str) -> Option<&str> {
    let inside = line.strip_prefix('[')?.split_once(']')?;
    let (name, rest) = match inside {
        (name, rest) if name.starts_with('[') => (&name[1..], rest.strip_prefix(']')?),
        inside => inside,
    };
    let rest = rest.trim_start();
    let is_end = rest.is_empty() || rest.starts_with(['#', ';']);
    let is_name = !name.is_empty() && !name.contains([',', '[', '{']) && name.contains(char::is_alphabetic);
    (is_end && is_name).then_some(name.trim())
}
