//! What a string says that is a page or a log, as data: the text of the page, or what matters in the log.
//!
//! It is made from the string, so no pointer leads into it.

use std::cell::Cell;

use toolshape_text::lines;
use toolshape_text::prose::log_lines::Preludes;
use toolshape_text::prose::piece::Piece;
use toolshape_text::prose::severity::LogLevel;
use toolshape_text::prose::{html, log, terminal};

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::text_cuts;
use crate::value::json_in_text::{SharedJson, text_within};
use crate::value::prose::recognize;
use crate::value::prose::sample::Sample;
use crate::value::source::{Kind, Source};
use crate::value::structured_text::TextFormat;

/// A shorter string is shown as it is.
const LEAST_CHARS: usize = 1_000;
/// The lines of a log that may be shown, and the characters of each.
const LINES: usize = 100;
const LINE_CHARS: usize = 400;
/// The lines of its end, which show how the program ended: few, because each takes room from the errors.
const TAIL: usize = 3;

/// What a string is, and what it says; `None` for one that is neither a page nor a log, and for one of more bytes than are `left` to
/// read. What is read is taken from these.
///
/// # Errors
/// Whatever reading the string reports.
pub(crate) fn of<S: Source>(string: &S, left: &Cell<usize>) -> Result<Option<(TextFormat, SharedJson)>, Error> {
    if string.kind() != Kind::String || string.chars() < LEAST_CHARS {
        return Ok(None);
    }
    let format = recognize::format(&Sample::of(string)?);
    let says = match format {
        Some(TextFormat::Html) => page,
        Some(TextFormat::Log) => of_log,
        _ => return Ok(None),
    };
    let Some(text) = text_within(string, left)? else { return Ok(None) };
    let data = says(&text).and_then(|said| SharedJson::of(said.into_object()));
    Ok(format.zip(data))
}

fn page(html: &str) -> Option<Members> {
    let page = html::read(html);
    let mut said = Members::new();
    if !page.title.is_empty() {
        said.text("title", &page.title);
    }
    said.text("text", &page.text);
    Some(said).filter(|_| !page.text.is_empty())
}

/// The records of each level, lines with their numbers in the order of their importance, and the end; `None` of a run.
fn of_log(text: &str) -> Option<Members> {
    let text = terminal::shown_text(text);
    let lines = lines::of(&text);
    if Preludes::of(&lines) == Preludes::Few {
        return None;
    }
    let log = log::fold(&text, &lines);
    let mut levels = Members::new();
    for ((_, name), count) in LogLevel::ALL.iter().zip(log.levels).filter(|(_, count)| *count > 0) {
        levels.number(name, count);
    }
    let line = |piece: &Piece<'_>| {
        let counts = [(piece.count, "times"), (piece.alike, "alike")];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 1).map(|(count, of)| format!("{count} {of}")).collect();
        let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
        format!("{}{counts}: {}", piece.line + 1, text_cuts::clipped(piece.text, LINE_CHARS))
    };
    let mut said = Members::new();
    said.object("levels", &levels);
    // As one text, of which the start is shown: the first of them matter most.
    said.text("lines", &log.pieces.iter().take(LINES).map(line).collect::<Vec<_>>().join("\n"));
    let tail = lines[lines.len().saturating_sub(TAIL)..].iter().map(|line| text_cuts::clipped(line, LINE_CHARS));
    said.texts("tail", &tail.collect::<Vec<_>>());
    Some(said)
}
