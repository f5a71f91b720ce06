//! The note of a page: which rows it shows, and how to get what it does not show.

use crate::render::elide::Elision;
use crate::request::context::Context;
use crate::request::handle::Handle;
use crate::value::own_page::{NextValue, OwnPage};

use super::shortened::{self, Shortened};
use super::text::structured;
use super::{HAS_FILES, NOT_KEPT, read_on};

/// What the note of a page names.
pub(crate) struct PageNote<'a> {
    pub ctx: &'a Context<'a>,
    /// The number of the page, and of all pages; `None` if the rows are not exactly those of a page.
    pub page: Option<(usize, usize)>,
    /// Rows are paged by their keys: nobody knows their number.
    pub is_keyset: bool,
    /// Rows before the first that is shown.
    pub start: usize,
    pub returned: usize,
    pub total: usize,
    pub has_more: bool,
    /// The member that holds the cursor to the next rows, if there is a cursor.
    pub next_cursor: Option<&'a str>,
    /// The member that holds a cursor into the text that the rows are in, if there is one.
    pub text_cursor: &'static str,
    pub elisions: &'a [Elision],
    /// Keys of rows that are shortened.
    pub shortened_keys: usize,
    /// The handle of the stored result, if the result has it.
    pub handle: Option<Handle>,
    pub omits_fields: bool,
    /// The pointer to the first row that is shown, if the page chose the fields that it shows.
    pub whole_row: Option<String>,
    /// The result says how to ask about all rows: by a question in it, or else in words.
    pub example: Option<bool>,
    /// The result shows other rows too, because they are the lines of a text.
    pub lines: Option<LinesAre>,
    /// The result names rows that differ from the others.
    pub has_unusual: bool,
    /// The page before has no room for all of its rows.
    pub follows_gap: bool,
    /// The list changed since the page before.
    pub shifted: bool,
    /// That the rows are one page of the tool's own, and what precedes the names of the page's facts.
    pub own_page: Option<&'a OwnPage>,
    pub facts_in: &'a str,
}

impl PageNote<'_> {
    pub fn text(&self) -> String {
        let Self { ctx, start, returned, total, .. } = *self;
        let rows = rows(start, returned);
        let mut out = match (returned, self.page) {
            (1, _) if self.is_keyset => "1 row.".to_owned(),
            _ if self.is_keyset => format!("{returned} rows."),
            (0, _) => "There are no rows.".to_owned(),
            (_, Some((page, pages))) => format!("Page {page}/{pages}: {rows} of {total}."),
            (_, None) => rows_of(start, returned, total),
        };
        if let Some(own) = self.own_page {
            out += &own_page(own, total, self.facts_in, ctx);
        }
        if self.follows_gap {
            out += " The previous page has no room for all of its rows: its cursor returns the others.";
        }
        out += &match (self.has_more, self.next_cursor) {
            // A list that is all here has no last rows.
            (false, _) if returned == 0 || returned == total && !self.is_keyset => String::new(),
            (false, _) if self.own_page.is_some() => " These are the last of this page.".to_owned(),
            (false, _) => " These are the last rows.".to_owned(),
            (true, Some(next)) => format!(" For the next rows, {}.", read_on(next, ctx)),
            (true, None) if ctx.call.has_failed() => format!(" For the next rows, {NOT_KEPT}."),
            (true, None) => " For the next rows, repeat this call with the next page.".to_owned(),
        };
        let tool = &ctx.settings.read_tool;
        out += &match (self.example, self.handle) {
            (Some(true), _) => {
                format!(" To filter, sort, group and count all rows, call {tool} with SQL, as in ask.")
            }
            (Some(false), Some(handle)) => {
                format!(" To filter or count all rows, call {tool} with sql; the table is {handle}.")
            }
            _ => String::new(),
        };
        out += &super::parts(self.handle, ctx);
        if self.has_unusual {
            out += " Some rows that differ from the others are in unusual.";
        }
        out += match self.lines {
            None => "",
            Some(LinesAre::Html) => {
                " The rows are lines of HTML: the page that they make is in pageText, from its start."
            }
            Some(LinesAre::Text { .. }) => {
                " The rows are lines: notable ones are in lines, the last ones in tail, counted from 0 as in pointers."
            }
        };
        if self.lines == Some(LinesAre::Text { has_files: true }) {
            out += HAS_FILES;
        }
        out += &shortened::texts(self.elisions);
        if self.elisions.iter().any(|elision| !elision.is_json_text() && !elision.is_reading()) {
            out += " Shortened values end in … or are in brackets. To see one in full, ";
            out += &Shortened::OnPage.in_full(self.handle, ctx);
        } else if !self.elisions.is_empty() {
            out += &format!(" To see a shortened value in full, {}", Shortened::InObject.in_full(self.handle, ctx));
        }
        if self.shortened_keys > 0 {
            out += &shortened::keys(self.handle, ctx);
        }
        match &self.whole_row {
            Some(pointer) => out += &shortened::whole_row(pointer, self.handle, ctx),
            None if self.omits_fields => out += &shortened::omitted_fields(ctx),
            None => {}
        }
        if self.shifted {
            out += " The list changed since the last page: rows may repeat or be missing.";
        }
        out + &structured(self.ctx, self.handle, self.text_cursor)
    }
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
    format!(" These {rows} are one page of the tool's own{of}.{next}")
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
