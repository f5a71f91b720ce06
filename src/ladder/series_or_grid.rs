//! Summary and full: a result that is a series or a grid, as one of two shapes told apart by `output`.
//!
//! A summary is a strict subset of the full result: what it keeps is the same to the byte. The full result
//! is whole where it fits, and paged like any list where it does not.

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaped;
use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string;
use crate::ladder::run::{Outcome, Run};
use crate::ladder::storing::Stored;
use crate::ladder::suggest;
use crate::render::detect;
use crate::render::elide;
use crate::render::envelope::Envelope;
use crate::render::grid::{Grid, Place};
use crate::render::page_window::Window;
use crate::render::paginate::{self, Frame, Page};
use crate::render::series::Series;
use crate::render::siblings::Around;
use crate::request::call::Controls;
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::request::options::Reader;
use crate::request::policy::{Overflow, Settings};
use crate::value::any_source::AnySource;
use crate::value::project::{self, Projected, Selection};
use crate::value::source::{Kind, Source};

/// What is shown of a series or a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Summary,
    Full,
}

impl Output {
    pub(crate) const CHOICES: [(&str, Self); 2] = [("summary", Self::Summary), ("full", Self::Full)];

    /// The name that options and results give it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Full => "full",
        }
    }

    /// What a call asks for: a page is one of the full result.
    fn of(controls: &Controls, settings: &Settings) -> Self {
        let Controls { page, page_size, cursor, output, .. } = controls;
        if cursor.is_some() || page.is_some_and(|page| page > 1) {
            return Self::Full;
        }
        let has_page = page.is_some() || page_size.is_some();
        output.unwrap_or(if has_page { Self::Full } else { settings.output })
    }
}

/// What a tool's results are, as its author declares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Declared {
    Series(Series),
    Grid(Grid),
}

impl Declared {
    /// Reads policy's `series` and `grid`; gives nothing where neither is named, and `Some(None)` where false
    /// takes back what holds for all tools.
    pub fn read(options: &Reader<'_>) -> Result<Option<Option<Self>>, Error> {
        let is_off = |name| options.get(name) == Some(&Value::Bool(false));
        let series = if is_off("series") { None } else { options.group("series", &Series::OPTIONS)? };
        let grid = if is_off("grid") { None } else { options.group("grid", &Grid::OPTIONS)? };
        match (series, grid) {
            (Some(_), Some(_)) => Err(options.error_at("grid", "a result is a series or a grid, not both".to_owned())),
            (Some(series), None) => Ok(Some(Some(Self::Series(Series::read(&series)?)))),
            (None, Some(grid)) => Ok(Some(Some(Self::Grid(Grid::read(&grid)?)))),
            (None, None) => Ok((is_off("series") || is_off("grid")).then_some(None)),
        }
    }

    fn list(&self) -> Option<&FieldPath> {
        match self {
            Self::Series(series) => series.list.as_ref(),
            Self::Grid(grid) => grid.list.as_ref(),
        }
    }
}

/// A series or a grid that was read, as summary and full write it.
pub(crate) trait Subject<'v> {
    fn kind(&self) -> &'static str;

    /// The step that makes its summary, for the receipt.
    fn step(&self) -> &'static str;

    /// The summary, if one fits, and whether that leaves nothing out.
    fn summary(&self, ending: &Ending, cx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error>;

    /// What stands before the entries of a full result, as members with a comma behind each.
    fn head(&self, head: Head, cx: &Context<'_>) -> Result<String, Error>;

    /// The entries of the full result, and the name under which they stand.
    fn list(&self) -> &AnySource<'v>;
    fn bulk(&self) -> &'static str;

    /// JSON Pointer to the list.
    fn pointer(&self) -> &str;

    /// Fields of the entries that the policy does not show.
    fn omitted(&self) -> &[String];
}

/// How much stands before the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// All there is to tell, as before the first entry.
    Start,
    /// As before entries farther on.
    Later,
    /// Only what things are called, where nothing else leaves room for an entry.
    Names,
}

