//! The notes of objects that are not shown whole, and of values that are shrunk within their schema.

use crate::render::elide::Elision;
use crate::request::context::{Context, HowToAsk};
use crate::request::handle::Handle;
use crate::request::policy::{ROOM_FOR_TWO, ROOM_TO_ASK};

use super::read_on;
use super::shortened::{self, Shortened};
use super::text::structured;

/// What the note of an object names.
pub(crate) struct ObjectNote<'a> {
    pub ctx: &'a Context<'a>,
    /// Keys before the first that is shown.
    pub start: usize,
    /// Keys that are shown.
    pub shown: usize,
    /// The key after which the next call goes on, counted from 1.
    pub position: usize,
    pub total: usize,
    /// Keys after those that are shown.
    pub omitted: usize,
    /// Values that are shortened.
    pub elisions: &'a [Elision],
    /// Keys that are shortened.
    pub shortened_keys: usize,
    /// The handle of the stored result, if the result has it.
    pub handle: Option<Handle>,
    pub has_next: bool,
    /// The policy leaves out fields.
    pub omits_fields: bool,
    /// The object changed since the cursor was made.
    pub shifted: bool,
}

impl ObjectNote<'_> {
    pub fn text(&self) -> String {
        let Self { ctx, start, shown, position, total, omitted, elisions, .. } = *self;
        let shortened = elisions.len();
        let mut out = match (start, omitted) {
            (0, 0) if shortened == 0 => String::new(),
            (0, 0) => shortened::count(shortened),
            _ if shown == 0 => shortened::key_too_long(position, total, self.handle, ctx),
            _ => format!("Keys {} to {position} of {total}.", start + 1),
        };
        if self.shortened_keys > 0 {
            out += &shortened::keys(self.handle, ctx);
        }
        out += &shortened::texts(elisions);
        if shortened > 0 {
            out += &format!(" To see a shortened value in full, {}", Shortened::InObject.in_full(self.handle, ctx));
            if let Some(handle) = self.handle.filter(|_| ctx.budget >= ROOM_FOR_TWO) {
                out += " To find values anywhere in it, set search instead";
                // Of data in a text the whole is the text. This question is twice as long as one about lines.
                let is_whole = ctx.how_to_ask != HowToAsk::ReadResult && ctx.base.is_empty() && ctx.text.is_none();
                if is_whole && ctx.budget >= 2 * ROOM_TO_ASK {
                    out += &format!(
                        ", or sql, as in SELECT fullkey, atom FROM {handle}_doc, json_tree(doc) WHERE atom LIKE '%error%'"
                    );
                }
                out.push('.');
            }
        }
        out += &super::parts(self.handle, ctx);
        if self.has_next {
            out += &format!(" For the next keys, {}.", read_on("_nextCursor", ctx));
        }
        if ctx.controls.page_size.is_some() {
            out += &format!(" This is not a list, so {} is ignored.", ctx.call.argument("pageSize"));
        }
        if self.omits_fields {
            out += &shortened::omitted_fields(ctx);
        }
        if self.shifted {
            out += " The object changed since the last part: keys may repeat or be missing.";
        }
        out += &structured(ctx, self.handle, "_textCursor");
        out.trim_start().to_owned()
    }
}

/// The sentence about what is missing in a value that is shrunk within its schema.
pub(crate) fn left_out(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let in_full = Shortened::InObject.in_full(handle, ctx);
    format!("_elisions lists what is left out or shortened. To see one of these in full, {in_full}")
}

/// The name of the link to the whole of a value that is shrunk within its schema.
pub(crate) const LINK_NAME: &str = "the whole result";

/// The rows that are shown of a list: from row `start` on.
pub(crate) struct ShownRows<'a> {
    pub returned: usize,
    pub total: usize,
    pub start: usize,
    /// JSON Pointer to the list.
    pub list: &'a str,
}

/// What is missing of a value that is shrunk within its schema, and how to read it.
pub(crate) fn missing(tool: &str, handle: Option<Handle>, rows: Option<ShownRows<'_>>, elisions: usize) -> String {
    let mut missing = Vec::new();
    if let Some(ShownRows { returned, total, start, list }) = rows {
        let of = if list.is_empty() { String::new() } else { format!(" of {list}") };
        missing.push(format!("{returned} of {total} rows{of} are shown, from row {start} on"));
    }
    match elisions {
        0 => {}
        1 => missing.push("1 value is shortened or left out".to_owned()),
        some => missing.push(format!("{some} values are shortened or left out")),
    }
    let mut note = format!("{}.", missing.join("; "));
    if let Some(handle) = handle {
        note += &format!(" To read any part, call {tool} with handle set to {handle}.");
    }
    note
}
