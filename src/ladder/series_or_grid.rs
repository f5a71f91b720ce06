//! Summary and full: a result that is a series or a grid, in one of two shapes. The member `output` says which.
//!
//! A summary is a strict subset of the full result: it keeps values byte for byte. The full result is whole if it fits,
//! and otherwise paged like any list.

use serde_json::{Map, Value, json};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::members::Members;
use crate::ladder::run::Run;
use crate::ladder::{asked_fields, suggest};
use crate::outcome::receipt::Step;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::counted_rows::CountedRows;
use crate::render::detect::SeriesPaths;
use crate::render::grid::{self, ListPlace};
use crate::render::page::{Frame, Page};
use crate::render::page_window::Window;
use crate::render::paginate::{self, Fields};
use crate::render::siblings::Around;
use crate::render::subject::{self, Ending, Head, Subject};
use crate::render::{detect, elide, series};
use crate::request::call::{Asked, Controls};
use crate::request::cursor::Unit;
use crate::request::declared::{Declared, Grid, Output, Series};
use crate::request::policy::Overflow;
use crate::request::stored::Stored;
use crate::request::view::{Fit, View};
use crate::value::any_source::AnySource;
use crate::value::lookup;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

/// The result of showing a series or a grid.
pub(crate) enum Shown {
    As(Box<Shaped>),
    /// It is over the budget, and the policy asks for an error: the suggested calls, the best first.
    Over(Vec<Map<String, Value>>),
}

/// The frame of a page of a full result.
struct FullFrame<'a> {
    kind: &'static str,
    bulk: &'static str,
    pointer: &'a str,
    around: &'a Around,
    head: Members,
    cx: &'a View<'a>,
}

impl Frame for FullFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let all: Vec<_> = self.around.elisions.iter().chain(page.elisions).cloned().collect();
        let page = Page { elisions: &all, next: page.next.clone(), ..*page };
        let mut out = full(self.kind);
        out.flag("paginated", true);
        page.write_facts(&mut out);
        self.cx.write_stored(page.next.is_some(), &mut out);
        out.text("note", &page.note("nextCursor", self.cx.handle(page.next.is_some())));
        elide::write_elisions(&all, self.cx.budget / subject::ELISION_PARTS, self.cx.measure, &mut out);
        self.around.write(&mut out);
        out.extend(&self.head);
        out.open_list(self.bulk);
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
pub(crate) fn declared(run: &mut Run<'_, '_>, cx: &View<'_>) -> Result<Option<Shown>, Error> {
    match &run.receipts.settings.declared {
        Some(declared) if cx.keyset().is_none() => as_declared(run, declared, cx),
        _ => Ok(None),
    }
}

/// The same for a result over the budget, if the policy allows detection.
pub(crate) fn detected(run: &mut Run<'_, '_>, cx: &View<'_>) -> Result<Option<Shown>, Error> {
    let settings = run.receipts.settings;
    if !settings.detect || settings.declared.is_some() || cx.keyset().is_some() {
        return Ok(None);
    }
    let layout = &run.job.layout;
    let (list, path) = match (layout.value.kind(), layout.envelope()?) {
        (Kind::Array, _) => (&layout.value, None),
        (_, Some(envelope)) if !envelope.is_map => (&envelope.list, Some(FieldPath::parse(&envelope.pointer))),
        _ => return Ok(None),
    };
    let declared = if let Some(SeriesPaths { value, at }) = detect::series(list)? {
        Declared::Series(Series { list: path, value, at, ..Series::default() })
    } else if detect::is_matrix(list)? {
        Declared::Grid(Grid { list: path, ..Grid::default() })
    } else {
        return Ok(None);
    };
    as_declared(run, &declared, cx)
}

fn as_declared(run: &mut Run<'_, '_>, declared: &Declared, cx: &View<'_>) -> Result<Option<Shown>, Error> {
    let value = &run.job.layout.value;
    let path = declared.list().map_or(&[][..], FieldPath::segments);
    let list = lookup::at_pointer(value, path)?.filter(|list| list.kind() == Kind::Array);
    let Some(list) = list else { return Ok(None) };
    // One JSON Pointer alone names a value, and `fields` may be those of the whole result.
    let is_part = match run.controls.asked() {
        Asked::Part(pointer) => lookup::at_pointer(value, pointer.segments())?.is_some(),
        Asked::All | Asked::Fields => false,
    };
    if is_part || project::unknown_field(&list, &run.controls.fields, &run.work)?.is_some() {
        return Ok(None);
    }
    run.weigh()?;
    let run = &*run;
    let asks_all = run.controls.fields.is_empty();
    let fields = match asks_all {
        true => project::known_fields(&list, &run.receipts.settings.fields, &run.work)?,
        false => run.controls.fields.clone(),
    };
    let selection = Selection::new(&fields, &[]);
    let (mut shown, mut omitted, mut steps) = (AnySource::new(list.clone()), Vec::new(), Vec::new());
    if !fields.is_empty() {
        let projected = Projected::new(list.clone(), &selection);
        if asks_all {
            omitted = asked_fields::omitted(run, &projected)?.names;
        }
        shown = AnySource::new(projected);
        steps.push(Step::Project);
    }
    // Fields that are indices pick entries; the rest is no series any more.
    if shown.len() != list.len() {
        return Ok(None);
    }
    let pointer = path.iter().map(|segment| format!("/{}", json_pointer::escape(segment))).collect();
    let (list, place) = (AnySource::new(list), ListPlace { pointer, omitted });
    match declared {
        Declared::Series(series) => show(run, path, &series::read_entries(series, list, shown, place)?, steps, cx),
        Declared::Grid(grid) if grid::is_matrix(&list)? => {
            show(run, path, &grid::read_matrix(grid, &AnySource::new(value.clone()), &shown, place)?, steps, cx)
        }
        Declared::Grid(grid) => show(run, path, &grid::read_cells(grid, &list, &shown, place)?, steps, cx),
    }
}

