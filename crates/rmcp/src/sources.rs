//! What results are made from: what a tool returned, or a text and its summary. Each may be shaped several times, because of a
//! store or of `redact`.

use serde_json::{Value, json};
use toolshape::host::{Content, Input, JsonText, Naming, Origin, Replacement, ShapedResult, TextSummary};
use toolshape::{Call, Error, Keep, Shaped, Shaper};

/// What is shaped.
pub trait Shapeable: Send + Sync + 'static {
    type Made: Send + 'static;

    /// The bytes that are read to shape it.
    fn bytes(&self) -> usize;

    /// Shapes it; `contents` are what `redact` returned, or the content that was to be stored.
    fn shape(&self, shaper: &Shaper, input: &Input, contents: &[String], call: &Call) -> Result<Self::Made, Error>;

    /// What of a result is to be stored, and its content.
    fn keep(&self, made: &Self::Made) -> Option<(Keep, String)>;

    /// All that `redact` is to see.
    fn whole(&self, shaper: &Shaper, call: &Call) -> Result<Vec<Content>, Error>;
}

/// A CallToolResult as JSON text.
pub struct ReturnedJson(pub String);

impl Shapeable for ReturnedJson {
    type Made = ShapedResult;

    fn bytes(&self) -> usize {
        self.0.len()
    }

    fn shape(&self, shaper: &Shaper, input: &Input, contents: &[String], call: &Call) -> Result<ShapedResult, Error> {
        let returned = JsonText::parse(&self.0)?;
        if input.origin == Origin::Own || contents.is_empty() {
            return shaper.shape_result(&returned, call);
        }
        let kept = Replacement { contents, is_json: input.origin == Origin::Json, is_redacted: input.is_redacted };
        shaper.shape_kept_result(&returned, &kept, call)
    }

    fn keep(&self, made: &ShapedResult) -> Option<(Keep, String)> {
        let keep = made.keep.clone()?;
        let content = keep.content.clone().unwrap_or_else(|| self.0.clone());
        Some((keep, content))
    }

    fn whole(&self, shaper: &Shaper, call: &Call) -> Result<Vec<Content>, Error> {
        shaper.result_contents(&JsonText::parse(&self.0)?, call)
    }
}

/// A text, and the options of its summary.
pub struct Summarized {
    pub text: String,
    pub summary: Value,
}

impl Shapeable for Summarized {
    type Made = Shaped;

    fn bytes(&self) -> usize {
        self.text.len()
    }

    fn shape(&self, shaper: &Shaper, _: &Input, contents: &[String], call: &Call) -> Result<Shaped, Error> {
        let mut summary = self.summary.clone();
        if let Some(written) = contents.get(1) {
            summary["summary"] = json!(written);
        }
        let text = contents.first().unwrap_or(&self.text);
        shaper.summarize_text(text, &TextSummary::new(&summary, Naming::Camel)?, call)
    }

    fn keep(&self, made: &Shaped) -> Option<(Keep, String)> {
        let keep = made.keep.clone()?;
        let content = keep.content.clone().unwrap_or_else(|| self.text.clone());
        Some((keep, content))
    }

    /// A summary of the server's own is about the whole text, so `redact` gets both.
    fn whole(&self, _: &Shaper, _: &Call) -> Result<Vec<Content>, Error> {
        let own = self.summary["summary"].as_str();
        let content = |text: &str| Content { text: text.to_owned(), is_json: false };
        Ok([Some(self.text.as_str()), own].into_iter().flatten().map(content).collect())
    }
}
