//! One page of a list as a frame writes it: its facts, its note, and what surrounds its rows.

use crate::base::members::Members;
use crate::render::elide;
use crate::render::example_question::ExampleQuestion;
use crate::render::notes;
use crate::render::page_window::Window;
use crate::render::paginate::{PageFields, PageRows};
use crate::request::context::Context;
use crate::request::handle::Handle;
use crate::request::stored::Stored;
use crate::value::own_page::OwnPage;

/// One page as a frame writes it.
#[derive(Clone)]
pub(crate) struct Page<'a> {
    pub ctx: &'a Context<'a>,
    pub window: &'a Window,
    pub rows: PageRows<'a>,
    pub fields: PageFields<'a>,
    pub next: Option<String>,
    /// Whether the rows are the entries of a map.
    pub is_map: bool,
    /// JSON Pointer to the list in the value that is shown.
    pub list: &'a str,
    /// That the rows are one page of the tool's own, if the tool says so.
    pub own_page: Option<&'a OwnPage>,
}

impl Page<'_> {
    pub fn has_more(&self) -> bool {
        self.window.start + self.rows.returned < self.window.total
    }

    /// The question about the rows, with the handle of the stored result; only where there are more rows than are shown.
    pub fn example(&self, handle: Option<Handle>) -> Option<(&ExampleQuestion, Handle)> {
        self.fields.example.zip(handle).filter(|_| self.has_more())
    }

    /// Rows that differ from the others; only where there are more rows or fields than are shown.
    pub fn unusual(&self) -> Option<&Members> {
        self.fields.unusual.filter(|_| self.has_more() || self.fields.is_chosen)
    }

    /// How the pointer to the first row that is shown is made; without keys of the data, which are not for notes.
    pub fn first_row(&self, cursor: &str) -> String {
        let list = match cursor.strip_suffix("nextCursor") {
            Some("") if self.list.is_empty() && self.ctx.base.is_empty() => String::new(),
            member => format!("[{}pointer]", member.unwrap_or_default()),
        };
        let row = if self.is_map { "[its key]".to_owned() } else { self.window.start.to_string() };
        format!("{list}/{row}")
    }

    /// Whether every row of the list is shown whole.
    pub fn is_whole_list(&self) -> bool {
        self.rows.returned == self.window.total && self.rows.elisions.is_empty() && !self.fields.is_chosen
    }

    /// Writes the facts of the page: `totalItems` to `nextCursor`, then those that only some pages have.
    pub fn write_facts(&self, out: &mut Members) {
        let Window { start, end, total, page_size, shifted, .. } = *self.window;
        let is_keyset = self.window.keyset.is_some();
        if is_keyset {
            out.number("pageSize", page_size);
        } else {
            out.number("totalItems", total);
            let own = self.own_page.map(|own| own_page_facts(own, &self.ctx.base));
            if let Some(own) = own.filter(|own| !own.is_empty()) {
                out.object("ownPage", &own);
            }
            out.number("page", self.window.page(self.rows.returned));
            out.number("pageSize", page_size);
            // Of pages that do not hold their rows nobody knows how many there are.
            if self.window.is_page(self.rows.returned) {
                out.number("totalPages", self.window.total_pages());
            }
        }
        if is_keyset || self.rows.returned < end - start {
            out.number("returned", self.rows.returned);
        }
        out.flag("hasMore", self.has_more());
        out.text_or_null("nextCursor", self.next.as_deref());
        if shifted {
            out.flag("shifted", true);
        }
        if let Some(source) = self.ctx.stored.as_ref().and_then(Stored::source) {
            out.text("source", source);
        }
        elide::write_omitted_fields(self.fields.omitted, out);
        if let Some(same) = self.fields.same {
            out.object("same", same);
        }
        let example = self.example(self.ctx.handle(self.next.is_some()));
        if let Some((example, handle)) = example.filter(|(example, _)| example.has_fields()) {
            out.object("ask", &example.arguments(handle));
        }
        for members in [self.unusual(), self.fields.lines.map(|lines| &lines.members)].into_iter().flatten() {
            out.extend(members);
        }
    }

    /// The note: which rows the page shows, and how to get the others.
    ///
    /// `cursor` is the member with the next cursor.
    pub fn note(&self, cursor: &str, handle: Option<Handle>) -> String {
        notes::page::note(self, cursor, handle).finish()
    }
}

/// How many rows the tool has, and where its result says how to get the next ones.
fn own_page_facts(own: &OwnPage, base: &str) -> Members {
    let mut out = Members::new();
    if let Some(total) = own.total {
        out.json("total", &total.to_string());
    }
    if let Some(next) = own.next() {
        out.text("next", &format!("{base}{next}"));
    }
    out
}

/// What surrounds the rows of a page.
pub(crate) trait Frame {
    /// The text before the rows, and the text after them.
    fn around(&self, page: &Page<'_>) -> (String, String);

    /// Whether rows may be written in the dense form.
    fn takes_columns(&self) -> bool {
        true
    }

    /// Whether a row that does not fit may be shown shortened.
    fn shortens_rows(&self) -> bool {
        true
    }

    /// Whether the caller can ask for some fields of the rows alone.
    fn takes_fields(&self) -> bool {
        true
    }

    /// Whether a page has as many rows as fit, where nobody says how many.
    fn fills_pages(&self) -> bool {
        false
    }

    /// Whether everything next to the list is shown whole.
    fn is_lossless(&self) -> bool {
        true
    }

    /// JSON Pointer to the list, for cursors; empty if the list is the value itself.
    fn pointer(&self) -> &str {
        ""
    }
}

/// The frame of a list that is shown by itself.
pub(crate) struct ListFrame<'a> {
    pub ctx: &'a Context<'a>,
    /// JSON Pointer to the list in the value; empty if it is the value.
    pub pointer: &'a str,
}

impl Frame for ListFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let mut out = Members::new();
        out.flag("paginated", true);
        // Hosts keep the two ends of old results, so what continues the result is at the start.
        self.ctx.write_stored(page.next.is_some(), &mut out);
        self.ctx.write_text(page.next.is_some(), &mut out);
        if !self.pointer.is_empty() {
            out.text("pointer", &format!("{}{}", self.ctx.base, self.pointer));
        }
        page.write_facts(&mut out);
        out.text("note", &page.note("nextCursor", self.ctx.handle(page.next.is_some())));
        let tokens = if page.rows.lists_elisions { elide::list_tokens(self.ctx.budget) } else { 0 };
        elide::write_elisions(page.rows.elisions, tokens, self.ctx.measure, &mut out);
        out.open("items", page.is_map);
        out.into_parts()
    }

    fn is_lossless(&self) -> bool {
        self.pointer.is_empty()
    }

    fn pointer(&self) -> &str {
        self.pointer
    }
}
