//! Offload: a result that is too large is stored whole, and its handle is shown with a short description, the size, the
//! first and last characters, and how to read the rest.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::outcome::content::StoredContent;
use crate::render::detect::SAMPLED;
use crate::render::elide::{NAMED_KEYS, short_key};
use crate::render::notes;
use crate::request::content_id::Form;
use crate::request::context::{Context, Fit};
use crate::request::handle::Handle;
use crate::value::any_source::AnySource;
use crate::value::sampling::evenly;
use crate::value::source::{Kind, Source, items_at};

/// Characters that are shown of the start of the content, and of its end.
const PREVIEW_CHARS: usize = 100;
/// How much is shown, the most first: characters of each end, keys, and whether the file name is shown next to the
/// address.
const DETAIL: [(usize, usize, bool); 8] = [
    (PREVIEW_CHARS, NAMED_KEYS, true),
    (60, NAMED_KEYS, true),
    (30, NAMED_KEYS, true),
    (15, NAMED_KEYS, true),
    (0, NAMED_KEYS, true),
    (0, 4, true),
    (0, 0, true),
    (0, 0, false),
];

/// What is shown in place of a stored result.
pub(crate) struct Offloaded<'a> {
    pub content: &'a StoredContent,
    /// Its estimated tokens.
    pub estimated_tokens: usize,
    pub description: &'a Description,
    /// Whether it is a text with rows or data in it, which are what is described.
    pub has_rows: bool,
}

impl Offloaded<'_> {
    /// As much of it as fits; `None` if not even the handle fits.
    pub fn fit(&self, ctx: &Context<'_>) -> Option<Fit> {
        DETAIL.into_iter().find_map(|(chars, keys, names_file)| {
            let text = self.text(&ctx.settings.read_tool, chars, keys, names_file);
            ctx.measure.fits(&text, ctx.budget).map(|tokens| Fit { text, tokens })
        })
    }

    fn text(&self, tool: &str, chars: usize, keys: usize, names_file: bool) -> String {
        let Self { content, estimated_tokens, description, has_rows } = self;
        let StoredContent { id, form, bytes, .. } = content;
        let handle = Handle::of(id);
        let mut out = Members::new();
        out.flag("offloaded", true);
        if names_file {
            out.text("filename", &form.key(id));
        }
        out.text("uri", &handle.uri());
        out.escaped("description", &description.written(keys));
        out.number("bytes", *bytes);
        out.number("estimatedTokens", *estimated_tokens);
        out.text("note", &notes::stored::offloaded(tool, handle, *form, *has_rows));
        if chars > 0 {
            let (head, tail) = content.ends(chars);
            let mut preview = Members::new();
            preview.text("head", head);
            preview.text("tail", tail);
            out.object("preview", &preview);
        }
        out.into_object()
    }
}

/// A short description of a value: its kind, keys and size.
pub(crate) enum Description {
    /// A plain text.
    Text,
    /// Its items, with their kinds in the order of a sample.
    List { len: usize, kinds: Vec<Kind>, keys: FirstKeys },
    /// Its members.
    Object { len: usize, keys: FirstKeys },
    /// A string or a number, and its length.
    Scalar(Kind, usize),
}

impl Description {
    /// The description of a value; for a list from a sample of its items.
    pub fn of(value: &AnySource<'_>, form: Form) -> Result<Self, Error> {
        let (kind, len) = (value.kind(), value.len());
        let mut keys = FirstKeys::default();
        Ok(match kind {
            _ if form == Form::Text => Self::Text,
            Kind::Array => {
                let mut kinds = Vec::new();
                for item in items_at(value, &evenly(len, SAMPLED))? {
                    if !kinds.contains(&item.kind()) {
                        kinds.push(item.kind());
                    }
                    keys.read(&item)?;
                }
                Self::List { len, kinds, keys }
            }
            Kind::Object => {
                keys.read(value)?;
                Self::Object { len, keys }
            }
            Kind::String => Self::Scalar(kind, value.chars()),
            _ => Self::Scalar(kind, value.json()?.len()),
        })
    }

    /// The same of a list that has this many items, of which some are known.
    pub fn of_length(self, len: usize) -> Self {
        match self {
            Self::List { kinds, keys, .. } => Self::List { len, kinds, keys },
            other => other,
        }
    }

    /// The description with at most this many keys, as a JSON string literal.
    pub fn written(&self, most: usize) -> String {
        match self {
            Self::Text => "text content".to_owned(),
            Self::List { len, kinds, keys } => {
                let written = |kind: &Kind| match kind {
                    Kind::Object => keys.written(most),
                    kind => kind.name().to_owned(),
                };
                let kinds: Vec<String> = kinds.iter().map(written).collect();
                format!("[{}] ({})", kinds.join(" | "), counted(*len, "item"))
            }
            Self::Object { len, keys } => format!("{} ({})", keys.written(most), counted(*len, "key")),
            Self::Scalar(kind, len) => format!("{} ({})", kind.name(), counted(*len, "character")),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The first keys of an object, or of the objects in a list, each once.
#[derive(Default)]
pub(crate) struct FirstKeys {
    first: Vec<String>,
    are_more: bool,
}

impl FirstKeys {
    fn read(&mut self, object: &AnySource<'_>) -> Result<(), Error> {
        object.entries_where(&mut |_, key| {
            if self.are_more {
                return false;
            }
            let key = short_key(key);
            if !self.first.contains(&key) {
                match self.first.len() == NAMED_KEYS {
                    true => self.are_more = true,
                    false => self.first.push(key),
                }
            }
            false
        })?;
        Ok(())
    }

    fn written(&self, most: usize) -> String {
        let mut shown: Vec<&str> = self.first.iter().take(most).map(String::as_str).collect();
        if self.are_more || shown.len() < self.first.len() {
            shown.push("...");
        }
        format!("{{{}}}", shown.join(", "))
    }
}
