//! The notes of objects that are not shown whole, and of values that are shrunk within their schema.

use crate::render::elide::Elision;
use crate::request::context::{Context, HowToAsk};
use crate::request::handle::Handle;
use crate::request::policy::{ROOM_FOR_TWO, ROOM_TO_ASK};

use super::shortened;
use super::text::structured;
use super::ways::Note;

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
        let mut note = Note::new(ctx, self.handle);
        match (start, omitted) {
            (0, 0) if shortened == 0 => {}
            (0, 0) => note.say(shortened::count(shortened)),
            _ if shown == 0 => {
                note.say(format!("Key {position} of {total} is too long to show."));
                note.as_text("that key");
            }
            _ => note.say(format!("Keys {} to {position} of {total}.", start + 1)),
        }
        if self.shortened_keys > 0 {
            note.as_text("keys that end in …");
        }
        shortened::texts(elisions, &mut note);
        if shortened > 0 {
            note.pointer("a shortened value", &["cursor"]);
            if let Some(handle) = self.handle.filter(|_| ctx.budget >= ROOM_FOR_TWO) {
                note.part("search", "values anywhere in it");
                // Of data in a text the whole is the text. This question is twice as long as one about lines.
                let is_whole = ctx.how_to_ask != HowToAsk::ReadResult && ctx.base.is_empty() && ctx.text.is_none();
                if is_whole && ctx.budget >= 2 * ROOM_TO_ASK {
                    note.tool(
                        format!(
                            "sql, as in SELECT fullkey, atom FROM {handle}_doc, json_tree(doc) WHERE atom LIKE '%error%'"
                        ),
                        "",
                    );
                }
            }
        }
        note.say(super::parts(self.handle, ctx));
        if self.has_next {
            note.cursor("_nextCursor", "the next keys");
        }
        if ctx.controls.page_size.is_some() {
            note.say(format!("This is not a list, so {} is ignored.", ctx.call.argument("pageSize")));
        }
        if self.omits_fields {
            note.omitted_fields();
        }
        if self.shifted {
            note.say("The object changed since the last part: keys may repeat or be missing.");
        }
        structured(&mut note, "_textCursor");
        note.finish()
    }
}

/// Adds what is missing in a value that is shrunk within its schema.
pub(crate) fn left_out(note: &mut Note<'_>) {
    note.say("_elisions lists what is left out or shortened.");
    note.pointer("one of these", &["cursor"]);
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
