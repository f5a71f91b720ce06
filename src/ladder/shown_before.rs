//! A result that is shaped already and has to be smaller: its handle stays that of the whole, so that a question about all rows
//! is never answered from a page, and nothing is stored. A page over the budget of its own call shows fewer rows. If the results
//! of a turn are too large together, all values go, and what it says about the whole stays.

use crate::base::error::Error;
use crate::base::json_string::{Quoted, quoted, unescape};
use crate::base::members::Members;
use crate::ladder::draft::Draft;
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::dense::{self, FORM};
use crate::render::notes;
use crate::render::notes::page::rows_of;
use crate::render::offload::Description;
use crate::render::summarize;
use crate::request::content_id::Form;
use crate::request::context::Fit;
use crate::request::cursor::{Continued, NextRows};
use crate::request::handle::{self, Handle};
use crate::request::read_tool::READ_RESULT;
use crate::request::secret::Secret;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// A longer member is a value, and not a fact about the whole.
const FACT_BYTES: usize = 200;
/// Members that hold the values, or say where they are in the result.
const VALUES: [&str; 6] = ["items", "rows", "preview", "elisions", "_elisions", "_value"];
/// Longer members that are facts all the same.
const FACTS: [&str; 2] = ["ask", "_page"];

/// A page with fewer rows, whose cursor goes on after the last of them; `None` if the output is not a page, if nobody
/// but its author can read its cursor, or if there is no room for a row.
///
/// # Errors
/// Errors from reading the output.
pub(crate) fn shorter_page(draft: &Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    let (ctx, output) = (&draft.ctx, &draft.job.output);
    let value = &output.value;
    let is_page = match output.given {
        Some(text) => text.len() <= MOST_BYTES && text.starts_with(PAGE),
        None if value.kind() == Kind::String && value.chars() <= MOST_BYTES => {
            unescape(&value.slice(0, PAGE.len())?) == PAGE
        }
        None => false,
    };
    if !is_page {
        return Ok(None);
    }
    let text = output.own_text()?;
    let Ok(result) = JsonText::parse(&text) else { return Ok(None) };
    let Some(shown) = ShapedMembers::read(&result)? else { return Ok(None) };
    let Some(page) = shown.page(&ctx.settings.cursor_keys)? else { return Ok(None) };
    let (mut fit, mut fitting, mut over) = (None, 0, page.rows.len());
    while over - fitting > 1 {
        let returned = fitting.midpoint(over);
        let Some(text) = shown.with_rows(&page, returned)? else { return Ok(None) };
        match ctx.measure.fits(&text, ctx.budget) {
            Some(tokens) => (fit, fitting) = (Some(Fit { tokens, text }), returned),
            None => over = returned,
        }
    }
    Ok(fit.map(|fit| draft.shaped(fit, vec![Step::Paginate], Outcome::Envelope)))
}

/// The member that holds the rows of a page.
const ROWS: &str = "items";
/// How pages begin.
const PAGE: &str = "{\"paginated\":true,";
/// A longer text was not shaped.
const MOST_BYTES: usize = 1 << 20;

