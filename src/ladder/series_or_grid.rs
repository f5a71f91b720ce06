//! Summary and full: a result that is a series or a grid, in one of two shapes. The member `output` says which.
//!
//! A summary is a strict subset of the full result: it keeps values byte for byte. The full result is whole if it fits,
//! and otherwise paged like any list.

use std::rc::Rc;

use serde_json::{Map, json};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::members::Members;
use crate::ladder::draft::Draft;
use crate::ladder::{asked_fields, shape, suggest};
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::counted_rows::CountedRows;
use crate::render::grid::{self, ListPlace};
use crate::render::page::{Frame, Page};
use crate::render::page_window::Window;
use crate::render::paginate::{self, PageFields, PageRows};
use crate::render::siblings::Around;
use crate::render::subject::{self, Ending, Subject, SubjectHead};
use crate::render::{elide, series};
use crate::request::call::{Controls, RequestedFields};
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::request::declared::{Declared, Output};
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;
use crate::value::at_pointer;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

/// The frame of a page of a full result.
struct FullFrame<'a> {
    kind: &'static str,
    bulk: &'static str,
    pointer: &'a str,
    around: &'a Around,
    head: Members,
    ctx: &'a Context<'a>,
}

impl Frame for FullFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let all: Vec<_> = self.around.elisions.iter().chain(page.rows.elisions).cloned().collect();
        let page = Page { rows: PageRows { elisions: &all, ..page.rows }, ..page.clone() };
        let mut out = full(self.kind);
        out.flag("paginated", true);
        page.write_facts(&mut out);
        self.ctx.write_stored(page.next.is_some(), &mut out);
        out.text("note", &page.note("nextCursor", self.ctx.handle(page.next.is_some())));
        elide::write_elisions(&all, self.ctx.budget / subject::ELISION_PARTS, self.ctx.measure, &mut out);
        self.around.write(&mut out);
        out.extend(&self.head);
        out.open(self.bulk, false);
        out.into_parts()
    }

    fn takes_columns(&self) -> bool {
        false
    }

    fn is_lossless(&self) -> bool {
        self.around.elisions.is_empty()
    }

    fn pointer(&self) -> &str {
        self.pointer
    }
}

/// The summary or the full result, if the policy declares the tool's results as series or grids and this one is valid
/// as such.
pub(crate) fn declared(draft: &mut Draft<'_, '_, '_>) -> Result<Option<Shaped>, Error> {
    let settings = draft.ctx.settings;
    let Some(declared) = settings.declared.as_ref().filter(|_| draft.ctx.keyset().is_none()) else { return Ok(None) };
    let (value, controls) = (&draft.job.layout.value, Rc::clone(&draft.ctx.controls));
    let path = declared.list().map_or(&[][..], FieldPath::segments);
    let list = at_pointer::at_pointer(value, path)?.filter(|list| list.kind() == Kind::Array);
    let Some(list) = list else { return Ok(None) };
    // One JSON Pointer alone names a value, and `fields` may be those of the whole result.
    let is_part = match controls.requested() {
        RequestedFields::Part(pointer) => at_pointer::at_pointer(value, pointer.segments())?.is_some(),
        RequestedFields::All | RequestedFields::Fields => false,
    };
    if is_part || project::unknown_field(&list, &controls.fields, &draft.work)?.is_some() {
        return Ok(None);
    }
    draft.weigh()?;
    let draft = &*draft;
    let asks_all = controls.fields.is_empty();
    let fields = match asks_all {
        true => project::known_fields(&list, &draft.ctx.settings.fields, &draft.work)?,
        false => controls.fields.clone(),
    };
    let selection = Selection::new(&fields, &[]);
    let (mut shown, mut omitted, mut steps) = (AnySource::new(list.clone()), Vec::new(), Vec::new());
    if !fields.is_empty() {
        let projected = Projected::new(list.clone(), &selection);
        if asks_all {
            omitted = asked_fields::omitted(&projected, draft.ctx.budget / subject::ELISION_PARTS)?.names;
        }
        shown = AnySource::new(projected);
        steps.push(Step::Project);
    }
    // Fields that are indices pick entries; the rest is not a series any more.
    if shown.len() != list.len() {
        return Ok(None);
    }
    let pointer = path.iter().map(|segment| format!("/{}", json_pointer::escape(segment))).collect();
    let (list, place) = (AnySource::new(list), ListPlace { pointer, omitted });
    match declared {
        Declared::Series(series) => show(draft, path, &series::read_entries(series, list, shown, place)?, steps),
        Declared::Grid(grid) if grid::is_matrix(&list)? => {
            show(draft, path, &grid::read_matrix(grid, &AnySource::new(value.clone()), &shown, place)?, steps)
        }
        Declared::Grid(grid) => show(draft, path, &grid::read_cells(grid, &list, &shown, place)?, steps),
    }
}

