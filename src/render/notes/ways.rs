//! A note: sentences on what is shown, and at its end one with all calls that show more.

use std::borrow::Cow;

use crate::request::context::{Context, HowToAsk, WayToText};
use crate::request::handle::Handle;

/// A note that is being written.
pub(crate) struct Note<'a> {
    pub ctx: &'a Context<'a>,
    /// The handle of the stored result, if the result has it.
    pub handle: Option<Handle>,
    said: String,
    ways: Vec<Way>,
    /// Nothing keeps what a call would show.
    is_lost: bool,
}

/// A call, and what it shows.
struct Way {
    by: By,
    arguments: Cow<'static, str>,
    shows: String,
}

/// Which call is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// `read_result`.
    Tool,
    /// `read_result` with the handle of the result.
    Handle,
    /// The call that returned the result, with more arguments.
    Repeat,
    /// The call of `read_result` that returned the result, with the same handle and other arguments.
    Again,
}

impl<'a> Note<'a> {
    pub fn new(ctx: &'a Context<'a>, handle: Option<Handle>) -> Self {
        Self { ctx, handle, said: String::new(), ways: Vec::new(), is_lost: false }
    }

    /// Adds a sentence.
    pub fn say(&mut self, sentence: impl AsRef<str>) {
        if !self.said.is_empty() && !sentence.as_ref().is_empty() {
            self.said.push(' ');
        }
        self.said += sentence.as_ref();
    }

    /// The cursor that a member of the result holds.
    pub fn cursor(&mut self, member: &str, shows: &str) {
        let by = if self.ctx.is_read_on() { By::Tool } else { By::Repeat };
        let name = if by == By::Tool { "cursor" } else { self.ctx.call.argument("cursor") };
        self.add(by, format!("{name} set to {member}"), shows);
    }