/// The result without its values; `None` if it is neither a shaped result that names a stored one, nor an answer of the tool
/// that reads these.
///
/// # Errors
/// Errors from reading the output.
pub(crate) fn without_values(draft: &Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    let (ctx, output) = (&draft.ctx, &draft.job.output);
    let text = output.own_text()?;
    let result = Some(text.as_str()).filter(|text| text.starts_with("{\"")).and_then(|text| JsonText::parse(text).ok());
    let shown = result.as_ref().map(ShapedMembers::read).transpose()?.flatten();
    let reads = |tool: &str| tool == &*ctx.settings.read_tool || tool.contains(READ_RESULT);
    let handle = match &shown {
        _ if ctx.call.tool_name().is_some_and(reads) => None,
        Some(shown) => match shown.handle(draft)? {
            Some(handle) => Some(handle),
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    let note = match handle {
        Some(handle) => notes::stored::values_left_out(handle),
        None => notes::stored::ANSWER_LEFT_OUT.to_owned(),
    };
    let mut out = Members::new();
    out.flag("offloaded", true);
    if let Some(handle) = handle {
        out.text("uri", &handle.uri());
    }
    let mut least = out.clone();
    least.text("note", &note);
    match &shown {
        Some(shown) => shown.write(&note, &mut out)?,
        None => out = least.clone(),
    }
    let text = Some(out.into_object()).filter(|text| ctx.measure.fits(text, ctx.budget).is_some());
    let text = text.unwrap_or_else(|| least.into_object());
    let fit = Fit { tokens: ctx.measure.count(&text), text };
    Ok(Some(draft.shaped(fit, vec![Step::Offload], Outcome::Handle)))
}

/// A shaped result, by its members.
struct ShapedMembers<'v> {
    members: Vec<(String, JsonText<'v>)>,
    /// Its note, under its name.
    note: (&'static str, String),
}

/// The rows of a page.
struct PageRows<'v, 'k> {
    /// What the rows have in common, in the dense form.
    columns: Option<JsonText<'v>>,
    rows: Vec<JsonText<'v>>,
    /// How many rows are before the first.
    start: usize,
    total: usize,
    next: NextRows<'k>,
    /// The note after the sentence that says which rows these are.
    note: String,
}

impl<'v> ShapedMembers<'v> {
    /// The members of a shaped result; `None` if the object is none.
    fn read(result: &JsonText<'v>) -> Result<Option<Self>, Error> {
        const NOTES: [(&str, &[&str]); 2] =
            [("note", &["paginated", "truncated", "output", "summarized", "offloaded"]), ("_note", &["_summarized"])];
        if result.kind() != Kind::Object {
            return Ok(None);
        }
        let entries = result.entries()?;
        let members: Vec<_> =
            entries.into_iter().map(|(key, value)| (Quoted::new(&key).text().into_owned(), value)).collect();
        let found = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        for (name, marks) in NOTES {
            if let Some(note) = found(name).filter(|note| note.kind() == Kind::String)
                && marks.iter().any(|mark| found(mark).is_some())
            {
                let note = (name, note.text()?.into_owned());
                return Ok(Some(Self { members, note }));
            }
        }
        Ok(None)
    }

    fn get(&self, name: &str) -> Option<&JsonText<'v>> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The handle of the whole: in its address, or in its cursor where there was no room for both.
    fn handle(&self, draft: &Draft<'_, '_, '_>) -> Result<Option<Handle>, Error> {
        let named = |name: &str| self.get(name).filter(|value| value.kind() == Kind::String);
        for address in ["uri", "_uri"].into_iter().filter_map(named) {
            if let Some(name) = handle::of_address(&address.text()?) {
                return Ok(Some(name.handle()));
            }
        }
        for cursor in ["nextCursor", "_nextCursor"].into_iter().filter_map(named) {
            if let Ok(continued) = Continued::read(&cursor.text()?, &draft.ctx.settings.cursor_keys) {
                return Ok(Some(continued.handle));
            }
        }
        Ok(None)
    }

    /// The rows of a page that a cursor continues; `None` for another result, and for a cursor that cannot be read.
    fn page<'k>(&self, keys: &'k [Secret]) -> Result<Option<PageRows<'v, 'k>>, Error> {
        let (columns, list) = match self.get(ROWS).map(|rows| (rows, rows.named(&["columns", "rows"]))) {
            Some((_, [Some(columns), Some(rows)])) => (Some(columns), Some(rows)),
            rows => (None, rows.map(|(rows, _)| rows.clone())),
        };
        let list = list.filter(|rows| rows.kind() == Kind::Array);
        let total = self.get("totalItems").map(Source::json).transpose()?.and_then(|total| total.parse().ok());
        let cursor = self.get("nextCursor").filter(|cursor| cursor.kind() == Kind::String);
        let (Some(list), Some(total), Some(cursor)) = (list, total, cursor) else { return Ok(None) };
        let Ok(next) = NextRows::read(&cursor.text()?, keys) else { return Ok(None) };
        let rows = list.items(0, usize::MAX)?;
        let after = self.note.1.split_once(&format!(" of {total}."));
        let (Some(start), Some((_, note))) = (next.position().checked_sub(rows.len()), after) else { return Ok(None) };
        Ok(Some(PageRows { columns, rows, start, total, next, note: note.to_owned() }))
    }

    /// The page with the first of its rows; `None` if there is no cursor to the others.
    fn with_rows(&self, page: &PageRows<'_, '_>, returned: usize) -> Result<Option<String>, Error> {
        let Some(cursor) = page.next.back_at(page.start + returned) else { return Ok(None) };
        let mut out = Members::new();
        for (key, value) in &self.members {
            match key.as_str() {
                // Of pages that do not hold their rows nobody knows how many there are.
                "totalPages" | "returned" => {}
                "hasMore" => {
                    out.number("returned", returned);
                    out.flag(key, true);
                }
                "nextCursor" => out.text(key, &cursor),
                "note" => out.text(key, &format!("{}{}", rows_of(page.start, returned, page.total), page.note)),
                ROWS => {
                    let rows = page.rows[..returned].iter().map(Source::json).collect::<Result<Vec<_>, _>>()?;
                    let mut table = Members::new();
                    match &page.columns {
                        Some(columns) => {
                            table.json("columns", &columns.json()?);
                            table.list("rows", &rows);
                            out.object(key, &table);
                        }
                        None => out.list(key, &rows),
                    }
                }
                _ => out.json_under(&quoted(key), &value.json()?),
            }
        }
        Ok(Some(out.into_object()))
    }

    /// Writes the facts about the whole, and the note after the one that says what is left out.
    fn write(&self, note: &str, out: &mut Members) -> Result<(), Error> {
        let is_summary = self.note.0 == "_note";
        if let Some(description) = self.description()? {
            out.escaped("description", &description.written(usize::MAX));
        }
        for (key, value) in &self.members {
            let (key, json) = (key.as_str(), value.json()?);
            let is_own = is_summary && !summarize::is_ours(&format!("\"{key}\""));
            let is_written = ["uri", "_uri", "offloaded", "description", "source"].contains(&key);
            let is_fact = FACTS.contains(&key) || (json.len() <= FACT_BYTES && !VALUES.contains(&key));
            if key == self.note.0 {
                out.text("note", &format!("{note} {}", self.note.1));
            } else if is_fact && !is_own && !is_written {
                out.json_under(&quoted(key), &json);
            }
        }
        Ok(())
    }

    /// What the rows are that a page shows, and how many there are.
    fn description(&self) -> Result<Option<Description>, Error> {
        let (Some(rows), Some(total)) = (self.get(ROWS), self.get("totalItems")) else { return Ok(None) };
        let mut page = Members::new();
        if let Some(form) = self.get(FORM) {
            page.json(FORM, &form.json()?);
        }
        page.json(ROWS, &rows.json()?);
        let page = dense::expand(&page.into_object())?;
        let [rows] = JsonText::parse(&page)?.named(&[ROWS]);
        let len = total.json()?.parse().ok();
        let (Some(rows), Some(len)) = (rows.filter(|rows| rows.kind() == Kind::Array), len) else { return Ok(None) };
        Ok(Some(Description::of(&AnySource::new(rows), Form::Json)?.of_length(len)))
    }
}
