//! Which results pass unchanged, decided without shaping them: values, texts, and CallToolResults with one text.
//!
//! A result passes if the policy lets pass what fits, the call asks for nothing else, it is not a list that is paged, and it
//! fits. Only the ladder decides the rest: whatever passes here passes there, as the same text with the same receipt.

use toolshape_json::most_items;

use crate::api::mcp::host::Host;
use crate::api::shaper::Shaper;
use crate::base::tokens::{Encoding, count_tokens, surely_fits};
use crate::outcome::receipt::Receipt;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::context::has_few_rows;
use crate::request::policy::{Format, MIN_BUDGET, ReadAs, ReceiptIn, Settings};
use crate::value::source::Source;
use crate::value::token_count::Measure;

/// Texts with more bytes per token of the budget are counted by the ladder: the check without counting almost never
/// succeeds on them.
const MOST_BYTES: usize = 2;
/// No text of a few words has as many bytes for a token.
const MOST_BYTES_OF_TOKENS: usize = 16;
/// JSON is shown without it (RFC 8259, section 8.1).
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What decides which texts of one tool pass to one client, whatever the arguments of the call are. A host finds it out
/// once, because all but the text is the same in every call.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Passing {
    tool: Option<String>,
    budget: usize,
    encoding: Encoding,
    /// A list with more rows is paged; `None` where a text is never read as a list.
    paginate_after: Option<usize>,
    /// Whether results carry receipts.
    receipt: ReceiptIn,
    /// The client's host, if it does not show everything.
    host: Option<Host>,
}

/// A result that passes unchanged.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Passed {
    text: String,
    rule: Passing,
}

impl Shaper {
    /// A result that passes unchanged, if that is certain without counting its tokens.
    ///
    /// `None` says nothing about the result, which may not even be readable: shape it to find out.
    ///
    /// ```
    /// use toolshape::host::ToolOutput;
    /// use toolshape::{Call, Shaper};
    ///
    /// let call = Call::default();
    /// let passed = Shaper::default().pass(&ToolOutput::json(r#"{"id": 1}"#, &call)?).unwrap();
    /// assert_eq!((passed.text(), passed.receipt().tokens_after), (r#"{"id": 1}"#, 6));
    /// assert!(Shaper::default().pass(&ToolOutput::text(&"word ".repeat(1000), &call)).is_none());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn pass(&self, output: &ToolOutput<'_>) -> Option<Passed> {
        let ToolOutput { value, given, call, .. } = output;
        let settings = self.settings_that_pass(call)?;
        let is_plain = call.check_redacted().is_ok() && !call.asks_for_part() && output.snapshot.is_none();
        let most = settings.room().saturating_mul(MOST_BYTES);
        if !is_plain
            || !has_few_rows(value, settings.paginate_after)
            || given.map_or_else(|| value.min_bytes(most), str::len) > most
            || given.is_some_and(|text| text.starts_with(BYTE_ORDER_MARK))
        {
            return None;
        }
        let text = output.own_text().ok()?;
        let fits = surely_fits(&text, settings.room(), settings.encoding);
        fits.then(|| Passed { text, rule: Passing::new(settings, call.tool_name(), Host::of(None)) })
    }

    /// What decides which texts of a tool pass to a client in calls that ask for no part. `None` where more than the text
    /// decides.
    ///
    /// ```
    /// use toolshape::{Call, Shaper};
    ///
    /// let shaper = Shaper::default();
    /// let passing = shaper.passing(Some("list"), None).unwrap();
    /// let call = Call::of(Some("list"), None);
    /// assert_eq!(passing.receipt("[1, 2]"), shaper.shape_text_result("[1, 2]", &call)?.receipt);
    /// assert_eq!(passing.receipt(&"word ".repeat(4000)), None);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn passing(&self, tool: Option<&str>, client: Option<&str>) -> Option<Passing> {
        let call = Call::of(tool, client);
        // A receipt in `_meta` makes another result of it.
        let settings = self.settings_that_pass(&call).filter(|settings| settings.receipt == ReceiptIn::None)?;
        Some(Passing::new(settings, tool, Host::of(client)))
    }

    /// The settings of a call, if what fits passes unless the call asks for another form of it.
    fn settings_that_pass(&self, call: &Call) -> Option<&Settings> {
        let is_shown_as_it_is = |settings: &&Settings| matches!(settings.format, None | Some(Format::Json));
        let settings = self.settings(call).ok().filter(is_shown_as_it_is)?;
        (!settings.is_left_alone() && settings.declared.is_none()).then_some(settings)
    }
}

impl Passing {
    fn new(settings: &Settings, tool: Option<&str>, host: Host) -> Self {
        Self {
            tool: tool.map(str::to_owned),
            budget: budget(settings, host),
            encoding: settings.encoding,
            paginate_after: (settings.text != ReadAs::Plain).then_some(settings.paginate_after),
            receipt: settings.receipt,
            host: Some(host).filter(|host| !host.is_plain()),
        }
    }

    /// The receipt of a CallToolResult whose only member is `content` with one text, if that passes: then
    /// [`shape_text_result`](Shaper::shape_text_result) makes the same one for every such call. `None` says nothing about
    /// the result: shape it to find out.
    pub fn receipt(&self, text: &str) -> Option<Receipt> {
        Some(self.receipt_of(text, self.tokens(text)?))
    }

    /// Whether a result of that many bytes may pass, without reading it: a longer one is shaped, with the same outcome.
    pub fn may_pass(&self, bytes: usize) -> bool {
        bytes / MOST_BYTES_OF_TOKENS <= self.budget
    }

    /// The most tokens of a text.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// The tokens of a text that has a [`receipt`](Self::receipt).
    pub fn tokens(&self, text: &str) -> Option<usize> {
        if self.may_be_paged(text) {
            return None;
        }
        let tokens = Measure { encoding: self.encoding }.fits(text, self.budget)?;
        let shows_it = |host: &Host| {
            let size = host.size_of(text, tokens, Measure { encoding: self.encoding });
            host.share(size, None).is_none() && size.tokens <= self.budget && !host.refuses(text)
        };
        self.host.as_ref().is_none_or(shows_it).then_some(tokens)
    }

    fn receipt_of(&self, text: &str, tokens: usize) -> Receipt {
        Receipt::unchanged(self.tool.as_deref(), (tokens, text.len()), Some(self.budget), self.encoding, self.receipt)
    }

    /// Whether a text could be a list with enough rows to be paged. Nothing else is paged before it is counted.
    fn may_be_paged(&self, text: &str) -> bool {
        text.trim_ascii_start().starts_with('[') && self.paginate_after.is_some_and(|most| most_items(text) > most)
    }
}

impl Passed {
    /// The tool's own text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The receipt; computed now.
    pub fn receipt(&self) -> Receipt {
        self.rule.receipt_of(&self.text, count_tokens(&self.text, self.rule.encoding))
    }
}

/// The tokens that each channel of a result may have: those of the policy or, if these are fewer, of the host.
pub(crate) fn budget(settings: &Settings, host: Host) -> usize {
    settings.room().min(host.tokens().max(MIN_BUDGET))
}
