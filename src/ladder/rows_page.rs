//! A page of a list, and the fields that its rows show where few whole rows fit.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::base::members::Members;
use crate::base::once::once;
use crate::ladder::row_fields::{RowField, RowFields, SAMPLED};
use crate::ladder::telling_fields::{self, Choice, ENOUGH_ROWS, FEWEST_ROWS, TIMES, TellingFields};
use crate::ladder::unusual_rows::{self, UnusualRows};
use crate::ladder::{asked_fields, example_question, listed_lines};
use crate::outcome::receipt::{Rows, Step};
use crate::render::counted_rows::{CountedRow, CountedRows, PartsOfRows};
use crate::render::dense;
use crate::render::elide::Omitted;
use crate::render::page::Frame;
use crate::render::page_window::{Window, named_size};
use crate::render::paginate::{self, Filled, PageFields};
use crate::request::context::{Context, Fit};
use crate::request::policy::Format;
use crate::value::all_members::AllMembers;
use crate::value::any_source::AnySource;
use crate::value::project::{Projected, Selection};
use crate::value::source::Source;
use crate::value::values_at::values_at;

/// The tenths of the budget that the lines of a list are chosen for, as long as the page does not fit.
const SHARES_OF_LINES: [usize; 4] = [10, 8, 6, 4];
/// The names of the fields that a page leaves out by itself take at most 1/n of the budget: who asks needs all of them.
const OMITTED_PARTS: usize = 4;
/// In the dense form hardly ever more than this many times as many rows fit.
const DENSER: usize = 3;
/// By 1/n an estimate may be wrong.
const UNSURE: usize = 5;
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
    let first = window.resized(1, window.page_size);
    let pages = Pages { measured, omitted, may_project, frame, ctx, first, chosen: OnceCell::new() };
    // Who asks by number reads on from the page before, which may have had no room for all of its rows.
    if let Some(page) = ctx.controls.page.filter(|&page| page > 1 && !ctx.goes_on() && window.keyset.is_none()) {
        window.follows_gap = !pages.has_room_for(&window.resized(page as usize - 1, window.page_size))?;
    }
    pages.of(&window)
}

/// What is done with rows that show some of their fields.
type ShowFields<'s, T> = dyn Fn(&CountedRows<'_, AnySource<'_>>, PageFields<'_>) -> Result<T, Error> + 's;

/// The pages of a list.
struct Pages<'p, 'v> {
    measured: RowFields<'p, 'v>,
    /// What the default projection omits.
    omitted: &'p Omitted,
    /// Whether a page may show the telling fields of its rows alone.
    may_project: bool,
    frame: &'p dyn Frame,
    ctx: &'p Context<'p>,
    /// The first page.
    first: Window,
    /// The fields that rows show alone.
    chosen: OnceCell<Option<Selection>>,
}

