//! How to see a shortened value in full.

use crate::render::elide::Elision;
use crate::request::context::{Context, HowToAsk};
use crate::request::handle::Handle;

use super::{NOT_KEPT, repeat_with};

/// Where a shortened value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortened {
    /// On a page of rows.
    OnPage,
    /// In an object that is not paged, or next to a list.
    InObject,
}

impl Shortened {
    /// The end of a sentence; `handle` is that of the stored result, if the result has it.
    pub fn in_full(self, handle: Option<Handle>, ctx: &Context<'_>) -> String {
        if let Some(handle) = handle.or_else(|| ctx.handle_to_ask_with()) {
            let tool = &ctx.settings.read_tool;
            return format!("call {tool} with handle set to {handle} and pointer set to its pointer.");
        }
        let cursor = ctx.call.argument("cursor");
        let repeat = repeat_with(ctx.call.argument("fields"), "[its pointer]", ctx);
        match (ctx.how_to_ask, self) {
            (HowToAsk::ReadResult, _) => {
                "call again with the same handle, pointer set to its pointer, and nothing else.".to_owned()
            }
            _ if ctx.call.has_failed() => format!("{repeat}."),
            (HowToAsk::Keyset, Self::OnPage) => format!("{repeat}."),
            (HowToAsk::Tool, Self::OnPage) => format!("{repeat}, without page and {cursor}."),
            (HowToAsk::Tool | HowToAsk::Keyset, Self::InObject) => format!("{repeat}, without {cursor}."),
        }
    }
}

/// How many values are shortened.
pub(super) fn count(shortened: usize) -> String {
    match shortened {
        1 => "1 value is shortened.".to_owned(),
        _ => format!("{shortened} values are shortened."),
    }
}

/// What the kinds of elisions mean that are not those of JSON.
pub(super) fn texts(elisions: &[Elision]) -> String {
    let mut out = String::new();
    if elisions.iter().any(Elision::is_repeated) {
        out += " The pointer of a repeated-key is that of the object around it: set format to text too.";
    }
    if elisions.iter().any(Elision::is_json_text) {
        out += " What is under … JSON text is a string in the original.";
    }
    if elisions.iter().any(Elision::is_reading) {
        out += " What is under … HTML or … log is what a string in the original says.";
    }
    out
}

/// How to see the keys that are too long to show.
pub(super) fn keys(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    format!(" Keys that end in … are shortened. To read them, {}.", as_text(handle, ctx))
}

/// How to see a key of which nothing is shown.
pub(super) fn key_too_long(position: usize, total: usize, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    format!("Key {position} of {total} is too long to show. To read it, {}.", as_text(handle, ctx))
}

fn as_text(handle: Option<Handle>, ctx: &Context<'_>) -> String {
    match handle.or_else(|| ctx.handle_to_ask_with()) {
        Some(handle) => {
            format!("call {} with handle set to {handle} and format set to text", ctx.settings.read_tool)
        }
        None => repeat_with(ctx.call.argument("format"), "text", ctx),
    }
}

/// How to get the fields that the policy leaves out.
pub(super) fn omitted_fields(ctx: &Context<'_>) -> String {
    match ctx.handle_to_ask_with() {
        Some(handle) => {
            format!(" To get omitted fields, call {} with handle set to {handle}.", ctx.settings.read_tool)
        }
        None if ctx.call.has_failed() => format!(" To get omitted fields, {NOT_KEPT}."),
        None => format!(" To get omitted fields, name them in {}.", ctx.call.argument("fields")),
    }
}

/// How to get a whole row of a page that shows the telling fields of its rows; the pointer is that of its first row.
pub(super) fn whole_row(pointer: &str, handle: Option<Handle>, ctx: &Context<'_>) -> String {
    let pointer = format!("its pointer, as {pointer} for the first");
    if let Some(handle) = handle.or_else(|| ctx.handle_to_ask_with()) {
        let tool = &ctx.settings.read_tool;
        return format!(" To get a whole row, call {tool} with handle set to {handle} and pointer set to {pointer}.");
    }
    let repeat = repeat_with(ctx.call.argument("fields"), &pointer, ctx);
    match ctx.how_to_ask {
        HowToAsk::Tool => format!(" To get a whole row, {repeat}, without page and {}.", ctx.call.argument("cursor")),
        HowToAsk::ReadResult | HowToAsk::Keyset => format!(" To get a whole row, {repeat}."),
    }
}