    /// The pointer to what is shortened or left out. `without` says that a call that is repeated has no page and no cursor then.
    pub fn pointer(&mut self, shows: &str, without: &[&'static str]) {
        if self.handle_to_ask_with().is_some() {
            return self.add(By::Handle, "pointer", shows);
        }
        if self.ctx.how_to_ask == HowToAsk::ReadResult {
            return self.add(By::Again, "pointer", shows);
        }
        let fields = self.ctx.call.argument("fields");
        let mut arguments = format!("{fields} set to [its pointer]");
        if self.ctx.how_to_ask == HowToAsk::Tool {
            let without: Vec<&str> = without.iter().map(|name| self.ctx.call.argument(name)).collect();
            arguments += &format!(" and without {}", without.join(" and "));
        }
        self.add(By::Repeat, arguments, shows);
    }

    /// The text itself, as the tool returned it; `cursor` is the member with a cursor into it.
    pub fn text_itself(&mut self, cursor: &str) {
        match self.ctx.way_to_text(self.handle) {
            WayToText::Cursor => self.cursor(cursor, ITSELF),
            _ => self.as_text(ITSELF),
        }
    }

    /// What only the text shows.
    pub fn as_text(&mut self, shows: &str) {
        let by = match self.handle_to_ask_with() {
            Some(_) => By::Handle,
            None if self.ctx.how_to_ask == HowToAsk::ReadResult => By::Again,
            None => By::Repeat,
        };
        let name = if by == By::Repeat { self.ctx.call.argument("format") } else { "format" };
        self.add(by, format!("{name} set to text"), shows);
    }

    /// The fields that the policy leaves out.
    pub fn omitted_fields(&mut self) {
        match self.handle_to_ask_with() {
            Some(handle) => self.whole(handle, "omitted fields"),
            None => {
                self.add(By::Repeat, format!("their names in {}", self.ctx.call.argument("fields")), "omitted fields")
            }
        }
    }

    /// An argument by which `read_result` reads a part of the whole; `false` if that is not stored, or if only a part of it is
    /// shown, which has other lines.
    pub fn part(&mut self, arguments: &'static str, shows: &str) -> bool {
        let by = match (self.handle, self.ctx.how_to_ask) {
            (_, HowToAsk::ReadResult) => By::Again,
            (Some(_), _) if self.ctx.base.is_empty() => By::Handle,
            _ => return false,
        };
        self.add(by, arguments, shows);
        true
    }

    /// An argument of `read_result` that names the result by itself.
    pub fn tool(&mut self, arguments: impl Into<Cow<'static, str>>, shows: &str) {
        self.add(By::Tool, arguments, shows);
    }

    /// The call again, with other arguments.
    pub fn repeat(&mut self, arguments: impl Into<Cow<'static, str>>, shows: &str) {
        self.add(By::Repeat, arguments, shows);
    }

    /// All that is stored.
    pub fn whole(&mut self, handle: Handle, shows: &str) {
        let arguments = format!("handle set to {}", self.named(handle));
        self.add(By::Tool, arguments, shows);
    }

    /// The handle, or where the result has it: `read_result` takes the address too, and a handle costs nine tokens.
    fn named(&self, handle: Handle) -> String {
        let has_uri = self.ctx.stored.as_ref().is_some_and(|stored| stored.tells_uri(true, self.ctx.budget));
        if has_uri { "its uri".to_owned() } else { handle.to_string() }
    }

    fn handle_to_ask_with(&self) -> Option<Handle> {
        self.handle.or_else(|| self.ctx.handle_to_ask_with())
    }

    fn add(&mut self, by: By, arguments: impl Into<Cow<'static, str>>, shows: &str) {
        if by == By::Repeat && self.ctx.call.has_failed() {
            // The call may have changed something before it failed.
            self.is_lost = true;
            return;
        }
        let arguments = arguments.into();
        match self.ways.iter_mut().find(|way| way.by == by && way.arguments == arguments) {
            Some(way) if way.shows.is_empty() || shows.is_empty() => {}
            Some(way) => way.shows += &format!(", {shows}"),
            None => self.ways.push(Way { by, arguments, shows: shows.to_owned() }),
        }
    }

    /// The whole note.
    pub fn finish(mut self) -> String {
        self.ways.sort_by_key(|way| match way.by {
            By::Tool => 0,
            By::Handle => 1,
            By::Repeat => 2,
            By::Again => 3,
        });
        let tool = &self.ctx.settings.read_tool;
        let handle = self.handle_to_ask_with().map_or_else(String::new, |handle| self.named(handle));
        let mut calls = Vec::new();
        let mut is_named = false;
        for ways in self.ways.chunk_by(|one, other| one.by == other.by) {
            let with = match ways[0].by {
                By::Handle if is_named => format!("with handle set to {handle} and "),
                By::Handle => format!("call {tool} with handle set to {handle} and "),
                By::Tool => format!("call {tool} with "),
                By::Repeat => "repeat this call with ".to_owned(),
                By::Again => "call again with the same handle and ".to_owned(),
            };
            is_named |= ways[0].by == By::Tool;
            calls.push(with + &listed(ways.iter().map(Way::text).collect()));
        }
        if !calls.is_empty() {
            self.say(format!("To read more, {}.", calls.join("; or ")));
        }
        if self.is_lost {
            self.say(NOT_KEPT);
        }
        self.said
    }
}

impl Way {
    fn text(&self) -> String {
        match &*self.shows {
            "" => self.arguments.clone().into_owned(),
            shows => format!("{} ({shows})", self.arguments),
        }
    }
}

fn listed(mut items: Vec<String>) -> String {
    match items.pop() {
        Some(last) if items.is_empty() => last,
        Some(last) => format!("{} or {last}", items.join(", ")),
        None => String::new(),
    }
}

const ITSELF: &str = "the text itself";

/// The sentence about an error that is not stored.
const NOT_KEPT: &str = "The rest of this error is not kept.";