/// Shows the subject at `path` in the result.
fn show(
    run: &Run<'_, '_>,
    path: &[String],
    subject: &dyn Subject<'_>,
    mut steps: Vec<Step>,
    cx: &View<'_>,
) -> Result<Option<Shown>, Error> {
    /// The share of the budget for what surrounds the list.
    const AROUND: usize = 6;
    let around = |budget| Around::of(&run.job.layout.value, &[path], budget, &cx.base, cx);
    let Controls { page, page_size, cursor, .. } = &cx.controls;
    let asks_page = page.is_some() || page_size.is_some() || cursor.is_some();
    let is_full = cx.controls.output(run.receipts.settings.output) == Output::Full;
    let shaped = |fit, steps| run.receipts.shaped(fit, steps, Outcome::Envelope);
    if is_full
        && !asks_page
        && let Some(fit) = whole(subject, &around(cx.budget)?, cx)?
    {
        steps.push(Step::Full);
        return Ok(Some(Shown::As(Box::new(shaped(fit, steps)))));
    }
    let around = around(cx.budget / AROUND)?;
    if !is_full && let Some((fit, true)) = subject.summary(&Ending::new(&around, cx), cx)? {
        steps.push(subject.step());
        return Ok(Some(Shown::As(Box::new(shaped(fit, steps)))));
    }
    // Something is omitted: the whole result is stored if possible, and named if there is room.
    for cx in [&cx.telling(run.stored()?), cx] {
        let is_at_hand = matches!(cx.stored, Some(Stored::At { .. }));
        let shown = if is_full && (asks_page || !is_at_hand) {
            page_of(run, subject, &around, steps.clone(), cx)?
        } else {
            let steps = [&steps[..], &[subject.step()]].concat();
            let summary = subject.summary(&Ending::new(&around, cx), cx)?;
            summary.map(|(fit, _)| Shown::As(Box::new(shaped(fit, steps))))
        };
        if let Some(shown) = shown {
            return Ok(Some(match shown {
                Shown::As(shaped) if is_at_hand => Shown::As(Box::new(run.job.keeping(*shaped))),
                shown => shown,
            }));
        }
    }
    Ok(None)
}

/// A page of the full result.
fn page_of(
    run: &Run<'_, '_>,
    subject: &dyn Subject<'_>,
    around: &Around,
    mut steps: Vec<Step>,
    cx: &View<'_>,
) -> Result<Option<Shown>, Error> {
    let rows = CountedRows::new(subject.list(), cx);
    let window = Window::new(&rows, cx)?;
    let (kind, bulk, pointer) = (subject.kind(), subject.bulk(), subject.pointer());
    let fields = Fields { omitted: subject.omitted(), ..Fields::default() };
    let mut filled = None;
    // What precedes the entries is shortened to make room for them.
    let heads = [Head::Start, Head::Later, Head::Names].into_iter().skip(usize::from(window.start > 0));
    for head in heads {
        let frame = FullFrame { kind, bulk, pointer, around, head: subject.head(head, cx)?, cx };
        filled = paginate::fill(&rows, &window, fields, &frame, cx)?;
        if filled.is_some() {
            break;
        }
    }
    let Some(filled) = filled else { return Ok(None) };
    // As for any list, a cursor gets as much as fits.
    let strict = run.receipts.settings.overflow == Overflow::Error && !cx.goes_on();
    if strict && !(filled.is_complete(&window) && around.elisions.is_empty()) {
        let summary = Map::from_iter([("output".to_owned(), json!("summary"))]);
        let parts = suggest::from_start(Unit::Rows, window.total, pointer, cx);
        return Ok(Some(Shown::Over([summary].into_iter().chain(parts).collect())));
    }
    steps.extend([Step::Full, Step::Paginate]);
    steps.extend(filled.shortened.then_some(Step::Summarize));
    let fit = Fit { text: filled.text, tokens: filled.tokens };
    Ok(Some(Shown::As(Box::new(run.receipts.shaped(fit, steps, Outcome::Envelope)))))
}

/// The full result, if it fits and nothing around it is shortened.
fn whole(subject: &dyn Subject<'_>, around: &Around, cx: &View<'_>) -> Result<Option<Fit>, Error> {
    if !around.elisions.is_empty() {
        return Ok(None);
    }
    let Some((bulk, _)) = cx.measure.json_within(subject.list(), cx.budget)? else { return Ok(None) };
    let mut out = full(subject.kind());
    out.number("totalItems", subject.list().len());
    elide::write_omitted_fields(subject.omitted(), &mut out);
    around.write(&mut out);
    out.extend(&subject.head(Head::Start, cx)?);
    out.json(subject.bulk(), &bulk);
    let text = out.into_object();
    Ok(cx.measure.fits(&text, cx.budget).map(|tokens| Fit { text, tokens }))
}

/// The first members of a full result.
fn full(kind: &str) -> Members {
    let mut out = Members::new();
    out.text("output", Output::Full.name());
    out.text("kind", kind);
    out
}
