//! A page of a list, and the fields that its rows show where few whole rows fit.

use std::cell::OnceCell;

use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::base::members::Members;
use crate::ladder::row_fields::{RowFields, SAMPLED};
use crate::ladder::telling_fields::{self, ENOUGH_ROWS, FEWEST_ROWS, TIMES, TellingFields};
use crate::ladder::{asked_fields, example_question, listed_lines, unusual_rows};
use crate::outcome::receipt::{Rows, Step};
use crate::render::counted_rows::{CountedRows, PartsOfRows};
use crate::render::elide::Omitted;
use crate::render::page::Frame;
use crate::render::page_window::{Window, named_size};
use crate::render::paginate::{self, Filled, PageFields};
use crate::request::context::{Context, Fit};
use crate::value::all_members::AllMembers;
use crate::value::any_source::AnySource;
use crate::value::gathered::Gathered;
use crate::value::project::{Projected, Selection};
use crate::value::source::Source;
use crate::value::values_at::values_at;

/// The tenths of the budget that the lines of a list are chosen for, as long as the page does not fit.
const SHARES_OF_LINES: [usize; 4] = [10, 8, 6, 4];
/// The names of the fields that a page leaves out by itself take at most 1/n of the budget: who asks needs all of them.
const OMITTED_PARTS: usize = 4;
/// The tokens of the sentence that says how to get these.
const NOTE_OF_FIELDS: usize = 24;
/// How often a page is written with chosen fields: the first time shows what a row takes, as the fields are estimated.
const MOST_TRIALS: usize = 2;
/// What is equal in all rows takes 1/n of the budget.
const SAME_PARTS: usize = 16;

/// A page that fits.
pub(crate) struct FittingPage {
    pub fit: Fit,
    pub steps: Vec<Step>,
    pub rows: Rows,
    pub is_lossless: bool,
}

impl FittingPage {
    /// A page of the rows of a window, after these steps.
    fn of(filled: Filled, window: &Window, frame: &dyn Frame, mut steps: Vec<Step>) -> Self {
        let is_lossless = steps.is_empty() && filled.is_complete(window) && frame.is_lossless();
        steps.extend(filled.columns.then_some(Step::Columns));
        steps.push(Step::Paginate);
        steps.extend(filled.shortened.then_some(Step::Summarize));
        let total = window.keyset.is_none().then_some(window.total);
        let rows = Rows { returned: filled.returned, total };
        Self { fit: Fit { text: filled.text, tokens: filled.tokens }, steps, rows, is_lossless }
    }
}

/// A page of a list; `None` if not even one row fits. With `may_project` it may show the telling fields of its rows alone.
///
/// # Errors
/// `INVALID_CURSOR`, `INVALID_CALL` for a page that does not exist, and whatever reading the rows reports.
pub(crate) fn page(
    list: &AnySource<'_>,
    omitted: &Omitted,
    may_project: bool,
    frame: &dyn Frame,
    ctx: &Context<'_>,
) -> Result<Option<FittingPage>, Error> {
    let rows = CountedRows::new(list, ctx);
    let mut window = match frame.fills_pages() && named_size(ctx).is_none() {
        true => Window::of_size(list, paginate::rows_of_first_page(&rows, frame, ctx)?, ctx)?,
        false => Window::new(&rows, ctx)?,
    };
    let may_project = may_project && frame.takes_fields();
    let measured = RowFields::of(&rows);
    let pages = Pages { measured, omitted, may_project, frame, ctx, of_later: OnceCell::new() };
    // Who asks by number reads on from the page before, which may have had no room for all of its rows.
    if let Some(page) = ctx.controls.page.filter(|&page| page > 1 && !ctx.goes_on() && window.keyset.is_none()) {
        window.follows_gap = !pages.has_room_for(&window.resized(page as usize - 1, window.page_size))?;
    }
    pages.of(&window)
}

