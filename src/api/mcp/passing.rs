//! The texts of a tool that pass to a client unchanged, whatever the arguments of the call are.
//!
//! All that decides this but the text is the same in every call of the tool by the client, so a host finds it out once.

use toolshape_json::most_items;

use super::channel_size::ChannelSize;
use super::host::Host;
use super::shaping::Shaping;
use crate::api::fast_path::passes_what_fits;
use crate::api::shaper::Shaper;
use crate::base::tokens::Encoding;
use crate::outcome::receipt::Receipt;
use crate::request::call::Call;
use crate::request::policy::ReadAs;
use crate::value::token_count::Measure;

/// What decides which texts of one tool pass to one client.
#[derive(Clone, Debug)]
pub struct Passing {
    tool: Option<String>,
    budget: usize,
    encoding: Encoding,
    /// A list with more rows is paged; `None` where a text is never read as a list.
    paginate_after: Option<usize>,
    /// The client's host, if it does not show everything.
    host: Option<Host>,
}

#[doc(hidden)]
impl Shaper {
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
        let settings = self.settings(&call).ok().filter(|settings| passes_what_fits(settings))?;
        let host = Host::of(client);
        Some(Passing {
            tool: tool.map(str::to_owned),
            budget: Shaping { settings, call: &call, host }.budget(),
            encoding: settings.encoding,
            paginate_after: (settings.text != ReadAs::Plain).then_some(settings.paginate_after),
            host: Some(host).filter(Host::has_limit),
        })
    }
}

impl Passing {
    /// The receipt of a CallToolResult whose only member is `content` with one text, if that passes: then
    /// [`shape_text_result`](Shaper::shape_text_result) makes the same one for every such call. `None` says nothing about
    /// the result: shape it to find out.
    pub fn receipt(&self, text: &str) -> Option<Receipt> {
        let size = (self.tokens(text)?, text.len());
        Some(Receipt::unchanged(self.tool.as_deref(), size, self.budget, self.encoding))
    }

    /// The tokens of a text that has a [`receipt`](Self::receipt).
    pub fn tokens(&self, text: &str) -> Option<usize> {
        if self.may_be_paged(text) {
            return None;
        }
        let tokens = Measure { encoding: self.encoding }.fits(text, self.budget)?;
        let shows_it = |host: &Host| host.share(ChannelSize::counted(text, tokens), None).is_none();
        self.host.as_ref().is_none_or(shows_it).then_some(tokens)
    }

    /// Whether a text could be a list of so many rows that it is paged. Nothing else is paged before it is counted.
    fn may_be_paged(&self, text: &str) -> bool {
        text.trim_ascii_start().starts_with('[') && self.paginate_after.is_some_and(|most| most_items(text) > most)
    }
}
