//! The notes of texts: a part of one, lines of one, a summary of one.

use crate::request::handle::Handle;
use crate::value::structured_text::{Skipped, TextFormat};

use super::HAS_FILES;
use super::ways::Note;
use crate::request::context::{Context, HowToAsk, WayToText};
use crate::request::policy::{Format, ROOM_FOR_TWO, ROOM_TO_ASK, ReadAs};

/// The characters of a text that are shown.
#[derive(Clone, Copy)]
pub(crate) enum ShownChars {
    Range { from: usize, to: usize },
    End { from: usize },
    BothEnds { head_to: usize, tail_from: usize },
}

/// The note of a part of a text of `total` characters; `has_next` says whether there is more.
pub(crate) fn part<'a>(
    shown: ShownChars,
    total: usize,
    has_next: bool,
    handle: Option<Handle>,
    ctx: &'a Context<'a>,
) -> Note<'a> {
    let mut note = Note::new(ctx, handle);
    note.say(match shown {
        ShownChars::Range { from, to } => format!("Characters {from} to {to} of {total}."),
        ShownChars::End { from } => format!("Characters {from} to {total} of {total}, the end."),
        ShownChars::BothEnds { head_to, tail_from } => {
            format!("Characters 0 to {head_to} and {tail_from} to {total} of {total}; the middle is left out.")
        }
    });
    match has_next {
        true => note.cursor("nextCursor", "the rest"),
        false => note.say("This is the last part."),
    }
    if ctx.controls.page_size.is_some() {
        note.say(format!("A text has no rows, so {} is ignored.", ctx.call.argument("pageSize")));
    }
    note
}

/// Adds what is missing of a text that is shown as data, and how to get the text itself. Only the first part of a result says so, and none that shows no
/// text by its structure. `cursor` is the member with a cursor into the text.
pub(crate) fn structured(note: &mut Note<'_>, cursor: &str) {
    let ctx = note.ctx;
    let Some(text) = ctx.text.as_ref().filter(|text| text.around.is_some()) else { return };
    note.say(if text.is_cut { "Its end is missing." } else { "" });
    note.say(match text.skipped {
        Skipped::Nothing => String::new(),
        Skipped::NotNumbers => "Its NaN and Infinity are texts, because JSON has no such numbers.".to_owned(),
        Skipped::Lines(1) => "1 line without data is left out.".to_owned(),
        Skipped::Lines(count) => format!("{count} lines without data are left out."),
        Skipped::BadLines { count: 1, first } => format!("Line {first} is not JSON and is left out."),
        Skipped::BadLines { count, first } => {
            format!("{count} lines that are not JSON, the first of them line {first}, are left out.")
        }
        Skipped::Ragged { count: 1, first } => format!("Row {first} has more or fewer cells than the header."),
        Skipped::Ragged { count, first } => {
            format!("{count} rows, the first of them row {first}, have more or fewer cells than the header.")
        }
        Skipped::OfXml => "Comments, and the order of elements with different names, are left out.".to_owned(),
        Skipped::OfReport => {
            "Its cases are listed by outcome; properties and outputs of suites are left out.".to_owned()
        }
    });
    // Where rows are not all that the text says, its lines are asked too.
    let has_more = matches!(text.skipped, Skipped::OfXml | Skipped::OfReport | Skipped::BadLines { .. });
    note.text_itself(cursor);
    if let WayToText::Stored(handle) = ctx.way_to_text(note.handle)
        && has_more
        && ctx.base.is_empty()
        && ctx.budget >= ROOM_TO_ASK
    {
        note.tool(format!("sql, where {handle}_doc has its lines"), "");
    }
}

/// Adds that base64 is shortened, or else that lines were written over.
pub(crate) fn shortened(has_bytes: bool, note: &mut Note<'_>) {
    note.say(if has_bytes {
        "Its base64 or hex is shortened."
    } else {
        "Of lines that were written over, the last state is shown."
    });
    note.text_itself("textCursor");
}

/// Adds what a text was read as, and how to reach what it does not show.
///
/// `outlined` says whether there is an outline, and whether it has line numbers.
pub(crate) fn read_as(format: Option<TextFormat>, (has_outline, has_lines): (bool, bool), note: &mut Note<'_>) {
    match format {
        Some(TextFormat::Html) => {
            note.say("The text is HTML, read as the page that it makes.");
            note.say(if has_outline { "outline has some headings after this part." } else { "" });
            note.text_itself("textCursor");
            if has_lines && section(note) {
                note.say("The numbers in outline are lines of the HTML.");
            }
        }
        Some(TextFormat::Markdown) if has_lines => {
            note.say("The text is Markdown; outline has some headings after this part with their line numbers.");
            if section(note) {
                in_sql("", note);
            }
        }
        None if note.ctx.budget >= ROOM_FOR_TWO => find(note),
        _ => {}
    }
}

/// Adds how to see the headings that a part does not show, and what is below one; `false` if the text is not stored whole.
fn section(note: &mut Note<'_>) -> bool {
    note.part("outline set to true", "all headings");
    note.part("lines set to a heading or a range", "")
}

/// Adds how to find lines of the text, if it is stored whole.
fn find(note: &mut Note<'_>) {
    match note.ctx.how_to_ask {
        HowToAsk::ReadResult => drop(note.part("search", "lines with a text")),
        _ if note.ctx.base.is_empty() => in_sql("", note),
        _ => {}
    }
}

