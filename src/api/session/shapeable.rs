//! What is shaped, and stored: what a tool returned, a text, a text and its summary. Each may be shaped several times, because
//! of a store or of `redact`.

use serde_json::Value;

use super::keep::{KeepHeard, KeepNext, KeepState, ToStore, Whole};
use super::{Heard, Next, Slots};
use crate::api::keeping::{Input, Origin};
use crate::api::mcp::{Content, Replacement, ShapedResult};
use crate::api::shaper::Shaper;
use crate::api::summarize_text::TextSummary;
use crate::base::error::{Error, ErrorCode};
use crate::outcome::shaped::Shaped;
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::reader::Naming;
use crate::request::redacts::Redacts;
use crate::value::json_text::JsonText;
use crate::value::redaction::Redaction;

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

/// The state of one value that is kept: it shapes the value itself.
#[derive(Clone, Debug)]
pub struct KeepValue<M> {
    call: Call,
    has_store: bool,
    /// What is declared as secret.
    redaction: Redaction,
    /// Whether the host has a `redact`.
    has_redact: bool,
    state: KeepState,
    made: Option<M>,
}

impl<M> KeepValue<M> {
    /// A result of this call, which has its time, of a host with or without a store.
    pub fn new(call: Call, has_store: bool, redacts: Redacts) -> Self {
        let state = KeepState::new(1, redacts);
        Self { call, has_store, redaction: Redaction::default(), has_redact: true, state, made: None }
    }

    /// The same without what is declared as secret, of a host with or without a `redact`.
    #[must_use]
    pub fn without(self, redaction: Redaction, has_redact: bool) -> Self {
        Self { redaction, has_redact, ..self }
    }

    /// What `redact` did wrong, for the author.
    pub fn take_faults(&mut self) -> Vec<Error> {
        self.state.take_faults()
    }

    /// The next step: at first nothing was heard, later the answers to all effects of the last turn, in their order. `value`
    /// is the same in each step.
    ///
    /// # Errors
    /// Those of the core for a mistake of the author, and for a value that cannot be read; never because of the store.
    pub fn step<V: Shapeable<Made = M>>(
        &mut self,
        heard: Vec<Heard>,
        value: &V,
        slots: &mut Slots<'_>,
        shaper: &Shaper,
    ) -> Result<Next<M>, Error> {
        let mut heard = if heard.is_empty() { KeepHeard::Nothing } else { KeepHeard::Effects(heard) };
        loop {
            heard = match self.state.step(heard, std::slice::from_ref(&self.call), slots, shaper)? {
                KeepNext::Shape(asked) => {
                    let made = asked.into_iter().map(|(input, contents)| {
                        let contents = slots.texts(contents);
                        let mut made = value.shape(shaper, &input, &contents, &self.call_for(&input))?;
                        let to_store = V::keep(&mut made).map(|keep| to_store(keep, || value.own_text(), slots));
                        self.made = Some(made);
                        Ok(to_store)
                    });
                    KeepHeard::Shaped(made.collect::<Result<_, Error>>()?)
                }
                KeepNext::Whole(_) => {
                    let whole = value.whole(shaper, &self.call).map(|contents| {
                        let contents = contents.into_iter().map(|content| (slots.add(content.text), content.is_json));
                        let contents = contents.collect();
                        let whole = Whole { contents, is_consumed: false, is_final: !self.has_redact };
                        whole.without(&self.redaction, slots)
                    });
                    KeepHeard::Whole(vec![whole])
                }
                KeepNext::Wait(effects) => return Ok(Next::Wait(effects)),
                KeepNext::Done => {
                    let nothing = || Error::new(ErrorCode::Internal, "nothing was shaped", "");
                    return self.made.take().map(Next::Done).ok_or_else(nothing);
                }
            };
        }
    }

    fn call_for(&self, input: &Input) -> Call {
        let call = self.call.clone();
        match input {
            Input { redact_failure: Some(reason), .. } => Call { redact_failure: Some(reason.into()), ..call },
            Input { store_failure: Some(reason), .. } => call.with_store_failure(reason),
            _ if self.has_store => call.with_store(),
            _ => call,
        }
    }
}

/// What is to be stored, with its contents in slots.
fn to_store(keep: &mut Keep, own_text: impl FnOnce() -> String, slots: &mut Slots<'_>) -> ToStore {
    let content = slots.add(keep.content.take().unwrap_or_else(own_text));
    let images = keep.images.as_mut().map(|images| Box::new(to_store(images, String::new, slots)));
    let (key, ticket, owner, about) = (keep.key.clone(), keep.ticket.clone(), keep.owner.clone(), keep.about.clone());
    ToStore { key, ticket, owner, content, about, images }
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
        let text = contents.first().unwrap_or(&self.text);
        shaper.summarize_text(text, &TextSummary::new(&self.summary, Naming::Camel)?, call)
    }

    fn keep(made: &mut Shaped) -> Option<&mut Keep> {
        made.keep.as_mut()
    }

    fn own_text(&self) -> String {
        self.text.clone()
    }

    fn whole(&self, _: &Shaper, _: &Call) -> Result<Vec<Content>, Error> {
        Ok(vec![Content { text: self.text.clone(), is_json: false }])
    }
}
