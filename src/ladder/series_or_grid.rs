//! Summary and full: a result that is a series or a grid, as one of two shapes told apart by `output`.
//!
//! A summary is a strict subset of the full result: what it keeps is the same to the byte. The full result
//! is whole where it fits, and paged like any list where it does not.

use crate::render::subject::Ending;
use crate::render::subject::Head;
use crate::render::subject::Subject;
use crate::request::declared::Declared;
use crate::request::declared::Grid;
use crate::request::declared::Output;
use crate::request::declared::Series;
use crate::value::lookup;
use serde_json::{Map, json};

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::members::Members;
use crate::ladder::run::Run;
use crate::ladder::suggest;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::render::detect;
use crate::render::elide;
use crate::render::grid::{self, ListPlace};
use crate::render::layout::Layout;
use crate::render::page_window::Window;
use crate::render::paginate::{self, Frame, Page};
use crate::render::series;
use crate::render::siblings::Around;
use crate::render::subject;
use crate::request::call::Controls;
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::request::stored::Stored;

use crate::request::policy::Overflow;
use crate::value::any_source::AnySource;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

/// The frame of a page of a full result.
struct FullFrame<'a> {
    kind: &'static str,
    bulk: &'static str,
    pointer: &'a str,
    around: &'a Around,
    head: Members,
    cx: &'a Context<'a>,
}

impl Frame for FullFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let all: Vec<_> = self.around.elisions.iter().chain(page.elisions).cloned().collect();
        let page = Page { elisions: &all, next: page.next.clone(), ..*page };
        let mut out = full(self.kind);
        out.flag("paginated", true);
        page.write_facts(&mut out);
        self.cx.write_stored(page.next.is_some(), &mut out);
        out.text("note", &page.note("", "nextCursor", self.cx.uri("", page.next.is_some()).as_deref()));
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

