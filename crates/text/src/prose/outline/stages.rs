//! The stages of a log: groups of CI, phases of builds, tasks, banners of test runners.

use super::mark::Mark;
use super::title::{self, uncolored};

/// Beginnings of lines that the name of a stage follows, with its level.
const STARTS: [(&str, usize); 17] = [
    ("##[group]", 1),
    ("::group::", 1),
    ("##[section]Starting: ", 1),
    ("==> ", 1),
    ("-----> ", 1),
    ("--- :", 1),
    ("+++ :", 1),
    ("~~~ :", 1),
    ("> Task :", 1),
    ("[Pipeline] { (", 1),
    ("PLAY [", 1),
    ("PLAY RECAP", 1),
    ("TASK [", 2),
    ("RUNNING HANDLER [", 2),
    ("=== RUN   ", 1),
    ("travis_fold:start:", 1),
    ("[INFO] Reactor Summary", 1),
];

/// The stages.
pub(super) fn marks<'a>(lines: &[&'a str]) -> Vec<Mark<'a>> {
    let mut marks: Vec<Mark<'a>> = Vec::new();
    // The job and the step of lines that name both.
    let mut step: Option<(&str, &str)> = None;
    for (line, text) in lines.iter().enumerate() {
        let mut text = *text;
        let mut deeper = 0;
        if let Some((job, name, content)) = of_step(text) {
            if step.is_none_or(|(known, _)| known != job) {
                marks.push(Mark::new(line, 1, job));
            }
            if step != Some((job, name)) {
                marks.push(Mark::new(line, 2, name));
            }
            step = Some((job, name));
            (text, deeper) = (content, 2);
        }
        // A group holds the command, and what the command writes comes after its end.
        if let Some((level, name)) = read(content(text)) {
            marks.push(Mark::new(line, level + deeper, title::plain(name)));
        }
    }
    marks
}

/// The level and the name of the stage that a line begins.
fn read(line: &str) -> Option<(usize, &str)> {
    // Most lines begin with none of these.
    if !line.starts_with(['#', ':', '=', '-', '+', '~', '>', '[', 'P', 'T', 'R', 't', 's', 'S', '_', ' ']) {
        return None;
    }
    for (start, level) in STARTS {
        if let Some(name) = line.strip_prefix(start) {
            let keeps = start.ends_with("RECAP") || start.ends_with("Summary");
            let name = if keeps { start } else { unclosed(name) };
            return (!name.is_empty()).then_some((level, name));
        }
    }
    section_start(line)
        .or_else(|| maven(line))
        .or_else(|| step_of_image(line))
        .or_else(|| script(line))
        .or_else(|| tests_of_crate(line))
        .or_else(|| banner(line))
}

/// The name of a stage without what closes it.
fn unclosed(name: &str) -> &str {
    let name = name.trim_end().trim_end_matches('*').trim_end();
    match name.contains(['[', '(']) {
        true => name,
        false => name.trim_end_matches([']', ')']),
    }
}

/// GitLab: `section_start:1600000000:name\r\x1b[0KTitle`.
fn section_start(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("section_start:")?.split_once(':')?.1;
    let (name, shown) = rest.split_once('\r').unwrap_or((rest, ""));
    let shown = uncolored(shown).trim();
    Some((1, if shown.is_empty() { name } else { shown }))
}

/// `[INFO] -----< group:artifact >-----`, `[INFO] --- plugin:1.0:goal (id) @ artifact ---`, `[INFO] BUILD SUCCESS`.
fn maven(line: &str) -> Option<(usize, &str)> {
    let rest = line.strip_prefix("[INFO] ")?;
    if rest.starts_with("BUILD ") {
        return Some((1, rest.trim()));
    }
    let inside = rest.strip_prefix("---")?.trim_start_matches('-');
    match inside.strip_prefix("< ") {
        Some(project) => Some((1, project.split(" >").next()?)),
        None => {
            Some((2, inside.strip_prefix(' ')?.trim_end_matches('-').trim())).filter(|(_, goal)| goal.contains(':'))
        }
    }
}