impl Pages<'_, '_> {
    /// The page of the rows of a window.
    fn of(&self, window: &Window) -> Result<Option<FittingPage>, Error> {
        let (rows, frame, ctx) = (self.measured.rows, self.frame, self.ctx);
        let fields = PageFields { omitted: &self.omitted.names, ..PageFields::default() };
        // What a reader can ask is shown once: a reader of a later page has read the first.
        let is_first = !ctx.goes_on() && window.keyset.is_none() && window.start == 0;
        let unusual = if is_first { unusual_rows::of_rows(rows.list(), frame.pointer(), ctx) } else { None };
        let is_first = is_first && frame.takes_fields();
        let example = if is_first { example_question::of_rows(&self.measured, ctx)? } else { None };
        let fields = PageFields { example: example.as_ref(), ..fields };
        let same = if window.start == 0 { self.same(window, fields)? } else { Members::new() };
        let chosen = PageFields { same: Some(&same).filter(|same| !same.is_empty()), ..fields };
        let fill = |rows: &CountedRows<'_, AnySource<'_>>, page: PageFields<'_>| {
            paginate::fill(rows, window, page, frame, ctx)
        };
        let projected = self.with_chosen(window, chosen, &fill)?.flatten();
        let projected = with_unusual(unusual.as_ref(), window, projected, &|unusual| {
            Ok(self.with_chosen(window, PageFields { unusual: Some(unusual), ..chosen }, &fill)?.flatten())
        })?;
        if let Some(filled) = projected
            && (window.start > 0 || !filled.shortened)
        {
            return Ok(Some(FittingPage::of(filled, window, frame, vec![Step::Project])));
        }
        let filled = paginate::fill(rows, window, fields, frame, ctx)?;
        let mut filled = with_unusual(unusual.as_ref(), window, filled, &|unusual| {
            paginate::fill(rows, window, PageFields { unusual: Some(unusual), ..fields }, frame, ctx)
        })?;
        let listed = if is_first { listed_lines::of_list(rows, ctx)? } else { None };
        if let (Some(listed), Some(alone)) = (&listed, &filled)
            && (!alone.is_complete(window) || window.end < window.total)
        {
            let surveyed = listed.surveyed();
            // Next to these lines a row must have room: more than what is left of the only one.
            for share in SHARES_OF_LINES {
                let Some(found) = surveyed.members(ctx.budget * share / 10, ctx)? else { break };
                let page = paginate::fill(rows, window, PageFields { lines: Some(&found), ..fields }, frame, ctx)?;
                if page.as_ref().is_some_and(|page| page.returned > 1 || !page.shortened || alone.shortened) {
                    filled = page;
                    break;
                }
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
        let chosen = self.with_chosen(window, fields, &holds)?.flatten();
        Ok(chosen.map_or_else(|| holds(self.measured.rows, fields), |known| Ok(Some(known)))?.unwrap_or(false))
    }

    /// What becomes of a page on which rows show the telling fields alone; `None` if whole rows are shown.
    fn with_chosen<T>(
        &self,
        window: &Window,
        fields: PageFields<'_>,
        show: &ShowFields<'_, T>,
    ) -> Result<Option<T>, Error> {
        let (rows, ctx) = (self.measured.rows, self.ctx);
        let Some(selection) = self.chosen(fields)? else { return Ok(None) };
        let mut members = AllMembers::of(selection);
        let mut written = Vec::new();
        for row in rows.at(window.start, window.end - window.start)? {
            let text = row.with_json(|json| json.map(|json| members.add_text(json)))?;
            if text.is_none() {
                members.add(&row.source)?;
            }
            written.push(text);
        }
        let names = members.left_out(selection);
        if names.is_empty() {
            return Ok(None);
        }
        let omitted = asked_fields::listed(names.into_iter().collect(), ctx.budget / OMITTED_PARTS);
        let page = PageFields { omitted: &omitted, is_chosen: true, ..fields };
        let list = AnySource::new(Projected::new(rows.list().clone(), selection));
        let write = |at: usize, most: usize| {
            let known = at.checked_sub(window.start).map_or(&[][..], |from| &written[from.min(written.len())..]);
            Ok(known.iter().take(most).cloned().collect())
        };
        let parts = PartsOfRows { write: &write, fingerprint: &|at| rows.small_fingerprint(at) };
        show(&CountedRows::of_parts(&list, &parts, ctx), page).map(Some)
    }

    /// The small fields that are equal in all rows of the first page, each written once.
    fn same(&self, first: &Window, fields: PageFields<'_>) -> Result<Members, Error> {
        if self.chosen(fields)?.is_none() {
            return Ok(Members::new());
        }
        let mut constants = self.constants()?;
        // The sampled rows are known.
        for row in self.measured.rows.at(SAMPLED, first.end.saturating_sub(SAMPLED))? {
            row.with_json(|json| {
                let paths: Vec<&[String]> = constants.iter().map(|field| &field.keys[..]).collect();
                let mut found = json.map_or_else(Vec::new, |json| values_at(json, &paths)).into_iter();
                constants.retain(|field| found.next().flatten() == Some(&*field.values[0]));
            })?;
        }
        Ok(members_of(constants))
    }

    /// The fields that are equal in the sampled rows, as many as there is room for.
    fn constants(&self) -> Result<Vec<&RowField>, Error> {
        let mut left = self.ctx.budget / SAME_PARTS;
        let mut constants = TellingFields::constants(self.measured.measured()?);
        constants.retain(|field| {
            let tokens = dense::weight(field.field().written()) + dense::weight(&field.values[0]) + 3;
            let rest = left.checked_sub(tokens as usize);
            left = rest.unwrap_or(left);
            rest.is_some()
        });
        Ok(constants)
    }

    /// The telling fields of the rows, if few whole rows fit a page and many more with these alone. Nothing is written for that: the
    /// first rows are measured, and so all pages show the same fields.
    fn chosen(&self, fields: PageFields<'_>) -> Result<Option<&Selection>, Error> {
        once(&self.chosen, || if self.may_project { self.choose(fields) } else { Ok(None) }).map(Option::as_ref)
    }

    fn choose(&self, fields: PageFields<'_>) -> Result<Option<Selection>, Error> {
        let (rows, first, frame, ctx) = (self.measured.rows, &self.first, self.frame, self.ctx);
        let are_few = first.keyset.is_none() && rows.list().len() < FEWEST_ROWS;
        let measured = self.measured.measured()?;
        if are_few || first.end < TIMES {
            return Ok(None);
        }
        let is_dense = frame.takes_columns() && ctx.format_of_pages() != Format::Json;
        // Of shorter rows no fields are worth a row.
        let (mean, largest) = self.whole_row()?;
        if mean < TIMES * telling_fields::ROW_TOKENS {
            return Ok(None);
        }
        let Some(telling) = TellingFields::measure(measured, is_dense) else { return Ok(None) };
        let whole_room = ctx.budget.saturating_sub(paginate::overhead(rows, first, fields, frame, ctx)?);
        // All that such a page says, with the names of all fields.
        let omitted =
            asked_fields::listed(measured.names.iter().map(|name| &**name).collect(), ctx.budget / OMITTED_PARTS);
        let same = &members_of(self.constants()?);
        let page = PageFields { omitted: &omitted, is_chosen: true, same: Some(same), ..fields };
        let around = paginate::overhead(rows, first, page, frame, ctx)? + if is_dense { dense::FORM_TOKENS } else { 0 };
        let room = ctx.budget.saturating_sub(around);
        let with_core = room / telling.core_tokens();
        let most = first.end.min(room / telling_fields::row_tokens(is_dense));
        let choose = |whole: usize| {
            let enough = TIMES * whole.max(1);
            if whole >= ENOUGH_ROWS || first.end < enough {
                return None;
            }
            // Where fields have no room in as many rows, fewer rows have what a reader needs of each.
            let wanted = [with_core.max(ENOUGH_ROWS), with_core].map(|rows| most.min(rows).max(enough));
            wanted.into_iter().find_map(|wanted| {
                let room = room.saturating_sub(telling.within(room / wanted).once);
                let Choice { fields, in_row, .. } = telling.within(room / wanted);
                (!fields.is_empty() && room / in_row >= enough).then(|| Selection::new(&fields, &[]))
            })
        };
        // Where few whole rows are sure to fit, these are not counted: none of them is shortened.
        if largest < whole_room / 2
            && let most = (whole_room * UNSURE / mean.max(1)).div_ceil(UNSURE - 1)
            && most * DENSER < TIMES * ENOUGH_ROWS
            && let Some(chosen) = choose(most)
        {
            return Ok(Some(chosen));
        }
        let whole = paginate::fill(rows, first, fields, frame, ctx)?;
        Ok(choose(whole.map_or(0, |filled| filled.returned)))
    }

    /// About the tokens of a whole row, and of the largest one; those that are large at least.
    fn whole_row(&self) -> Result<(usize, usize), Error> {
        let rows = self.measured.rows.at(0, SAMPLED)?;
        let of_row = |row: &Rc<CountedRow<AnySource<'_>>>| {
            row.with_json(|json| json.map_or(self.ctx.budget, |json| dense::weight(json) as usize))
        };
        let weights = rows.iter().map(of_row).collect::<Result<Vec<usize>, Error>>()?;
        let all: usize = weights.iter().sum();
        Ok((all / weights.len().max(1), weights.into_iter().max().unwrap_or_default()))
    }
}

/// A filled page with rows beyond those at its start: where not all of its own fit, others replace the last of them.
fn with_unusual(
    unusual: Option<&UnusualRows>,
    window: &Window,
    alone: Option<Filled>,
    fill: &dyn Fn(&Members) -> Result<Option<Filled>, Error>,
) -> Result<Option<Filled>, Error> {
    let Some((rows, page)) = unusual.zip(alone.as_ref()) else { return Ok(alone) };
    let is_complete = window.start + page.returned == window.end;
    match rows.members(is_complete.then_some(page.tokens)) {
        Some(unusual) => Ok(fill(&unusual)?.or(alone)),
        None => Ok(alone),
    }
}

/// Each of these fields with its first value.
fn members_of(fields: Vec<&RowField>) -> Members {
    let mut out = Members::new();
    for field in fields {
        out.json_under(&quoted(field.field().written()), &field.values[0]);
    }
    out
}