/// Adds how SQL asks about the lines of a stored text, with a question if there is room for it, and more about its columns.
fn in_sql(more: &str, note: &mut Note<'_>) {
    let (Some(handle), ctx) = (note.handle, note.ctx) else { return };
    // The table of a text that is not read for its rows has the rows all the same.
    let is_read = ctx.settings.text == ReadAs::Auto && ctx.controls.format != Some(Format::Text);
    let lines = if is_read { "" } else { "_doc" };
    note.tool(
        match ctx.budget >= ROOM_TO_ASK {
            true => format!("sql, as in SELECT line, text FROM {handle}{lines} WHERE text LIKE '%error%'"),
            false => format!("sql, where {handle}{lines} is the table"),
        },
        more,
    );
}

/// The note of a log that is shown by its errors and its templates.
pub(crate) fn log(has_cursor: bool, mut note: Note<'_>) -> String {
    note.say(
        "The text is a log: its errors first, then what is frequent, in tail its end; count: lines that differ only in time; \
         alike: also in numbers and names.",
    );
    match note.ctx.how_to_ask {
        HowToAsk::ReadResult => find(&mut note),
        _ if note.ctx.base.is_empty() => in_sql("also the columns time, level, message, template", &mut note),
        _ => {}
    }
    from_start(has_cursor, &mut note);
    note.finish()
}

/// What is shown of a text whose lines say how it went.
#[derive(Clone, Copy)]
pub(crate) struct Surveyed<'a> {
    /// How many rows are inside the text, and their names.
    pub inside: Option<(usize, &'a str)>,
    pub has_files: bool,
    /// The first line after the start, and how many there are.
    pub lines: (usize, usize),
    /// Whether the start reaches the end.
    pub is_whole: bool,
}

/// The note of a text that is shown with lines left out.
pub(crate) fn survey<'a>(
    shows: Surveyed<'_>,
    has_cursor: bool,
    handle: Option<Handle>,
    ctx: &'a Context<'a>,
) -> Note<'a> {
    let Surveyed { inside, has_files, lines: (next, last), is_whole } = shows;
    let mut note = Note::new(ctx, handle);
    note.say(if is_whole { "All of it is in preview." } else { "…N: is line N, after lines left out." });
    note.say(if has_files { HAS_FILES } else { "" });
    match note.part("lines", &format!("a range such as {next}-{last}")) {
        true => find(&mut note),
        false if has_cursor || ctx.call.has_failed() => note.cursor("nextCursor", "the rest"),
        false => {}
    }
    rows_inside(inside, &mut note);
    note
}

/// Adds the table of the rows inside a text that is shown by its lines: how many, and their names.
pub(crate) fn rows_inside(inside: Option<(usize, &str)>, note: &mut Note<'_>) {
    if let (Some((count, names)), Some(handle)) = (inside, note.handle)
        && note.ctx.base.is_empty()
        && !matches!(note.ctx.how_to_ask, HowToAsk::ReadResult)
    {
        let named = format!("In sql, {handle}_rows has its {count} rows: {names}.");
        let has_room = note.ctx.measure.count(&named) <= note.ctx.budget / super::OF_PARTS;
        note.say(if has_room { named } else { format!("In sql, {handle}_rows has its {count} rows.") });
    }
}

/// The note of a stack trace without the frames in its middle.
pub(crate) fn trace(has_cursor: bool, mut note: Note<'_>) -> String {
    note.say(
        "The text is a stack trace: what it says, and frames at both ends; moreLines: how many lines are left out after \
         these.",
    );
    note.part("lines", "a range");
    from_start(has_cursor, &mut note);
    note.finish()
}

fn from_start(has_cursor: bool, note: &mut Note<'_>) {
    if has_cursor || note.ctx.call.has_failed() {
        note.cursor("nextCursor", "its start");
    }
}

/// The note of whole lines, counted from 1, `to` included.
pub(crate) fn lines(from: usize, to: usize, total: usize) -> String {
    let next = match to == total {
        true => "This is the end.".to_owned(),
        false => {
            let count = to - from + 1;
            format!("For the next lines, call again with lines set to {}-{}.", to + 1, (to + count).min(total))
        }
    };
    format!("Lines {from} to {to} of {total}. {next}")
}

/// Where the original of a summary is.
#[derive(Clone, Copy)]
pub(crate) enum Original<'a> {
    /// At an address of the author's.
    Elsewhere,
    /// In the store; the text is at the pointer.
    Stored { tool: &'a str, handle: Handle, pointer: &'a str },
}

impl Original<'_> {
    /// How to read the original.
    fn way(self) -> String {
        match self {
            Self::Elsewhere => "To read the original, open uri.".to_owned(),
            Self::Stored { tool, handle, pointer: "" } => {
                format!("To read the original, call {tool} with handle set to {handle} and lines set to a range.")
            }
            Self::Stored { tool, handle, pointer } => {
                format!(
                    "To read the original, call {tool} with handle set to {handle}, pointer set to {pointer} and lines set to a range."
                )
            }
        }
    }
}

/// The note of a summary of a log.
pub(crate) fn log_summary(original: Original<'_>) -> String {
    format!(
        "Lines of the log with their numbers; count: how many lines differ only in time; alike: how many differ \
         only in time, numbers and names; lastLine: the last of them. All other lines are left out. {}",
        original.way()
    )
}

/// The same of a document.
pub(crate) fn document_summary(original: Original<'_>) -> String {
    format!(
        "Headings and leading sentences with their line numbers; the text between them is left out. {}",
        original.way()
    )
}