impl<'v> Run<'_, 'v> {
    /// The summary or the full result, if the policy says that the tool's results are series or grids, and
    /// this one is.
    pub fn declared(
        &mut self,
        value: &AnySource<'v>,
        asked: &[FieldPath],
        cx: &Context<'_>,
    ) -> Result<Option<Shaped>, Error> {
        match &self.settings.declared {
            Some(declared) if cx.keyset().is_none() => self.as_declared(value, declared, asked, cx),
            _ => Ok(None),
        }
    }

    /// The same for a result over budget, if the policy allows to find out what it is.
    pub fn detected(
        &mut self,
        value: &AnySource<'v>,
        asked: &[FieldPath],
        cx: &Context<'_>,
    ) -> Result<Option<Shaped>, Error> {
        if !self.settings.detect || self.settings.declared.is_some() || cx.keyset().is_some() {
            return Ok(None);
        }
        let (list, path) = match Layout::of(value)? {
            Layout::List(list) => (list, None),
            Layout::Envelope(envelope) => (envelope.list, Some(FieldPath::parse(&envelope.pointer))),
            Layout::Object | Layout::Text | Layout::Scalar => return Ok(None),
        };
        let declared = if detect::keys(&list)?.make_a_series() {
            Declared::Series(Series { list: path, ..Series::default() })
        } else if detect::is_matrix(&list)? {
            Declared::Grid(Grid { list: path, ..Grid::default() })
        } else {
            return Ok(None);
        };
        self.as_declared(value, &declared, asked, cx)
    }

    fn as_declared(
        &mut self,
        value: &AnySource<'v>,
        declared: &Declared,
        asked: &[FieldPath],
        cx: &Context<'_>,
    ) -> Result<Option<Shaped>, Error> {
        let path = declared.list().map_or(&[][..], FieldPath::segments);
        let list = lookup::at_pointer(value, path)?.filter(|list| list.kind() == Kind::Array);
        let Some(list) = list else { return Ok(None) };
        // One JSON Pointer alone is the value that it points to; and fields may be those of the whole result.
        let is_part = match asked {
            [one] if one.is_pointer() => lookup::at_pointer(value, one.segments())?.is_some(),
            _ => false,
        };
        if is_part || project::unknown_field(&list, asked)?.is_some() {
            return Ok(None);
        }
        self.before = (self.measure.estimate(value)?, false);
        let mut fields = asked.to_vec();
        if asked.is_empty() {
            for field in &self.settings.fields {
                if project::unknown_field(&list, std::slice::from_ref(field))?.is_none() {
                    fields.push(field.clone());
                }
            }
        }
        let selection = Selection::new(&fields, &[]);
        let (mut shown, mut omitted, mut steps) = (AnySource::new(list.clone()), Vec::new(), Vec::new());
        if !fields.is_empty() {
            let projected = Projected::new(list.clone(), &selection);
            if asked.is_empty() {
                omitted = self.tell_omitted(&projected)?.names;
            }
            shown = AnySource::new(projected);
            steps.push("project");
        }
        // Fields that are indices pick entries; that is no series any more.
        if shown.len() != list.len() {
            return Ok(None);
        }
        let list = AnySource::new(list);
        let pointer = path.iter().map(|segment| format!("/{}", json_pointer::escape(segment))).collect();
        let place = ListPlace { pointer, omitted };
        match declared {
            Declared::Series(series) => {
                self.shown_by(value, path, &series::read_entries(series, list, shown, place)?, steps, cx)
            }
            Declared::Grid(grid) if grid::is_matrix(&list)? => {
                let result = AnySource::new(value.clone());
                self.shown_by(value, path, &grid::read_matrix(grid, &result, &shown, place)?, steps, cx)
            }
            Declared::Grid(grid) => {
                self.shown_by(value, path, &grid::read_cells(grid, &list, &shown, place)?, steps, cx)
            }
        }
    }

    fn shown_by(
        &self,
        value: &AnySource<'v>,
        path: &[String],
        subject: &dyn Subject<'_>,
        mut steps: Vec<&'static str>,
        cx: &Context<'_>,
    ) -> Result<Option<Shaped>, Error> {
        /// The share of the budget for what stands around the list.
        const AROUND: usize = 6;
        let around = |budget| Around::of(value, &[path], budget, &cx.base, self.measure);
        let Controls { page, page_size, cursor, .. } = &cx.controls;
        let asks_page = page.is_some() || page_size.is_some() || cursor.is_some();
        let is_full = cx.controls.output(self.settings.output) == Output::Full;
        if is_full
            && !asks_page
            && let Some(fit) = whole(subject, &around(cx.budget)?, cx)?
        {
            steps.push("full");
            return Ok(Some(self.finish(fit.text, fit.tokens, steps, Outcome::Changed)));
        }
        let around = around(cx.budget / AROUND)?;
        if !is_full && let Some((fit, true)) = subject.summary(&Ending::new(&around, cx), cx)? {
            steps.push(subject.step());
            return Ok(Some(self.finish(fit.text, fit.tokens, steps, Outcome::Changed)));
        }
        // Something is left out: the whole is stored, if it can be, and told of, if there is room.
        for cx in [&cx.telling(self.stored()?), cx] {
            let is_at_hand = matches!(cx.stored, Some(Stored::At { .. }));
            let shaped = if is_full && (asks_page || !is_at_hand) {
                self.page_of(value, subject, &around, steps.clone(), cx)?
            } else {
                let steps = [&steps[..], &[subject.step()]].concat();
                let summary = subject.summary(&Ending::new(&around, cx), cx)?;
                summary.map(|(fit, _)| self.finish(fit.text, fit.tokens, steps, Outcome::Changed))
            };
            if let Some(shaped) = shaped {
                return Ok(Some(if is_at_hand { self.keeping(shaped) } else { shaped }));
            }
        }
        Ok(None)
    }

    fn page_of(
        &self,
        value: &AnySource<'v>,
        subject: &dyn Subject<'_>,
        around: &Around,
        mut steps: Vec<&'static str>,
        cx: &Context<'_>,
    ) -> Result<Option<Shaped>, Error> {
        let window = Window::new(subject.list(), cx)?;
        let (kind, bulk, pointer) = (subject.kind(), subject.bulk(), subject.pointer());
        let mut filled = None;
        // What stands before the entries gives way to them.
        let heads = [Head::Start, Head::Later, Head::Names].into_iter().skip(usize::from(window.start > 0));
        for head in heads {
            let frame = FullFrame { kind, bulk, pointer, around, head: subject.head(head, cx)?, cx };
            filled = paginate::fill(subject.list(), &window, subject.omitted(), &frame, cx)?;
            if filled.is_some() {
                break;
            }
        }
        let Some(filled) = filled else { return Ok(None) };
        // As with any list, a cursor asks for what fits.
        let strict = self.settings.overflow == Overflow::Error && !cx.goes_on();
        if strict && !(filled.is_complete(&window) && around.elisions.is_empty()) {
            let summary = Map::from_iter([("output".to_owned(), json!("summary"))]);
            let parts = suggest::from_start(Unit::Rows, window.total, pointer, cx);
            return self.over_budget(value, [summary].into_iter().chain(parts).collect(), cx).map(Some);
        }
        steps.extend(["full", "paginate"]);
        steps.extend(filled.shortened.then_some("summarize"));
        Ok(Some(self.finish(filled.text, filled.tokens, steps, Outcome::Changed)))
    }
}

/// The full result, if it fits with nothing around it shortened.
fn whole(subject: &dyn Subject<'_>, around: &Around, cx: &Context<'_>) -> Result<Option<Fit>, Error> {
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

/// The members that begin a full result.
fn full(kind: &str) -> Members {
    let mut out = Members::new();
    out.text("output", Output::Full.name());
    out.text("kind", kind);
    out
}
