//! A list whose items are the lines of a text: in addition to its first rows the lines that say how it went, and the last ones; of HTML
//! the page that it makes.

use std::cell::OnceCell;

use toolshape_text::lines;
use toolshape_text::prose::encoded::Shortened;
use toolshape_text::prose::{files, html, messages, terminal};

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::abridged::{Abridged, Numbered};
use crate::render::counted_rows::CountedRows;
use crate::render::excerpt;
use crate::render::notes::page::LinesAre;
use crate::render::paginate::OfLines;
use crate::render::survey::{FILES, files_within};
use crate::request::context::Context;
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;
use crate::value::sampling::evenly;
use crate::value::source::{Kind, Source, items_at, row_key};
use crate::value::token_estimate;

/// Items that are looked at to know whether they are lines.
const SAMPLED: usize = 32;
/// A list of fewer items, or of longer ones, has paragraphs and not lines.
const LEAST_LINES: usize = 6;
const LINE_CHARS: usize = 400;
/// Words that half of the items have at least, unless they are paths or settings: names and ids have fewer.
const WORDS: usize = 2;
/// The lines and the characters of a longer list are not read.
const MOST_LINES: usize = 1 << 16;
const MOST_CHARS: usize = 1 << 22;
/// The characters of events that are read.
const MOST_EVENT_CHARS: usize = 1 << 20;
/// The tenths of the budget for the lines after the rows of the page.
const OF_EXCERPT: usize = 7;
/// The tenths for a page of HTML.
const OF_PAGE: usize = 7;
/// About the tokens of the facts and the note of the page.
const FRAME: usize = 120;

/// A list whose items are the lines of a text.
pub(crate) struct ListedLines {
    text: String,
    /// Whether the text is HTML, read as the page that it makes.
    is_page: bool,
}

/// The text whose lines are the items of a list; `None` if they are not lines.
///
/// # Errors
/// Whatever reading the items reports.
pub(crate) fn of_list(rows: &CountedRows<'_, AnySource<'_>>, ctx: &Context<'_>) -> Result<Option<ListedLines>, Error> {
    let list = rows.list();
    if list.kind() != Kind::Array || !(LEAST_LINES..=MOST_LINES).contains(&list.len()) || !ctx.reads_texts() {
        return Ok(None);
    }
    // A list of rows is known by its first one, which a page reads anyway.
    if rows.at(0, 1)?.first().is_none_or(|row| row.source.kind() != Kind::String) {
        return if ctx.is_of_lines() { of_events(list) } else { Ok(None) };
    }
    let words = |item: &AnySource<'_>| -> Result<Option<usize>, Error> {
        // The values of a map are not lines.
        if item.kind() != Kind::String || row_key(item).is_some() || item.chars() > MOST_CHARS / SAMPLED {
            return Ok(None);
        }
        let text = item.text()?;
        // Settings are known by a colon: `role:master`.
        let is_path = text.contains(['/', ':']) && !text.contains("://");
        // Names have no margin: `        ^` belongs to the line above it.
        let words = text.split_whitespace().count() + usize::from(text.starts_with([' ', '\t']));
        Ok(Some(if is_path { words.max(WORDS) } else { words }).filter(|_| !text.trim_end().contains('\n')))
    };
    let sample = items_at(list, &evenly(list.len(), SAMPLED.min(list.len())))?;
    let (mut worded, mut filled) = (0, 0);
    for item in &sample {
        let Some(words) = words(item)? else { return Ok(None) };
        worded += usize::from(words >= WORDS);
        filled += usize::from(words > 0);
    }
    let chars = token_estimate::chars(list)?;
    // After a list of files or steps the end may say how it went.
    let are_named = worded * 2 < filled;
    if chars > MOST_CHARS.min(list.len() * LINE_CHARS) {
        return Ok(None);
    }
    if are_named {
        let mut last = items_at(list, &(list.len() - LEAST_LINES..list.len()).collect::<Vec<_>>())?;
        last.retain(|item| item.kind() == Kind::String);
        let is_worded = |item: &AnySource<'_>| Ok(words(item)?.is_some_and(|words| words >= WORDS));
        if !last.iter().map(is_worded).collect::<Result<Vec<_>, Error>>()?.contains(&true) {
            return Ok(None);
        }
    }
    let mut own = String::new();
    for item in list.items(0, usize::MAX)? {
        if item.kind() != Kind::String {
            return Ok(None);
        }
        own += item.text()?.trim_end_matches(['\r', '\n']).replace(['\n', '\r'], " ").as_str();
        own.push('\n');
    }
    // Of a list that fits somebody asks for a page.
    if ctx.measure.fits(&own, ctx.budget).is_some() {
        return Ok(None);
    }
    let page = html::is_page(&own).then(|| html::read(&own).text).filter(|page| !page.is_empty());
    let is_page = page.is_some();
    let text = page.unwrap_or_else(|| terminal::shown(&own).into_owned());
    let is_said = !are_named || says_something(&text);
    Ok(is_said.then_some(ListedLines { text, is_page }))
}

