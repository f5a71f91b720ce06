//! What is shaped, and stored: what a tool returned, a text, a text and its summary. Each may be shaped several times, because
//! of a store or of `redact`.

use serde_json::{Value, json};

use crate::api::keeping::{Input, Origin};
use crate::api::mcp::{Content, Replacement, ShapedResult};
use crate::api::shaper::Shaper;
use crate::api::summarize_text::TextSummary;
use crate::base::error::Error;
use crate::outcome::shaped::Shaped;
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::reader::Naming;
use crate::value::json_text::JsonText;

/// A value of a host that is shaped.
pub trait Shapeable {
    type Made;

    /// Shapes it; `contents` are what `redact` returned, or the content that was to be stored.
    ///
    /// # Errors
    /// Those of [`Shaper::shape`].
    fn shape(&self, shaper: &Shaper, input: &Input, contents: &[String], call: &Call) -> Result<Self::Made, Error>;

    /// What of a result is to be stored.
    fn keep(made: &mut Self::Made) -> Option<&mut Keep>;

    /// The text that a [`Keep`] without content stores.
    fn own_text(&self) -> String;

    /// All that `redact` is to see.
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    fn whole(&self, shaper: &Shaper, call: &Call) -> Result<Vec<Content>, Error>;
}

/// A CallToolResult as JSON text.
#[derive(Debug)]
pub struct ReturnedJson(pub String);

impl Shapeable for ReturnedJson {
    type Made = ShapedResult;

    fn shape(&self, shaper: &Shaper, input: &Input, contents: &[String], call: &Call) -> Result<ShapedResult, Error> {
        let returned = JsonText::parse(&self.0)?;
        if input.origin == Origin::Own || contents.is_empty() {
            return shaper.shape_result(&returned, call);
        }
        let kept = Replacement { contents, is_json: input.origin == Origin::Json, is_redacted: input.is_redacted };
        shaper.shape_kept_result(&returned, &kept, call)
    }

    fn keep(made: &mut ShapedResult) -> Option<&mut Keep> {
        made.keep.as_mut()
    }

    fn own_text(&self) -> String {
        self.0.clone()
    }

    fn whole(&self, shaper: &Shaper, call: &Call) -> Result<Vec<Content>, Error> {
        shaper.result_contents(&JsonText::parse(&self.0)?, call)
    }
}

/// JSON text or plain text.
#[derive(Clone, Copy, Debug)]
pub struct GivenText<'a> {
    pub text: &'a str,
    pub is_json: bool,
}

impl Shapeable for GivenText<'_> {
    type Made = Shaped;

    fn shape(&self, shaper: &Shaper, input: &Input, contents: &[String], call: &Call) -> Result<Shaped, Error> {
        let (text, is_json) = match contents {
            [redacted, ..] if input.is_redacted => (redacted.as_str(), input.origin == Origin::Json),
            _ => (self.text, self.is_json),
        };
        if is_json { shaper.shape_json(text, call) } else { shaper.shape_text(text, call) }
    }

    fn keep(made: &mut Shaped) -> Option<&mut Keep> {
        made.keep.as_mut()
    }

    fn own_text(&self) -> String {
        self.text.to_owned()
    }

    fn whole(&self, _: &Shaper, _: &Call) -> Result<Vec<Content>, Error> {
        Ok(vec![Content { text: self.text.to_owned(), is_json: self.is_json }])
    }
}

/// A text, and the options of its summary.
#[derive(Debug)]
pub struct Summarized {
    pub text: String,
    pub summary: Value,
}

impl Shapeable for Summarized {
    type Made = Shaped;

    fn shape(&self, shaper: &Shaper, _: &Input, contents: &[String], call: &Call) -> Result<Shaped, Error> {
        let mut summary = self.summary.clone();
        if let Some(written) = contents.get(1) {
            summary["summary"] = json!(written);
        }
        let text = contents.first().unwrap_or(&self.text);
        shaper.summarize_text(text, &TextSummary::new(&summary, Naming::Camel)?, call)
    }

    fn keep(made: &mut Shaped) -> Option<&mut Keep> {
        made.keep.as_mut()
    }

    fn own_text(&self) -> String {
        self.text.clone()
    }

    /// A summary of the server's own is about the whole text, so `redact` gets both.
    fn whole(&self, _: &Shaper, _: &Call) -> Result<Vec<Content>, Error> {
        let own = self.summary["summary"].as_str();
        let content = |text: &str| Content { text: text.to_owned(), is_json: false };
        Ok([Some(self.text.as_str()), own].into_iter().flatten().map(content).collect())
    }
}
