//! The note of a page: which rows it shows, and how to get what it does not show.

use crate::render::page::Page;
use crate::request::context::Context;
use crate::request::handle::Handle;
use crate::value::own_page::{NextValue, OwnPage};

use super::text::structured;
use super::ways::Note;
use super::{HAS_FILES, shortened};

/// Which rows the page shows; `cursor` is the member with the next cursor, and `handle` that of the stored result, if the result
/// has it.
pub(crate) fn note<'a>(page: &Page<'a>, cursor: &str, handle: Option<Handle>) -> Note<'a> {
    let (ctx, window, elisions) = (page.ctx, page.window, page.rows.elisions);
    let (start, returned, total) = (window.start, page.rows.returned, window.total);
    // Of rows that are paged by their keys nobody knows the number.
    let is_keyset = window.keyset.is_some();
    let lines = page.fields.lines.map(|lines| lines.are);
    let rows = rows(start, returned);
    let mut note = Note::new(ctx, handle);
    note.say(match returned {
        1 if is_keyset => "1 row.".to_owned(),
        _ if is_keyset => format!("{returned} rows."),
        0 => "There are no rows.".to_owned(),
        _ if window.is_page(returned) => {
            format!("Page {}/{}: {rows} of {total}.", window.page(returned), window.total_pages())
        }
        _ => rows_of(start, returned, total),
    });
    if let Some(own) = page.own_page {
        note.say(own_page(own, total, cursor.strip_suffix("nextCursor").unwrap_or_default(), ctx));
    }
    if window.follows_gap {
        note.say("The previous page has no room for all of its rows: its cursor returns the others.");
    }
    match (page.has_more(), &page.next) {
        // A list that is all here has no last rows.
        (false, _) if returned == 0 || returned == total && !is_keyset => {}
        (false, _) if page.own_page.is_some() => note.say("These are the last of this page."),
        (false, _) => note.say("These are the last rows."),
        (true, Some(_)) => note.cursor(cursor, "the next rows"),
        (true, None) => note.repeat("the next page", ""),
    }
    match (page.example(handle).map(|(example, _)| example.has_fields()), handle) {
        (Some(true), _) => note.tool("sql, as in ask", "to query all rows"),
        (Some(false), Some(handle)) => note.tool(format!("sql, where {handle} is the table"), "to query all rows"),
        _ => {}
    }
    note.say(super::parts(handle, ctx));
    if page.unusual().is_some() {
        note.say("Some later rows are in unusual.");
    }
    match lines {
        None => {}
        Some(LinesAre::Html) => {
            note.say("The rows are lines of HTML: the page that they make is in pageText, from its start.");
        }
        Some(LinesAre::Text { has_files }) => {
            note.say("The rows are lines; …N: in excerpt is item N, counted from 0, after items left out.");
            note.say(if has_files { HAS_FILES } else { "" });
        }
    }
    shortened::texts(elisions, &mut note);
    if elisions.iter().any(|elision| !elision.is_json_text() && !elision.is_reading()) {
        note.pointer("a value that ends in … or is in brackets", &["page", "cursor"]);
    } else if !elisions.is_empty() {
        note.pointer("a shortened value", &["cursor"]);
    }
    if page.rows.shortened_keys > 0 {
        note.as_text("keys that end in …");
    }
    if page.fields.is_chosen {
        note.pointer(&format!("a whole row, as {} for the first", page.first_row(cursor)), &["page", "cursor"]);
    } else if !page.fields.omitted.is_empty() {
        note.omitted_fields();
    }
    if window.shifted {
        note.say("The list changed since the last page: rows may repeat or be missing.");
    }
    structured(&mut note, if cursor.starts_with('_') { "_textCursor" } else { "textCursor" });
    note
}

/// What the lines are that the rows of a list are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinesAre {
    Html,
    Text { has_files: bool },
}

/// The sentences on rows that are one page of the tool's own; `member` precedes the name of what says more.
fn own_page(own: &OwnPage, rows: usize, member: &str, ctx: &Context<'_>) -> String {
    let of = own.total.map_or_else(String::new, |total| format!(", of {total} rows"));
    let tool = ctx.call.tool_name().filter(|tool| *tool != &*ctx.settings.read_tool).unwrap_or("the tool");
    let next = match (own.argument(ctx.call.page_arguments()), own.next()) {
        (Some((name, NextValue::Number(number))), _) => {
            format!(" For its next page, call {tool} with {name} set to {number}.")
        }
        (Some((name, NextValue::Text(text))), _) => {
            format!(" For its next page, call {tool} with {name} set to {text}.")
        }
        (Some((name, NextValue::At(_))), _) => {
            format!(" For its next page, call {tool} with {name} set to what is at {member}ownPage.next.")
        }
        (None, Some(_)) => format!(" What leads to its next page is at {member}ownPage.next."),
        (None, None) => String::new(),
    };
    format!("These {rows} are one page of the tool's own{of}.{next}")
}

/// Which of all rows are shown.
pub(crate) fn rows_of(start: usize, returned: usize, total: usize) -> String {
    format!("R{} of {total}.", &rows(start, returned)[1..])
}

fn rows(start: usize, returned: usize) -> String {
    match returned {
        1 => format!("row {}", start + 1),
        _ => format!("rows {} to {}", start + 1, start + returned),
    }
}
