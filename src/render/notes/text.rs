//! The notes of texts: a part of one, lines of one, a summary of one.

use crate::request::handle::Handle;
use crate::value::structured_text::{Skipped, TextFormat};

use super::{HAS_FILES, read_on, repeat_with};
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
pub(crate) fn part(shown: ShownChars, total: usize, has_next: bool, ctx: &Context<'_>) -> String {
    let ignored = match ctx.controls.page_size {
        Some(_) => format!(" A text has no rows, so {} is ignored.", ctx.call.argument("pageSize")),
        None => String::new(),
    };
    let shown = match shown {
        ShownChars::Range { from, to } => format!("Characters {from} to {to} of {total}."),
        ShownChars::End { from } => format!("Characters {from} to {total} of {total}, the end."),
        ShownChars::BothEnds { head_to, tail_from } => {
            format!("Characters 0 to {head_to} and {tail_from} to {total} of {total}; the middle is left out.")
        }
    };
    match has_next {
        true => format!("{shown} To read on, {}.{ignored}", read_on("nextCursor", ctx)),
        false => format!("{shown} This is the last part.{ignored}"),
    }
}

/// What a text was read as, and how to get the text itself; `handle` is that of the stored result, if the result names
/// it. Only the first part of a result says so. Empty for a result that shows no text by its structure. `cursor` is the member with a cursor into the text.
pub(crate) fn structured(ctx: &Context<'_>, handle: Option<Handle>, cursor: &str) -> String {
    let Some(text) = ctx.text.as_ref().filter(|text| text.around.is_some()) else { return String::new() };
    let what = match text.format {
        TextFormat::Csv => "CSV, read as rows",
        TextFormat::Tsv => "TSV, read as rows",
        TextFormat::Table => "a table, read as rows",
        TextFormat::JsonLines => "NDJSON, read as a list",
        TextFormat::Json => "JSON, read as data",
        TextFormat::Events => "server-sent events, read as a list",
        TextFormat::Xml => "XML, read as data",
        TextFormat::Python => "a Python literal, read as data",
        TextFormat::Yaml => "YAML documents, read as a list",
        TextFormat::Log => "a log",
        TextFormat::Trace => "a stack trace",
        TextFormat::Run => "the output of a run",
        TextFormat::Markdown => "Markdown",
        TextFormat::Html => "HTML",
        TextFormat::Base64 => "a text with base64",
        TextFormat::Terminal => "the output of a terminal",
    };
    let cut = if text.is_cut { " Its end is missing." } else { "" };
    let skipped = match text.skipped {
        Skipped::Nothing => String::new(),
        Skipped::NotNumbers => " Its NaN and Infinity are texts, because JSON has no such numbers.".to_owned(),
        Skipped::Lines(1) => " 1 line without data is left out.".to_owned(),
        Skipped::Lines(count) => format!(" {count} lines without data are left out."),
        Skipped::BadLines { count: 1, first } => format!(" Line {first} is not JSON and is left out."),
        Skipped::BadLines { count, first } => {
            format!(" {count} lines that are not JSON, the first of them line {first}, are left out.")
        }
        Skipped::Ragged { count: 1, first } => format!(" Row {first} has more or fewer cells than the header."),
        Skipped::Ragged { count, first } => {
            format!(" {count} rows, the first of them row {first}, have more or fewer cells than the header.")
        }
        Skipped::OfXml => " Comments, and the order of elements with different names, are left out.".to_owned(),
        Skipped::OfReport => {
            " Its cases are listed by outcome; properties and outputs of suites are left out.".to_owned()
        }
    };
    // Where rows are not all that the text says, its lines are asked too.
    let has_more = matches!(text.skipped, Skipped::OfXml | Skipped::OfReport | Skipped::BadLines { .. });
    let lines = match ctx.way_to_text(handle) {
        WayToText::Stored(handle) if has_more && ctx.base.is_empty() && ctx.budget >= ROOM_TO_ASK => {
            format!("; in sql, {handle}_doc has its lines")
        }
        _ => String::new(),
    };
    format!(" The text is {what}.{cut}{skipped} For the text itself, {}{lines}.", itself(handle, ctx, cursor))
}

/// How to get the text itself, as the tool returned it; `cursor` names the member with a cursor into it.
fn itself(handle: Option<Handle>, ctx: &Context<'_>, cursor: &str) -> String {
    match ctx.way_to_text(handle) {
        WayToText::Stored(handle) => {
            format!("call {} with handle set to {handle} and format set to text", ctx.settings.read_tool)
        }
        WayToText::SameHandle => "call again with the same handle and format set to text".to_owned(),
        WayToText::Format => repeat_with("format", "text", ctx),
        WayToText::Cursor => read_on(cursor, ctx),
    }
}

/// How to get a text whose base64 is shortened, or else of which lines were written over.
pub(crate) fn shortened(has_bytes: bool, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let how = if has_bytes {
        "Its base64 or hex is shortened."
    } else {
        "Of lines that were written over, the last state is shown."
    };
    format!(" {how} For the text itself, {}.", itself(handle, ctx, "textCursor"))
}

