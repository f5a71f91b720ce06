//! Lists in pages: as many rows as the budget holds, at most a page, and a cursor to the next one.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::tokens::CountedText;
use crate::render::counted_rows::CountedRows;
use crate::render::dense::{self, Around, DenseRows, ROWS_TRIED};
use crate::render::elide::Elision;
use crate::render::example_question::ExampleQuestion;
use crate::render::notes::page::LinesAre;
use crate::render::opening::{Opening, TextBytes};
use crate::render::page::{Frame, Page};
use crate::render::page_window::Window;
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Unit, refuse};
use crate::request::policy::{Format, PAGE_SIZE};
use crate::value::source::{CHUNK, Source, original_index, row_key};

/// Most tokens that joining two rows can save.
const SEAM: usize = 4;

/// In the dense form at least that many rows are tried.
const FEWEST_TRIED: usize = 4;
/// Where it has more than this part of the tokens, it saves too little.
const MOST_TIMES: f64 = 0.95;
/// A row that is estimated to take more than 1/n of the budget may not fit.
const LARGE_PARTS: usize = 2;

/// A page that fits.
#[derive(Clone)]
pub(crate) struct Filled {
    pub text: String,
    pub tokens: usize,
    /// Rows that are shown.
    pub returned: usize,
    pub columns: bool,
    /// Whether some of the rows are shortened.
    pub shortened: bool,
}

impl Filled {
    /// Whether the page has all rows of its window whole.
    pub fn is_complete(&self, window: &Window) -> bool {
        !self.shortened && self.returned == window.end - window.start
    }
}

/// What a page says about the fields of its rows.
#[derive(Clone, Copy, Default)]
pub(crate) struct PageFields<'a> {
    /// Those that the default projection left out.
    pub omitted: &'a [String],
    /// Whether the page chose them, not the policy.
    pub is_chosen: bool,
    /// A question about the rows, on the first page.
    pub example: Option<&'a ExampleQuestion>,
    pub lines: Option<&'a OfLines>,
    /// Rows that differ from the others, on the first page.
    pub unusual: Option<&'a Members>,
    /// Fields that are equal in all of its rows, which do not have them.
    pub same: Option<&'a Members>,
}

/// The rows of a page, as far as the frame depends on them.
#[derive(Clone, Copy, Default)]
pub(crate) struct PageRows<'a> {
    pub returned: usize,
    /// Of the last row; 0 if there is none.
    pub fingerprint: u32,
    pub has_rows: bool,
    pub elisions: &'a [Elision],
    /// Whether there is room for the list of these.
    pub lists_elisions: bool,
    /// How many keys of rows are shortened.
    pub shortened_keys: usize,
}

/// What a page shows of a list of lines in addition to its rows.
pub(crate) struct OfLines {
    /// The files that they are about, those that say how it went, and the last ones; or the page that lines of HTML make.
    pub members: Members,
    pub are: LinesAre,
}

/// Fills a page with the rows of `window`, in the format that the call or the policy asks for.
///
/// A row that fits a page by itself is whole. Only rows that do not are shortened, and as many as fit share a page. `None` if
/// not even the frame fits.
pub(crate) fn fill<S: Source>(
    list: &CountedRows<'_, S>,
    window: &Window,
    fields: PageFields<'_>,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<Option<Filled>, Error> {
    let filler = Filler::new(list, window, fields, frame, ctx)?;
    let format = if frame.takes_columns() { ctx.format_of_pages() } else { Format::Json };
    let dense = if format == Format::Json { None } else { filler.in_form()? };
    let is_better = |dense: &InForm, shown: usize, tokens: usize| {
        // The form is for rows: the rest of a page is as long without it.
        let around = filler.overhead();
        let of_rows = |tokens: usize| tokens.saturating_sub(around);
        dense::is_better(format, (dense.filled.returned, of_rows(dense.filled.tokens)), (shown, of_rows(tokens)))
    };
    if let Some(dense) =
        dense.as_ref().filter(|dense| !dense.has_large && is_better(dense, dense.plain.0, dense.plain.1))
    {
        return Ok(Some(dense.filled.clone()));
    }
    let plain = filler.whole_rows()?;
    let shortened = if frame.shortens_rows() { filler.with_shortened_rows(plain.as_ref())? } else { None };
    if let Some(dense) = dense.filter(|dense| dense.has_large) {
        let shown =
            shortened.as_ref().map_or(plain.as_ref().map_or(0, |plain| plain.rows), |shortened| shortened.returned);
        // What is shortened is not what the form shows.
        let tokens = plain.as_ref().filter(|_| shortened.is_none()).map_or(0, |plain| plain.tokens);
        if is_better(&dense, shown, tokens) {
            return Ok(Some(dense.filled));
        }
    }
    Ok(shortened.or(plain.map(WholeRows::filled)))
}

