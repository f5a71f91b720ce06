//! A list as links: an MCP `resource_link` block for each row instead of the row, after a text block with the facts of
//! the page and how to open a link.
//!
//! A mapping of templates makes the links. In `uri` a `{field}` is an expression of RFC 6570, level 1: its value is
//! percent-encoded. Elsewhere its value is copied.

use crate::ladder::job::Job;
use crate::outcome::receipt::{Step, Weight};
use crate::outcome::tool_output::ToolOutput;
use crate::request::content_id::Form;
use crate::request::context::Fit;
use crate::request::handle::Handle;
use crate::value::at_pointer;
use crate::value::token_estimate;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::json_string;
use crate::base::members::Members;
use crate::ladder::draft::Draft;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::render::counted_rows::CountedRows;
use crate::render::error_result;
use crate::render::excerpt;
use crate::render::notes::links as notes;
use crate::render::page::{Frame, Page};
use crate::render::page_window::Window;
use crate::render::paginate::{self, PageFields};
use crate::request::call::{Call, is_callers_fault};
use crate::request::keyset::Keyset;
use crate::request::reader::{Naming, Reader};
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, RowSource, Source, identity};
use crate::value::token_count::{Measure, UNLIKELY_BYTES};

/// Whether the note says that texts are shortened, and the tokens that are reserved for the seams between a link and the
/// frame: cursors of equal length have not quite the same number of tokens, and a page is filled as if one followed. The
/// first that gives a page is taken.
const TRIES: [(bool, usize); 5] = [(false, 4), (true, 4), (true, 12), (true, 32), (true, 64)];

/// How a row becomes a link.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{JsonText, Links, Naming};
/// use toolshape::{Call, Shaper};
///
/// let mapping = json!({ "uri": "article:///{slug}", "name": "{slug}", "title": "{title}" });
/// let links = Links::new(&mapping, Naming::Camel)?;
/// let rows = r#"[{"slug":"crème brûlée","title":"Crème brûlée","body":"Take…"}]"#;
/// let shaped = Shaper::default().links(&JsonText::parse(rows)?, &links, &Call::default())?;
/// let blocks: serde_json::Value = serde_json::from_str(&shaped.text).unwrap();
/// assert_eq!(blocks[0]["type"], "text");
/// assert_eq!(blocks[1]["uri"], "article:///cr%C3%A8me%20br%C3%BBl%C3%A9e");
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Links {
    uri: LinkTemplate,
    name: LinkTemplate,
    title: Option<LinkTemplate>,
    description: Option<LinkTemplate>,
    mime_type: Option<LinkTemplate>,
    size: Option<LinkTemplate>,
    open: String,
    keyset: Option<Keyset>,
}