/// Shows the subject at `path` in the result.
fn show(
    draft: &Draft<'_, '_, '_>,
    path: &[String],
    subject: &dyn Subject<'_>,
    mut steps: Vec<Step>,
) -> Result<Option<Shaped>, Error> {
    /// The share of the budget for what surrounds the list.
    const AROUND: usize = 6;
    let (ctx, about) = (&draft.ctx, subject.about());
    let around = |budget| Around::of(&draft.job.layout.value, path, budget, &ctx.base, ctx);
    let Controls { page, page_size, cursor, .. } = &*ctx.controls;
    let asks_page = page.is_some() || page_size.is_some() || cursor.is_some();
    let is_full = ctx.controls.output(draft.ctx.settings.output) == Output::Full;
    let shaped = |fit, steps| draft.shaped(fit, steps, Outcome::Envelope);
    if is_full
        && !asks_page
        && let Some(fit) = whole(subject, &around(ctx.budget)?, ctx)?
    {
        steps.push(Step::Full);
        return Ok(Some(shaped(fit, steps)));
    }
    let around = around(ctx.budget / AROUND)?;
    if !is_full && let Some((fit, true)) = subject.summary(&Ending::new(&around, ctx), ctx)? {
        steps.push(about.step);
        return Ok(Some(shaped(fit, steps)));
    }
    // Something is omitted: the whole result is stored if possible, and named if there is room.
    for ctx in [&ctx.telling(draft.stored()?), ctx] {
        let is_stored = matches!(ctx.stored, Some(Stored::At { .. }));
        let shown = if is_full && (asks_page || !is_stored) {
            page_of(draft, subject, &around, steps.clone(), ctx)?
        } else {
            let steps = [&steps[..], &[about.step]].concat();
            let summary = subject.summary(&Ending::new(&around, ctx), ctx)?;
            summary.map(|(fit, _)| shaped(fit, steps))
        };
        if let Some(shown) = shown {
            return Ok(Some(if is_stored { draft.job.keeping(shown) } else { shown }));
        }
    }
    Ok(None)
}

/// A page of the full result.
fn page_of(
    draft: &Draft<'_, '_, '_>,
    subject: &dyn Subject<'_>,
    around: &Around,
    mut steps: Vec<Step>,
    ctx: &Context<'_>,
) -> Result<Option<Shaped>, Error> {
    let about = subject.about();
    let rows = CountedRows::new(about.list, ctx);
    let window = Window::new(&rows, ctx)?;
    let (kind, bulk, pointer) = (about.kind, about.bulk, &*about.place.pointer);
    let fields = PageFields { omitted: &about.place.omitted, ..PageFields::default() };
    let mut filled = None;
    // What precedes the entries is shortened to make room for them.
    let heads =
        [SubjectHead::Start, SubjectHead::Later, SubjectHead::Names].into_iter().skip(usize::from(window.start > 0));
    for head in heads {
        let frame = FullFrame { kind, bulk, pointer, around, head: subject.head(head, ctx)?, ctx };
        filled = paginate::fill(&rows, &window, fields, &frame, ctx)?;
        if filled.is_some() {
            break;
        }
    }
    let Some(filled) = filled else { return Ok(None) };
    // As for any list, a cursor gets as much as fits.
    let strict = shape::is_strict(ctx);
    if strict && !(filled.is_complete(&window) && around.elisions.is_empty()) {
        let summary = Map::from_iter([("output".to_owned(), json!("summary"))]);
        let parts = suggest::from_start(Unit::Rows, window.total, pointer, ctx);
        return shape::over_budget(draft, [summary].into_iter().chain(parts).collect()).map(Some);
    }
    steps.extend([Step::Full, Step::Paginate]);
    steps.extend(filled.shortened.then_some(Step::Summarize));
    let fit = Fit { text: filled.text, tokens: filled.tokens };
    Ok(Some(draft.shaped(fit, steps, Outcome::Envelope)))
}

/// The full result, if it fits and nothing around it is shortened.
fn whole(subject: &dyn Subject<'_>, around: &Around, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    if !around.elisions.is_empty() {
        return Ok(None);
    }
    let about = subject.about();
    let Some((bulk, _)) = ctx.measure.json_within(about.list, ctx.budget)? else { return Ok(None) };
    let mut out = full(about.kind);
    out.number("totalItems", about.list.len());
    elide::write_omitted_fields(&about.place.omitted, &mut out);
    around.write(&mut out);
    out.extend(&subject.head(SubjectHead::Start, ctx)?);
    out.json(about.bulk, &bulk);
    let text = out.into_object();
    Ok(ctx.measure.fits(&text, ctx.budget).map(|tokens| Fit { text, tokens }))
}

/// The first members of a full result.
fn full(kind: &str) -> Members {
    let mut out = Members::new();
    out.text("output", Output::Full.name());
    out.text("kind", kind);
    out
}