/// The rows of an event stream, of which some are unlike the others or say that something failed.
fn of_events(list: &AnySource<'_>) -> Result<Option<ListedLines>, Error> {
    if token_estimate::chars(list)? > MOST_EVENT_CHARS {
        return Ok(None);
    }
    let mut text = String::new();
    for item in list.items(0, usize::MAX)? {
        text += &item.json()?;
        text.push('\n');
    }
    Ok(says_something(&text).then_some(ListedLines { text, is_page: false }))
}

/// Whether any line is a message about an error or a warning.
fn says_something(text: &str) -> bool {
    messages::are_in(&lines::of(text))
}

impl ListedLines {
    /// The lines with what is found in them, once it is first needed.
    pub fn surveyed(&self) -> SurveyedLines<'_> {
        SurveyedLines { listed: self, found: OnceCell::new() }
    }
}

/// The lines of a list and what is found in them.
pub(crate) struct SurveyedLines<'l> {
    listed: &'l ListedLines,
    found: OnceCell<(Abridged, Vec<String>)>,
}

impl SurveyedLines<'_> {
    /// The member `pageText` of HTML, or the member `excerpt` of the first page: the lines after its rows that say most, and the last
    /// ones, in their share of `budget`.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn members(&self, budget: usize, ctx: &Context<'_>) -> Result<Option<OfLines>, Error> {
        if self.listed.is_page {
            let (text, mut members) = (PlainText::new(&self.listed.text), Members::new());
            let start = excerpt::start(&text, (0, text.chars()), budget * OF_PAGE / 10, true, ctx.measure)?;
            members.escaped("pageText", &start.literal);
            return Ok(Some(OfLines { members, are: LinesAre::Html }));
        }
        Ok(self.notable(budget, ctx))
    }

    fn notable(&self, budget: usize, ctx: &Context<'_>) -> Option<OfLines> {
        let (abridged, files) = self.found.get_or_init(|| {
            let lines = lines::of(&self.listed.text);
            let files = files::of(&lines).listed;
            (Abridged::of(Shortened::nowhere(self.listed.text.clone()), Numbered::Items), files)
        });
        let named = files_within(files, budget * FILES / 10, ctx);
        let room = budget.saturating_sub(named.tokens + FRAME);
        let tokens = room * OF_EXCERPT / 10;
        // The rows of the page have the rest.
        let from = abridged.lines_within(room - tokens, ctx.measure);
        let notable = abridged.within(from, tokens, ctx.measure);
        if notable.is_empty() {
            return None;
        }
        let mut members = Members::new();
        if !named.names.is_empty() {
            members.texts("files", &named.names);
        }
        members.escaped("excerpt", &notable.after_line(from));
        Some(OfLines { members, are: LinesAre::Text { has_files: !named.names.is_empty() } })
    }
}