impl Links {
    /// Reads a mapping: templates for `uri` and `name` and, if wanted, `title`, `description`, `mimeType` and
    /// `size` (in bytes); `open`, a sentence that says how to open one; and `keys` and `limit`, as
    /// [`Keyset`] takes them, for rows that are paged by their keys.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option, a wrong type or a template that cannot be read.
    pub fn new(mapping: &serde_json::Value, naming: Naming) -> Result<Self, Error> {
        let names = ["uri", "name", "title", "description", "mimeType", "size", "open", "keys", "limit"];
        let reader = Reader::new(mapping, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        let template = |name: &str| LinkTemplate::read(&reader, name);
        let needed = |name: &str| template(name)?.ok_or_else(|| reader.error_at(name, format!("{name} is missing")));
        let keyset = match (reader.get("keys"), reader.get("limit")) {
            (None, None) => None,
            (keys, limit) => Some(Keyset::new(&serde_json::json!({ "keys": keys, "limit": limit }), naming)?),
        };
        Ok(Self {
            uri: needed("uri")?,
            name: needed("name")?,
            title: template("title")?,
            description: template("description")?,
            mime_type: template("mimeType")?,
            size: template("size")?,
            open: reader.text("open")?.unwrap_or(notes::OPEN).to_owned(),
            keyset,
        })
    }
}

#[doc(hidden)]
impl Shaper {
    /// Links to the rows of a list, as MCP content blocks: `text` is their JSON, an array.
    ///
    /// Budget and pages are as for rows; the budget counts the JSON of the blocks. The first block is a text with the
    /// facts of the page and how to open a link. If a link is too large by itself, its description, title and name
    /// are shortened; if it is still too large, a text with the row's number replaces it.
    ///
    /// # Errors
    /// `INVALID_CALL` with the row's number for a row without a field of `uri` or `name`, or with a list or an object
    /// where text is needed, and as [`keyset_page`](Self::keyset_page) for keys; `UNSUPPORTED_VALUE` and `TOO_DEEP`
    /// from reading the rows.
    pub fn links<'v, S: Source + 'v>(&self, rows: &S, links: &Links, call: &Call) -> Result<Shaped, Error> {
        let settings = self.settings(call)?;
        let job = Job::of_stored(ToolOutput { form: Form::Json, ..ToolOutput::value(rows, call) }, settings);
        match page_of_links(&job, links) {
            Err(error) if is_callers_fault(&error) => {
                let measure = settings.measure();
                let before = Weight::Estimated(token_estimate::tokens(&job.output.value, measure)?);
                let fits = |text: &str| measure.fits(&only_block(text), settings.room());
                let (text, tokens) = error_result::of_call(&error, &[], call, &settings.read_tool, fits);
                let fit = Fit { text: only_block(&text), tokens };
                Ok(Shaped::new(settings, call, before, fit, vec![Step::Error], Outcome::Error))
            }
            other => other,
        }
    }
}

fn page_of_links(job: &Job<'_>, links: &Links) -> Result<Shaped, Error> {
    let rows = &job.output.value;
    let mut draft = Draft::new(job, job.settings.room(), job.controls()?);
    if !draft.ctx.controls.fields.is_empty() {
        return Err(Error::new(ErrorCode::InvalidCall, notes::NO_FIELDS, "/fields"));
    }
    if rows.kind() != Kind::Array {
        let message = format!("rows is {}; it takes a list", rows.kind().name());
        return Err(Error::new(ErrorCode::InvalidCall, message, "/rows"));
    }
    if let Some(keyset) = &links.keyset {
        draft = Draft::of_keyset(job, keyset)?;
    }
    draft.weigh()?;
    let ctx = &draft.ctx;
    let window = Window::new(&CountedRows::new(rows, ctx), ctx)?;
    let pages =
        [(!draft.wants_part()? && ctx.has_few_rows(rows)).then(|| window.resized(1, rows.len().max(1))), Some(window)];
    let pages = pages.iter().zip([false, true]).filter_map(|(w, paged)| Some((w.as_ref()?, paged)));
    for ((window, is_paged), (may_cut, seam)) in pages.flat_map(|page| TRIES.map(|tried| (page, tried))) {
        let linker = Rc::new(Linker::new(links, ctx.measure, may_cut));
        let frame = LinksFrame { linker: linker.clone(), is_paged };
        let linked = AnySource::new(Linked { value: rows.clone(), linker: linker.clone(), at: None });
        linker.room.set(ctx.budget.saturating_sub(
            paginate::overhead(&CountedRows::new(&linked, ctx), window, PageFields::default(), &frame, ctx)? + seam,
        ));
        let Some(filled) = paginate::fill(&CountedRows::new(&linked, ctx), window, PageFields::default(), &frame, ctx)?
        else {
            continue;
        };
        if is_paged || filled.is_complete(window) {
            let steps = if is_paged { vec![Step::Links, Step::Paginate] } else { vec![Step::Links] };
            let fit = Fit { text: filled.text, tokens: filled.tokens };
            return Ok(draft.shaped(fit, steps, Outcome::Envelope));
        }
    }
    let message = format!("the frame of the links leaves no room for one in {} tokens", ctx.budget);
    Err(Error::new(ErrorCode::InvalidCall, message, ""))
}

/// A block with a link to a stored result.
pub(crate) fn to_stored(handle: Handle, name: &str, description: &str) -> String {
    let mut link = Members::new();
    link.text("type", "resource_link");
    link.text("uri", &handle.uri());
    link.text("name", name);
    link.text("description", description);
    link.into_object()
}

/// A JSON array with a text block as its only block.
fn only_block(text: &str) -> String {
    format!("[{}]", text_block(text))
}

/// A text block.
fn text_block(text: &str) -> String {
    let mut block = Members::new();
    block.text("type", "text");
    block.text("text", text);
    block.into_object()
}

/// A text with fields, such as `article:///{slug}`.
#[derive(Clone, Debug)]
struct LinkTemplate {
    /// Text, and the field after it.
    parts: Vec<(String, FieldPath)>,
    end: String,
}

impl LinkTemplate {
    fn read(reader: &Reader<'_>, name: &str) -> Result<Option<Self>, Error> {
        let Some(text) = reader.text(name)? else { return Ok(None) };
        let wrong = |what: &str| {
            let name = reader.spell(name);
            reader.error_at(&name, format!("{name} {what}: a template is text with fields in braces, such as {{slug}}"))
        };
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (field, after) = after.split_once('}').ok_or_else(|| wrong("has a brace that is not closed"))?;
            if field.is_empty() || field.starts_with(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']) {
                return Err(wrong(&format!("has the expression {{{field}}}, which is beyond level 1 of RFC 6570")));
            }
            parts.push((before.to_owned(), FieldPath::parse(field)));
            rest = after;
        }
        Ok(Some(Self { parts, end: rest.to_owned() }))
    }