/// `Step 3/10 : RUN make`, `#12 [build 3/7] RUN make`.
fn step_of_image(line: &str) -> Option<(usize, &str)> {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    if let Some(rest) = line.strip_prefix("Step ") {
        let (count, content) = rest.split_once(" : ")?;
        return (count.contains('/') && count.bytes().all(|byte| is_digit(&byte) || byte == b'/'))
            .then_some((1, content));
    }
    let (number, content) = line.strip_prefix('#')?.split_once(' ')?;
    let is_step = !number.is_empty() && number.bytes().all(|byte| is_digit(&byte)) && content.starts_with('[');
    is_step.then_some((1, content))
}

/// npm and its relatives: `> name@1.0.0 build`.
fn script(line: &str) -> Option<(usize, &str)> {
    let content = line.strip_prefix("> ")?;
    let (name, script) = content.split_once(' ')?;
    let version = name.rsplit_once('@')?.1;
    (version.starts_with(|c: char| c.is_ascii_digit()) && !script.is_empty()).then_some((1, content))
}

/// Cargo: `     Running unittests src/lib.rs (target/debug/deps/x)`.
fn tests_of_crate(line: &str) -> Option<(usize, &str)> {
    let content = line.trim_start();
    let is_run = content.starts_with("Running ") && content.contains("(target");
    (line.starts_with("   ") && (is_run || content.starts_with("Doc-tests "))).then_some((1, content.trim_end()))
}

/// A title between marks: `===== FAILURES =====`, `_____ test_a _____`.
fn banner(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let mark = *line.as_bytes().first()?;
    let level = 1 + [b'=', b'_', b'-'].iter().position(|known| *known == mark)?;
    let mark = char::from(mark);
    let inside = line.trim_matches(mark);
    let marks = |side: &str| side.len() >= 4;
    let start = line.len() - line.trim_start_matches(mark).len();
    let end = line.len() - line.trim_end_matches(mark).len();
    let content = inside.strip_prefix(' ')?.strip_suffix(' ')?;
    let is_title = content.chars().any(char::is_alphanumeric) && content.chars().count() <= 100;
    (marks(&line[..start]) && marks(&line[line.len() - end..]) && is_title).then_some((level, content))
}

/// The job, the step and the rest of a line of `gh run view --log`: each line begins with both.
fn of_step(line: &str) -> Option<(&str, &str, &str)> {
    let mut parts = line.splitn(3, '\t');
    let (job, step, content) = (parts.next()?, parts.next()?, parts.next()?);
    let content = content.trim_start_matches('\u{feff}');
    let is_time =
        content.as_bytes().get(..11).is_some_and(|time| time[4] == b'-' && time[7] == b'-' && time[10] == b'T');
    (is_time && !job.is_empty() && !step.is_empty()).then_some((job, step, content))
}

/// What a line says after its time and colors.
fn content(line: &str) -> &str {
    let line = uncolored(line.trim_start_matches('\u{feff}'));
    let bytes = line.as_bytes();
    if !bytes.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'[') {
        return line;
    }
    let (mut at, mut digits) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let (before, after) = (at.checked_sub(1).map(|before| bytes[before]), bytes.get(at + 1));
        let after_digit = before.is_some_and(|byte| byte.is_ascii_digit());
        let before_digit = after.is_some_and(u8::is_ascii_digit);
        let is_time = match byte {
            b'0'..=b'9' => true,
            b'[' | b'T' => before_digit,
            b'Z' | b']' => after_digit || before == Some(b'Z'),
            b'-' | b':' | b'.' | b',' | b'/' | b'+' => after_digit && before_digit,
            b' ' => true,
            _ => false,
        };
        if !is_time {
            break;
        }
        digits += usize::from(byte.is_ascii_digit());
        at += 1;
    }
    if digits >= 4 { uncolored(&line[at..]) } else { line }
}