/// What a text was read as, and how to reach what it does not show; `handle` is that of the stored result, if the result
/// names it.
///
/// `outlined` says whether there is an outline, and whether it has line numbers.
pub(crate) fn read_as(
    format: Option<TextFormat>,
    (has_outline, has_lines): (bool, bool),
    handle: Option<Handle>,
    ctx: &Context<'_>,
) -> String {
    match format {
        Some(TextFormat::Html) => {
            let way = itself(handle, ctx, "textCursor");
            let lines = match section(handle, ctx) {
                lines if has_lines && !lines.is_empty() => format!("{OF_HTML}{lines}"),
                _ => String::new(),
            };
            let some = if has_outline { " outline has some headings after this part." } else { "" };
            format!(" The text is HTML, read as the page that it makes.{some} For the text itself, {way}.{lines}")
        }
        Some(TextFormat::Markdown) if has_lines => {
            let lines = section(handle, ctx);
            let find = match lines.is_empty() {
                true => String::new(),
                false => format!(" To find or count lines, set sql instead, {}.", in_sql(handle, ctx)),
            };
            format!(
                " The text is Markdown; outline has some headings after this part with their line numbers.{lines}{find}"
            )
        }
        None if ctx.budget >= ROOM_FOR_TWO => find(handle, ctx),
        _ => String::new(),
    }
}

/// How to see the headings that a part does not show, and what is below one.
fn section(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    by("To see all headings or read a section", "outline set to true or lines to a heading or a range", handle, ctx)
}

/// Where the numbers in the outline of a page count.
const OF_HTML: &str = " The numbers in outline are lines of the HTML.";

/// How to find lines of the text; empty if it is not stored whole.
fn find(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    match (handle, ctx.how_to_ask) {
        (_, HowToAsk::ReadResult) => " To find lines, call again with search set to a text.".to_owned(),
        (Some(handle), _) if ctx.base.is_empty() => {
            let tool = &ctx.settings.read_tool;
            let table =
                example(handle, ctx).map_or(format!("; the table is {handle}"), |example| format!(", {example}"));
            format!(" To find or count lines, call {tool} with sql{table}.")
        }
        _ => String::new(),
    }
}

/// What SQL asks about lines, after the handle of the text.
fn in_sql(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let example = handle.and_then(|handle| example(handle, ctx));
    example.unwrap_or_else(|| "where that handle is a table".to_owned())
}

/// A question about the lines of a stored text, if there is room for it.
fn example(handle: Handle, ctx: &Context<'_>) -> Option<String> {
    // The table of a text that is not read for its rows has the rows all the same.
    let is_read = ctx.settings.text == ReadAs::Auto && ctx.controls.format != Some(Format::Text);
    let lines = if is_read { "" } else { "_doc" };
    let question = || format!("as in SELECT line, text FROM {handle}{lines} WHERE text LIKE '%error%'");
    (ctx.budget >= ROOM_TO_ASK).then(question)
}

/// A sentence that asks for a part of the text by an argument of `read_result`; empty if the text is not stored whole.
fn by(wish: &str, argument: &str, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    match (handle, ctx.how_to_ask) {
        (_, HowToAsk::ReadResult) => format!(" {wish}, call again with {argument}."),
        // A part of the result has other lines than the result.
        (Some(handle), _) if ctx.base.is_empty() => {
            format!(" {wish}, call {} with handle set to {handle} and {argument}.", ctx.settings.read_tool)
        }
        _ => String::new(),
    }
}

/// The note of a log that is shown by its errors and its templates.
pub(crate) fn log(has_cursor: bool, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    format!(
        "The text is a log: its errors first, then what is frequent, in tail its end; count: how many lines \
         differ only in time; alike: how many differ only in time, numbers and names.{}{}",
        find(handle, ctx),
        from_start(has_cursor, ctx)
    )
}

/// What is shown of a text whose lines say how it went.
#[derive(Clone, Copy)]
pub(crate) struct Surveyed<'a> {
    pub is_run: bool,
    /// How many rows are inside the text, and their names.
    pub inside: Option<(usize, &'a str)>,
    pub has_files: bool,
    /// Whether the start reaches the end.
    pub is_whole: bool,
}

/// The note of a text that is shown with lines left out.
pub(crate) fn survey(shows: Surveyed<'_>, has_cursor: bool, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let Surveyed { is_run, inside, has_files, is_whole } = shows;
    let what = if is_run { "The output of a run" } else { "The text" };
    let what = match is_whole {
        true => format!("{what}, all of it in preview."),
        false => format!("{what}: its start, and in excerpt what else says most, with … for lines left out."),
    };
    let ways = match ctx.how_to_ask {
        HowToAsk::ReadResult => ", or search set to a text".to_owned(),
        _ => format!(", or sql, {}", in_sql(handle, ctx)),
    };
    let wish = if is_whole { "For lines of it" } else { "For more" };
    let more = by(wish, &format!("lines set to a range such as -50{ways}"), handle, ctx);
    let on = match more.is_empty() && (has_cursor || ctx.call.has_failed()) {
        true => format!(" To read on, {}.", read_on("nextCursor", ctx)),
        false => String::new(),
    };
    let files = if has_files { HAS_FILES } else { "" };
    format!("{what}{files}{more}{}{on}", rows_inside(inside, handle, ctx))
}

/// The table of the rows inside a text that is shown by its lines: how many, and their names.
pub(crate) fn rows_inside(inside: Option<(usize, &str)>, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    match (inside, handle) {
        (Some((count, names)), Some(handle))
            if ctx.base.is_empty() && !matches!(ctx.how_to_ask, HowToAsk::ReadResult) =>
        {
            format!(" In sql, {handle}_rows has its {count} rows: {names}.")
        }
        _ => String::new(),
    }
}

/// The note of a stack trace without the frames in its middle.
pub(crate) fn trace(has_cursor: bool, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    format!(
        "The text is a stack trace: what it says, and frames at both ends; moreLines: how many lines are left out after \
         these.{}{}",
        by("To read them", "lines set to a range", handle, ctx),
        from_start(has_cursor, ctx)
    )
}

fn from_start(has_cursor: bool, ctx: &Context<'_>) -> String {
    match has_cursor || ctx.call.has_failed() {
        true => format!(" To read it from its start, {}.", read_on("nextCursor", ctx)),
        false => String::new(),
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