    /// The text with a row's values; `None` if the row lacks one of them.
    ///
    /// About `most` characters of a value are read at most.
    fn fill<S: Source>(
        &self,
        row: &S,
        at: usize,
        most: usize,
        encode: fn(&str) -> String,
    ) -> Result<Option<String>, Error> {
        let mut out = String::new();
        for (before, field) in &self.parts {
            let value = match at_pointer::at_pointer(row, field.segments())? {
                Some(value) if value.kind() != Kind::Null => value,
                _ => return Ok(None),
            };
            let text = match value.kind() {
                Kind::String => json_string::unescape(&value.slice(0, most)?),
                Kind::Array | Kind::Object => {
                    let message =
                        format!("{} of row {at} is an {}; a link takes text", field.written(), value.kind().name());
                    return Err(Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}")));
                }
                _ => value.json()?.into_owned(),
            };
            out += before;
            out += &encode(&text);
        }
        Ok(Some(out + &self.end))
    }
}

/// Percent-encodes all but the unreserved characters (RFC 3986, section 2.3).
fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte as char),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

/// Makes links of rows.
struct Linker<'l> {
    links: &'l Links,
    measure: Measure,
    /// The most tokens that one link may take.
    room: Cell<usize>,
    /// Whether a link was shortened.
    has_cut: Cell<bool>,
}

impl<'l> Linker<'l> {
    fn new(links: &'l Links, measure: Measure, may_cut: bool) -> Self {
        Self { links, measure, room: Cell::new(0), has_cut: Cell::new(may_cut) }
    }