/// Whether a page has room for all rows of `window`, whole or shortened, as [`fill`] would show them; `None` if it has for none.
pub(crate) fn holds_all<S: Source>(
    list: &CountedRows<'_, S>,
    window: &Window,
    fields: PageFields<'_>,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<Option<bool>, Error> {
    let all = window.end - window.start;
    if Filler::new(list, window, fields, frame, ctx)?.whole_rows()?.is_some_and(|whole| whole.rows == all) {
        return Ok(Some(true));
    }
    Ok(fill(list, window, fields, frame, ctx)?.map(|filled| filled.returned == all))
}

/// How many rows the first page has if it is filled; as usual if all rows fit.
pub(crate) fn rows_of_first_page<S: Source>(
    list: &CountedRows<'_, S>,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<usize, Error> {
    let mut window = Window::most(list.list().len(), ctx);
    loop {
        let rows = fill(list, &window, PageFields::default(), frame, ctx)?.map_or(0, |filled| filled.returned);
        if rows == window.total {
            return Ok(PAGE_SIZE.max(rows));
        }
        if rows <= 1 || rows == window.end {
            return Ok(rows.max(1));
        }
        // What a page says about itself depends on its size.
        window = window.resized(1, rows);
    }
}

/// The tokens of a page without its rows.
pub(crate) fn overhead<S: Source>(
    list: &CountedRows<'_, S>,
    window: &Window,
    fields: PageFields<'_>,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<usize, Error> {
    let filler = Filler::new(list, window, fields, frame, ctx)?;
    // Its cursor is as long as the cursor of a page with one row.
    let first = list.at(window.start, 1)?;
    let fingerprint = list.fingerprint(window.start)?;
    let page = PageRows { returned: first.len(), fingerprint, ..PageRows::default() };
    let (before, after) = filler.around(&page);
    Ok(ctx.measure.count(&(before + &after)))
}

/// Whole rows that fit.
struct WholeRows {
    rows: usize,
    parts: Vec<Rc<CountedText>>,
    /// The fingerprint of the last row.
    last: u32,
    text: String,
    tokens: usize,
}

impl WholeRows {
    fn filled(self) -> Filled {
        let Self { rows: returned, text, tokens, .. } = self;
        Filled { text, tokens, returned, columns: false, shortened: false }
    }
}

/// Rows that fit in the dense form.
struct InForm {
    filled: Filled,
    /// About how many rows fit as plain JSON, and their tokens.
    plain: (usize, usize),
    /// Whether a row may not fit a page by itself.
    has_large: bool,
}

/// A row of a page on which some rows are shortened.
enum Mixed<S> {
    /// The row and its tokens, with a comma.
    Whole(Rc<CountedText>, usize),
    /// The row, and the tokens with which its small values are shown.
    Opened(Opening<S>, usize),
}

impl<S> Mixed<S> {
    fn least(&self) -> usize {
        match self {
            Self::Whole(_, tokens) | Self::Opened(_, tokens) => *tokens,
        }
    }
}

struct Filler<'a, S> {
    list: &'a CountedRows<'a, S>,
    window: &'a Window,
    fields: PageFields<'a>,
    frame: &'a dyn Frame,
    ctx: &'a Context<'a>,
    is_map: bool,
    /// The tokens of a page without rows.
    overhead: OnceCell<usize>,
}