/// What a summary says beside what it shows.
pub(crate) struct Ending {
    /// Members with a comma behind each: where the whole is stored, what stands around the list, and what of
    /// that is shortened.
    pub members: String,
    pub has_elisions: bool,
    is_stored: bool,
}

impl Ending {
    fn new(around: &Around, cx: &Context<'_>) -> Self {
        let members = cx.store_members("", false) + &elisions(&around.elisions, cx) + &around.member();
        let is_stored = matches!(cx.stored, Some(Stored::At { .. }));
        Self { members, has_elisions: !around.elisions.is_empty(), is_stored }
    }

    /// Sentences for the end of a note; `of` says what the full result holds, if there is more than is shown.
    pub fn sentences(&self, of: Option<&str>) -> String {
        let mut out = String::new();
        match of {
            Some(of) if self.is_stored => {
                out += &format!(
                    " For {of} read uri with the tool read_result, or call again with the same arguments and page set to 1."
                );
            }
            Some(of) => out += &format!(" For {of} call again with the same arguments and output set to full."),
            None => {}
        }
        if self.has_elisions {
            out += " For a shortened value in full call again with fields set to [its pointer].";
        }
        out
    }
}

fn elisions(elisions: &[elide::Elision], cx: &Context<'_>) -> String {
    match elisions {
        [] => String::new(),
        some => elide::members(some, "", cx.budget / 8, cx.measure) + ",",
    }
}

/// The frame of a page of a full result.
struct FullFrame<'a> {
    kind: &'static str,
    bulk: &'static str,
    pointer: &'a str,
    around: &'a Around,
    head: String,
    cx: &'a Context<'a>,
}

impl Frame for FullFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let all: Vec<_> = self.around.elisions.iter().chain(page.elisions).cloned().collect();
        let page = Page { elisions: &all, next: page.next.clone(), ..*page };
        let before = format!(
            "{{\"output\":\"full\",\"kind\":\"{}\",\"paginated\":true,{},{}\"note\":{},{}{}{}\"{}\":[",
            self.kind,
            page.facts(),
            self.cx.store_members("", page.next.is_some()),
            json_string::quoted(&page.note("", "nextCursor", self.cx.uri("", page.next.is_some()).as_deref())),
            elisions(&all, self.cx),
            self.around.member(),
            self.head,
            self.bulk,
        );
        (before, "]}".to_owned())
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
        let (list, path) = match value.kind() {
            Kind::Array => (value.clone(), None),
            Kind::Object => match Envelope::find(value)? {
                Some(envelope) => (envelope.list, Some(FieldPath::parse(&envelope.pointer))),
                None => return Ok(None),
            },
            _ => return Ok(None),
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
        let list = project::at_pointer(value, path)?.filter(|list| list.kind() == Kind::Array);
        let Some(list) = list else { return Ok(None) };
        // One JSON Pointer alone is the value that it points to; and fields may be those of the whole result.
        let is_part = match asked {
            [one] if one.is_pointer() => project::at_pointer(value, one.segments())?.is_some(),
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
        let place = Place { pointer, omitted };
        match declared {
            Declared::Series(series) => {
                self.shown_by(value, path, &series.read_entries(list, shown, place)?, steps, cx)
            }
            Declared::Grid(grid) if Grid::is_matrix(&list)? => {
                let result = AnySource::new(value.clone());
                self.shown_by(value, path, &grid.read_matrix(&result, &shown, place)?, steps, cx)
            }
            Declared::Grid(grid) => self.shown_by(value, path, &grid.read_cells(&list, &shown, place)?, steps, cx),
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
        let is_full = Output::of(&cx.controls, self.settings) == Output::Full;
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
    let omitted = elide::omitted_fields(subject.omitted()).map_or(String::new(), |member| member + ",");
    let text = format!(
        "{{\"output\":\"full\",\"kind\":\"{}\",\"totalItems\":{},{omitted}{}{}\"{}\":{bulk}}}",
        subject.kind(),
        subject.list().len(),
        around.member(),
        subject.head(Head::Start, cx)?,
        subject.bulk(),
    );
    Ok(cx.measure.fits(&text, cx.budget).map(|tokens| Fit { text, tokens }))
}