    /// The link to a row, as JSON.
    fn link<S: Source>(&self, row: &S, at: usize) -> Result<String, Error> {
        let most = self.room.get().saturating_mul(UNLIKELY_BYTES);
        let plain = |template: &LinkTemplate| template.fill(row, at, most, str::to_owned);
        let optional = |template: &Option<LinkTemplate>| template.as_ref().map_or(Ok(None), plain);
        let needed = |text: Option<String>, what: &str| {
            text.ok_or_else(|| {
                let message = format!("row {at} lacks a field that {what} of its link needs");
                Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}"))
            })
        };
        let mut link = Link {
            uri: needed(self.links.uri.fill(row, at, usize::MAX, percent_encode)?, "uri")?,
            name: Some(needed(plain(&self.links.name)?, "name")?),
            title: optional(&self.links.title)?,
            description: optional(&self.links.description)?,
            mime_type: optional(&self.links.mime_type)?,
            size: optional(&self.links.size)?,
        };
        if link.size.as_ref().is_some_and(|size| size.parse::<u64>().is_err()) {
            let message = format!("size of row {at} must be a whole number of bytes");
            return Err(Error::new(ErrorCode::InvalidCall, message, format!("/rows/{at}")));
        }
        let fits = |link: &Link| self.measure.fits(&link.json(), self.room.get()).is_some();
        if fits(&link) {
            return Ok(link.json());
        }
        self.has_cut.set(true);
        let parts: [fn(&mut Link) -> &mut Option<String>; 3] =
            [|link| &mut link.description, |link| &mut link.title, |link| &mut link.name];
        for part in parts {
            let Some(whole) = part(&mut link).take() else { continue };
            if !fits(&link) {
                continue;
            }
            let mut tokens = self.room.get();
            while tokens > 0 {
                tokens = tokens * 3 / 4;
                *part(&mut link) = Some(self.start_of(&whole, tokens)?);
                if fits(&link) {
                    return Ok(link.json());
                }
            }
            *part(&mut link) = None;
            if link.name.is_some() {
                return Ok(link.json());
            }
        }
        Ok(text_block(&notes::too_long(at)))
    }

    fn start_of(&self, text: &str, tokens: usize) -> Result<String, Error> {
        let literal = json_string::quoted(text);
        let source = JsonText::parse(&literal)?;
        let start = excerpt::start(&source, (0, source.chars()), tokens, false, self.measure)?;
        Ok(format!("{}…", json_string::unescape(&start.literal)))
    }
}

struct Link {
    uri: String,
    /// Missing only while it is found out how much of it fits.
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    size: Option<String>,
}

impl Link {
    fn json(&self) -> String {
        let mut out = Members::new();
        out.text("type", "resource_link");
        out.text("uri", &self.uri);
        let texts = [
            ("name", &self.name),
            ("title", &self.title),
            ("description", &self.description),
            ("mimeType", &self.mime_type),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                out.text(name, text);
            }
        }
        if let Some(size) = &self.size {
            out.json("size", size);
        }
        out.into_object()
    }
}

/// A list of rows as links, or one of them.
#[derive(Clone)]
struct Linked<'l, S> {
    value: S,
    linker: Rc<Linker<'l>>,
    /// The row's index; `None` for the list.
    at: Option<usize>,
}

impl<S: Source> Source for Linked<'_, S> {
    fn kind(&self) -> Kind {
        if self.at.is_some() { Kind::Object } else { Kind::Array }
    }

    fn len(&self) -> usize {
        if self.at.is_some() { 0 } else { self.value.len() }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let rows = if self.at.is_some() { Vec::new() } else { self.value.items(start, max)? };
        let link = |(at, value)| Self { value, linker: self.linker.clone(), at: Some(start + at) };
        Ok(rows.into_iter().enumerate().map(link).collect())
    }

    fn min_bytes(&self, _enough: usize) -> usize {
        // A link reads little of a row, so no bound is needed.
        0
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        self.linker.link(&self.value, self.at.unwrap_or(0)).map(Cow::Owned)
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl<S: Source> RowSource for Linked<'_, S> {
    /// The row itself: a cursor finds its place by the row, whatever the link shows.
    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        match identity(&self.value)? {
            None => self.value.json().map(Some),
            known => Ok(known),
        }
    }
}

/// The blocks of a page: its facts as a text block, then the links.
struct LinksFrame<'l> {
    linker: Rc<Linker<'l>>,
    is_paged: bool,
}

impl Frame for LinksFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let mut facts = Members::new();
        let mut page_note = None;
        if self.is_paged {
            facts.flag("paginated", true);
            page.write_facts(&mut facts);
            page_note = Some(page.note("nextCursor", None));
        } else {
            facts.number("totalItems", page.window.total);
        }
        let Linker { links, has_cut, .. } = &*self.linker;
        facts.text("note", &notes::note(page_note.as_deref(), &links.open, has_cut.get()));
        let comma = if page.rows.has_rows { "," } else { "" };
        (format!("[{}{comma}", text_block(&facts.into_object())), "]".to_owned())
    }

    fn takes_columns(&self) -> bool {
        false
    }

    fn shortens_rows(&self) -> bool {
        false
    }
}