impl<'a, S: Source> Filler<'a, S> {
    fn new(
        list: &'a CountedRows<'a, S>,
        window: &'a Window,
        fields: PageFields<'a>,
        frame: &'a dyn Frame,
        ctx: &'a Context<'a>,
    ) -> Result<Self, Error> {
        let first = list.at(window.start, CHUNK.min(window.end - window.start))?;
        let is_map = first.first().is_some_and(|row| row_key(&row.source).is_some());
        Ok(Self { list, window, fields, frame, ctx, is_map, overhead: OnceCell::new() })
    }

    /// The tokens of a page without rows.
    fn overhead(&self) -> usize {
        *self.overhead.get_or_init(|| self.joined([].iter(), &PageRows::default()).tokens)
    }

    /// As many whole rows as fit; `None` if the frame or the first row does not fit.
    fn whole_rows(&self) -> Result<Option<WholeRows>, Error> {
        let Window { start, end, .. } = *self.window;
        let measure = self.ctx.measure;
        let Some(room) = self.ctx.budget.checked_sub(self.overhead()) else { return Ok(None) };
        // Tokens may span the seams between rows, so joined rows count less than their sum.
        let (mut parts, mut joined) = (Vec::new(), measure.counter());
        'rows: for from in (start..end).step_by(CHUNK) {
            for row in self.list.at(from, CHUNK.min(end - from))? {
                // The remaining room, and what the seams may save.
                let left = room.saturating_sub(joined.total()) + SEAM * (parts.len() + 1);
                let Some(part) = row.within(left)?.map(|whole| whole.part) else { break 'rows };
                if !parts.is_empty() {
                    joined.push(",");
                }
                joined.push_part(&part);
                parts.push(part);
                if joined.total() > room {
                    break 'rows;
                }
            }
        }
        while start == end || !parts.is_empty() {
            let shown = parts.len();
            let last = shown.checked_sub(1).map_or(Ok(0), |last| self.list.fingerprint(start + last))?;
            let page = PageRows { returned: shown, fingerprint: last, has_rows: shown > 0, ..PageRows::default() };
            let Fit { text, tokens } = self.joined(parts.iter(), &page);
            if tokens <= self.ctx.budget {
                return Ok(Some(WholeRows { rows: shown, parts, last, text, tokens }));
            }
            if parts.pop().is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// As many whole rows as fit in the dense form; `None` if they cannot be written so, or if that saves too little.
    fn in_form(&self) -> Result<Option<InForm>, Error> {
        let Window { start, end, .. } = *self.window;
        let (budget, measure) = (self.ctx.budget, self.ctx.measure);
        let room = budget.saturating_sub(self.overhead());
        let (mut texts, mut weights, mut has_large) = (Vec::new(), Vec::new(), false);
        let mut most = room.saturating_mul(ROWS_TRIED);
        let mut found: Option<(usize, Fit, usize, f64)> = None;
        loop {
            let known = texts.len();
            self.add_rows(most, &mut texts, &mut weights, &mut has_large)?;
            if texts.len() < 2 || found.is_some() && texts.len() == known {
                break;
            }
            let (open, close) = if self.is_map { ('{', '}') } else { ('[', ']') };
            let list = format!("{open}{}{close}", texts.join(","));
            let Some(rows) = DenseRows::of_objects(&list).filter(|rows| rows.times() <= MOST_TIMES) else { break };
            let around = |shown: usize| -> Result<(String, String), Error> {
                let fingerprint = self.list.fingerprint(start + shown - 1)?;
                Ok(self.around(&PageRows { returned: shown, fingerprint, has_rows: true, ..PageRows::default() }))
            };
            let frame = |shown: usize| around(shown).map(|(before, after)| Around::of_frame(&before, &after));
            let Some((shown, fit)) = rows.within(budget, measure, frame)? else { break };
            let (before, after) = around(shown)?;
            if !rows.represents(&fit.text, &format!("{before}{}{after}", texts[..shown].join(","))) {
                break;
            }
            let framed = measure.count(&(before + &after));
            let own = fit.tokens.saturating_sub(framed).max(1);
            let is_last = found.is_some() || shown < texts.len() || start + shown == end;
            found = Some((shown, fit, framed, own as f64 / rows.times()));
            if is_last {
                break;
            }
            // Others take about as much.
            most = weights.iter().sum::<usize>() * room / own + room / ROWS_TRIED;
        }
        Ok(found.map(|(shown, Fit { text, tokens }, framed, own)| {
            let room = budget.saturating_sub(framed);
            // About the tokens of a unit of weight.
            let times = own / weights[..shown].iter().sum::<usize>().max(1) as f64;
            let (mut rows, mut taken) = (0, 0.0);
            for &weight in &weights {
                if taken + weight as f64 * times > room as f64 {
                    break;
                }
                (rows, taken) = (rows + 1, taken + weight as f64 * times);
            }
            let filled = Filled { text, tokens, returned: shown, columns: true, shortened: false };
            InForm { filled, plain: (rows, framed + taken as usize), has_large }
        }))
    }

    /// Adds the texts of further rows and their weights, until these have about as many tokens as `most`.
    fn add_rows(
        &self,
        most: usize,
        texts: &mut Vec<String>,
        weights: &mut Vec<usize>,
        has_large: &mut bool,
    ) -> Result<(), Error> {
        let Window { start, end, .. } = *self.window;
        let mut all: usize = weights.iter().sum();
        for from in (start + texts.len()..end).step_by(CHUNK) {
            for row in self.list.at(from, CHUNK.min(end - from))? {
                let key = row_key(&row.source).map_or_else(String::new, |key| format!("{key}:"));
                let text = row.with_json(|json| json.map(|json| format!("{key}{json}")))?;
                let weight = text.as_ref().map_or(usize::MAX, |text| dense::weight(text) as usize);
                *has_large |= weight >= self.ctx.budget / LARGE_PARTS;
                let Some(text) = text.filter(|_| weight < self.ctx.budget) else { return Ok(()) };
                if all > most && texts.len() >= FEWEST_TRIED {
                    return Ok(());
                }
                all += weight;
                weights.push(weight);
                texts.push(text);
            }
        }
        Ok(())
    }

    /// A page on which the rows that are too large by themselves are shortened; `None` if the row after the whole rows is
    /// none of these.
    fn with_shortened_rows(&self, whole: Option<&WholeRows>) -> Result<Option<Filled>, Error> {
        let (budget, measure) = (self.ctx.budget, self.ctx.measure);
        let count = whole.map_or(0, |whole| whole.rows);
        let start = self.window.start + count;
        let first = self.list.at(start, 1)?;
        let Some(first) = first.first().filter(|_| start < self.window.end) else { return Ok(None) };
        let alone = budget.saturating_sub(self.overhead());
        if whole.is_some() && first.within(alone)?.is_some() {
            return Ok(None);
        }
        let text_bytes = TextBytes::of(self.ctx);
        let mut rows: Vec<Mixed<S>> = Vec::new();
        let before = whole.map_or(&[][..], |whole| &whole.parts);
        let taken: usize = before.iter().map(|part| part.tokens() + 1).sum();
        let mut room = alone.saturating_sub(taken);
        'rows: for from in (start..self.window.end).step_by(CHUNK) {
            for row in self.list.at(from, CHUNK.min(self.window.end - from))? {
                let whole = if rows.is_empty() { None } else { row.within(alone)? };
                let mixed = match whole {
                    Some(whole) => {
                        let tokens = whole.part.tokens() + 1;
                        Mixed::Whole(whole.part, tokens)
                    }
                    None => {
                        let mut opening = self.opening(&row.source, start + rows.len()).sharing(&text_bytes);
                        let least = opening.least(alone)?;
                        Mixed::Opened(opening, least)
                    }
                };
                let Some(rest) = room.checked_sub(mixed.least()).or((count + rows.len() == 0).then_some(0)) else {
                    break 'rows;
                };
                room = rest;
                rows.push(mixed);
            }
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let filled = self.ctx.fill(|spend| {
            let mut left = spend.saturating_sub(taken);
            let fitting = |row: &Mixed<S>| {
                let rest = left.checked_sub(row.least());
                left = rest.unwrap_or(left);
                rest.is_some()
            };
            let mut shown = rows.iter().map(fitting).take_while(|fits| *fits).count();
            // Of the first row something is shown, however little.
            let is_tight = count + shown == 0;
            shown = shown.max(usize::from(is_tight));
            let mut opened = rows[..shown].iter().filter(|row| matches!(row, Mixed::Opened(..))).count();
            let (mut parts, mut elisions, mut shortened_keys) = (Vec::new(), Vec::new(), 0);
            for row in &mut rows[..shown] {
                match row {
                    Mixed::Whole(part, _) => parts.push(part.clone()),
                    Mixed::Opened(opening, least) => {
                        let share = left / opened;
                        (left, opened) = (left - share, opened - 1);
                        let within = if is_tight { share } else { *least + share };
                        let mut inside = opening.within(within)?;
                        if inside.parts.is_empty() {
                            inside = opening.smallest()?;
                        }
                        elisions.append(&mut inside.elisions);
                        shortened_keys += inside.shortened_keys;
                        parts.extend(inside.parts.pop().map(|text| Rc::new(measure.part(text))));
                    }
                }
            }
            let fingerprint = match shown.checked_sub(1) {
                Some(last) => self.list.fingerprint(start + last)?,
                None => whole.map_or(0, |whole| whole.last),
            };
            let returned = count + shown;
            // If nothing else helps, a row is shown without saying what is shortened in it.
            let lists_elisions = spend > 0;
            let page =
                PageRows { returned, fingerprint, has_rows: true, elisions: &elisions, lists_elisions, shortened_keys };
            let fit = self.joined(before.iter().chain(&parts), &page);
            Ok((fit, (returned, !elisions.is_empty() || shortened_keys > 0)))
        })?;
        Ok(filled.map(|(Fit { text, tokens }, (returned, shortened))| Filled {
            text,
            tokens,
            returned,
            columns: false,
            shortened,
        }))
    }

    /// A row that is opened; `at` is its index.
    fn opening(&self, row: &S, at: usize) -> Opening<S> {
        let list = format!("{}{}", self.ctx.base, self.frame.pointer());
        match row_key(row) {
            Some(key) => Opening::of_entries(vec![(key.to_owned(), row.clone())], &list, self.ctx),
            None => {
                let pointer = format!("{list}/{}", original_index(self.list.list(), at));
                Opening::of_value(row.clone(), &pointer, self.ctx)
            }
        }
    }

    /// Rows in their frame; rows that are counted already are not counted again.
    fn joined<'p>(&self, rows: impl Iterator<Item = &'p Rc<CountedText>>, shown: &PageRows<'_>) -> Fit {
        let (mut text, after) = self.around(shown);
        let mut counter = self.ctx.measure.counter();
        counter.push(&text);
        for (at, row) in rows.enumerate() {
            if at > 0 {
                text.push(',');
                counter.push(",");
            }
            text += row.text();
            counter.push_part(row);
        }
        text += &after;
        counter.push(&after);
        Fit { text, tokens: counter.total() }
    }

    fn around(&self, shown: &PageRows<'_>) -> (String, String) {
        let PageRows { returned, fingerprint, .. } = *shown;
        let window = self.window;
        let position = window.start + returned;
        let next = if let Some(rows) = &window.keyset {
            rows.next(position).and_then(|after| self.ctx.encode_after(after))
        } else {
            self.ctx.cursor_to(Unit::Rows, (position, window.total), window.total, fingerprint, self.frame.pointer())
        };
        self.frame.around(&Page {
            ctx: self.ctx,
            window,
            rows: *shown,
            fields: self.fields,
            next,
            is_map: self.is_map,
            list: self.frame.pointer(),
            own_page: self.ctx.text.as_ref().and_then(|text| text.own_page.as_ref()),
        })
    }
}

/// The error for a cursor into a list that is gone.
pub(crate) fn list_is_gone() -> Error {
    refuse("the list that it pages is no longer in the result")
}