/// What is done with rows that show some of their fields.
type ShowFields<'s, T> = dyn Fn(&CountedRows<'_, AnySource<'_>>, PageFields<'_>) -> Result<T, Error> + 's;

/// Writes some fields of the rows from an index on, at most as many as the number.
type WriteFields<'w> = dyn Fn(usize, usize, &mut AllMembers<'_>) -> Result<Vec<Option<String>>, Error> + 'w;

/// The pages of a list.
struct Pages<'p, 'v> {
    measured: RowFields<'p, 'v>,
    /// What the default projection omits.
    omitted: &'p Omitted,
    /// Whether a page may show the telling fields of its rows alone.
    may_project: bool,
    frame: &'p dyn Frame,
    ctx: &'p Context<'p>,
    /// The fields that pages after the first show.
    of_later: OnceCell<Option<ChosenFields>>,
}

/// The fields that the rows of a list show.
struct ChosenFields {
    selection: Selection,
    /// The names of the others.
    omitted: Vec<String>,
    /// The first page with these.
    first: Filled,
}

impl Pages<'_, '_> {
    /// The page of the rows of a window.
    fn of(&self, window: &Window) -> Result<Option<FittingPage>, Error> {
        let (rows, frame, ctx) = (self.measured.rows, self.frame, self.ctx);
        let fields = PageFields { omitted: &self.omitted.names, ..PageFields::default() };
        if self.may_project && window.start > 0 {
            let fill = |rows: &CountedRows<'_, AnySource<'_>>, page: PageFields<'_>| {
                paginate::fill(rows, window, page, frame, ctx)
            };
            if let Some(filled) = self.later(window, fields, &fill)?.flatten() {
                return Ok(Some(FittingPage::of(filled, window, frame, vec![Step::Project])));
            }
        }
        // What a reader can ask is shown once: a reader of a later page has read the first.
        let is_first = !ctx.goes_on() && window.keyset.is_none() && window.start == 0;
        let unusual = if is_first { unusual_rows::of_rows(rows.list(), frame.pointer(), ctx) } else { None };
        let is_first = is_first && frame.takes_fields();
        let example = if is_first { example_question::of_rows(&self.measured, ctx)? } else { None };
        let fields = PageFields { example: example.as_ref(), unusual: unusual.as_ref(), ..fields };
        let mut filled = paginate::fill(rows, window, fields, frame, ctx)?;
        let listed = if is_first { listed_lines::of_list(rows, ctx)? } else { None };
        let mut lines = None;
        if let (Some(listed), Some(alone)) = (&listed, &filled)
            && (!alone.is_complete(window) || window.end < window.total)
        {
            let (returned, spare) = (alone.returned, ctx.budget.saturating_sub(alone.tokens));
            let surveyed = listed.surveyed();
            // Next to these lines a row must have room: more than what is left of the only one.
            for share in SHARES_OF_LINES {
                let Some(found) = surveyed.members(returned, spare, ctx.budget * share / 10, ctx)? else { break };
                let page = paginate::fill(rows, window, PageFields { lines: Some(&found), ..fields }, frame, ctx)?;
                if page.as_ref().is_some_and(|page| page.returned > 1 || !page.shortened || alone.shortened) {
                    (lines, filled) = (Some(found), page);
                    break;
                }
            }
        }
        let fields = PageFields { lines: lines.as_ref(), ..fields };
        if self.may_project && window.start == 0 {
            let whole = filled.as_ref().map_or(0, |filled| filled.returned);
            if let Some(ChosenFields { first, .. }) = self.choose(window, whole, fields)? {
                return Ok(Some(FittingPage::of(first, window, frame, vec![Step::Project])));
            }
        }
        Ok(filled.map(|filled| FittingPage::of(filled, window, frame, Vec::new())))
    }

    /// Whether all rows of a window fit its page.
    fn has_room_for(&self, window: &Window) -> Result<bool, Error> {
        if window.start == 0 {
            return Ok(self.of(window)?.is_some_and(|shown| shown.rows.returned >= window.page_size));
        }
        let holds = |rows: &CountedRows<'_, AnySource<'_>>, page: PageFields<'_>| {
            paginate::holds_all(rows, window, page, self.frame, self.ctx)
        };
        let fields = PageFields { omitted: &self.omitted.names, ..PageFields::default() };
        let projected = if self.may_project { self.later(window, fields, &holds)?.flatten() } else { None };
        Ok(projected.map_or_else(|| holds(self.measured.rows, fields), |known| Ok(Some(known)))?.unwrap_or(false))
    }

    /// What becomes of a page after the first that shows the telling fields of its rows alone, if the first does.
    fn later<T>(&self, window: &Window, fields: PageFields<'_>, show: &ShowFields<'_, T>) -> Result<Option<T>, Error> {
        let (rows, frame, ctx) = (self.measured.rows, self.frame, self.ctx);
        let chosen = match self.of_later.get() {
            Some(chosen) => chosen,
            None => {
                let first = window.resized(1, window.page_size);
                let whole = paginate::fill(rows, &first, PageFields::default(), frame, ctx)?;
                let chosen = self.choose(&first, whole.map_or(0, |filled| filled.returned), fields)?;
                self.of_later.get_or_init(|| chosen)
            }
        };
        let Some(chosen) = chosen else { return Ok(None) };
        let page = PageFields { omitted: &chosen.omitted, is_chosen: true, ..fields };
        let write = |at, most, fields: &mut AllMembers<'_>| {
            rows.at(at, most)?.iter().map(|row| row.with_json(|json| json.map(|json| fields.add_text(json)))).collect()
        };
        self.with_fields(rows.list(), &chosen.selection, &write, &|rows| show(rows, page)).map(Some)
    }

    /// Passes on these rows with the fields of a selection alone, which `write` writes.
    fn with_fields<T>(
        &self,
        rows: &AnySource<'_>,
        selection: &Selection,
        write: &WriteFields<'_>,
        show: &dyn Fn(&CountedRows<'_, AnySource<'_>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let list = AnySource::new(Projected::new(rows.clone(), selection));
        let write = |at, most| write(at, most, &mut AllMembers::of(selection));
        let parts = PartsOfRows { write: &write, fingerprint: &|at| self.measured.rows.small_fingerprint(at) };
        show(&CountedRows::of_parts(&list, &parts, self.ctx))
    }

    /// The small fields that are equal in all rows of the first page, each written once.
    fn same(&self, first: &Window) -> Result<Members, Error> {
        let (ctx, (fields, sampled)) = (self.ctx, self.measured.measured()?);
        let (mut out, mut left) = (Members::new(), ctx.budget / SAME_PARTS);
        let mut constants = TellingFields::constants(fields, sampled);
        // The sampled rows are known.
        for row in self.measured.rows.at(SAMPLED, first.end.saturating_sub(SAMPLED))? {
            row.with_json(|json| {
                let paths: Vec<&[String]> = constants.iter().map(|field| &field.keys[..]).collect();
                let mut found = json.map_or_else(Vec::new, |json| values_at(json, &paths)).into_iter();
                constants.retain(|field| found.next().flatten() == Some(&*field.values[0]));
            })?;
        }
        for field in constants {
            let (name, value) = (field.field(), &field.values[0]);
            let cost = ctx.measure.count(name.written()) + ctx.measure.count(value) + 3;
            if cost <= left {
                left -= cost;
                out.json_under(&quoted(name.written()), value);
            }
        }
        Ok(out)
    }

    /// The telling fields of the rows, if few whole rows fit the first page and many more with these alone. All pages of a list
    /// show the same fields, because its first rows decide.
    fn choose(&self, first: &Window, whole: usize, fields: PageFields<'_>) -> Result<Option<ChosenFields>, Error> {
        let (rows, frame, ctx) = (self.measured.rows, self.frame, self.ctx);
        let enough = TIMES * whole.max(1);
        let are_few = first.keyset.is_none() && rows.list().len() < FEWEST_ROWS;
        if whole >= ENOUGH_ROWS || first.end < enough || are_few {
            return Ok(None);
        }
        let Some(telling) = TellingFields::measure(&self.measured, ctx)? else { return Ok(None) };
        let all = Selection::new(&telling.all(), &[]);
        let mut members = AllMembers::of(&all);
        // The fields of each row that a trial may show, if they are written at once.
        let (mut sources, mut written) = (Vec::new(), Vec::new());
        for row in rows.at(0, first.end)? {
            let text = row.with_json(|json| json.map(|json| members.add_text(json)))?;
            if text.is_none() {
                members.add(&row.source)?;
            }
            written.push(text);
            sources.push(row.source.clone());
        }
        let first_rows = AnySource::new(Gathered::list(sources));
        let of_names: usize =
            members.left_out(&Selection::default()).iter().map(|name| asked_fields::tokens_of(name, ctx)).sum();
        let of_names = of_names.min(ctx.budget / OMITTED_PARTS);
        let around = paginate::overhead(rows, first, frame, ctx)? + of_names + NOTE_OF_FIELDS;
        let room = ctx.budget.saturating_sub(around);
        let core = telling.core_tokens();
        let with_core = (room / core).max(ENOUGH_ROWS);
        let wanted = first.end.min(room / telling_fields::ROW_TOKENS).min(with_core).max(enough);
        let same = self.same(first)?;
        let room =
            room.saturating_sub(if same.is_empty() { 0 } else { ctx.measure.count(&same.clone().into_object()) });
        let mut share = room / wanted;
        let (mut best, mut last): (Option<(_, ChosenFields)>, _) = (None, Vec::new());
        for _ in 0..MOST_TRIALS {
            let (selected, estimate) = telling.within(share);
            if selected.is_empty() || selected == last {
                break;
            }
            let selection = Selection::new(&selected, &[]);
            last = selected;
            let names = members.left_out(&selection);
            if names.is_empty() {
                break;
            }
            let omitted = asked_fields::listed(names.into_iter().collect(), of_names, ctx);
            let same = Some(&same).filter(|same| !same.is_empty());
            let page = PageFields { omitted: &omitted, is_chosen: true, same, ..fields };
            let write = |at, most, fields: &mut AllMembers<'_>| {
                let texts = written.iter().skip(at).take(most);
                Ok(texts.map(|text: &Option<String>| text.as_deref().map(|text| fields.add_text(text))).collect())
            };
            let fill = |rows: &CountedRows<'_, AnySource<'_>>| paginate::fill(rows, first, page, self.frame, self.ctx);
            let filled = self.with_fields(&first_rows, &selection, &write, &fill)?;
            let shown = filled.as_ref().map_or(0, |filled| if filled.shortened { 0 } else { filled.returned });
            let tokens = filled.as_ref().map_or(0, |filled| filled.tokens);
            // Fewer rows with what a reader needs of each are better than more without.
            let rank = (share >= core && shown >= ENOUGH_ROWS, shown);
            let is_better = shown >= enough && best.as_ref().is_none_or(|(known, _)| rank >= *known);
            if let Some(first) = filled.filter(|_| is_better) {
                best = Some((rank, ChosenFields { selection, omitted, first }));
            }
            // What is left is shared by the rows that are wanted, and so is what those need that found no room.
            let (taken, unused) = (tokens.saturating_sub(around) / shown.max(1), ctx.budget.saturating_sub(tokens));
            let missing = wanted.saturating_sub(shown) * taken;
            share = match shown {
                0 => share / 2,
                _ if missing > unused => estimate.saturating_sub((missing - unused) / wanted),
                _ => estimate + (unused - missing) / wanted,
            };
        }
        Ok(best.map(|(_, chosen)| chosen))
    }
}
