//! What series and grids have in common, for summaries and full results.

use std::sync::Arc;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::outcome::receipt::Step;
use crate::render::elide;
use crate::render::notes::{self, overview::Missing};
use crate::render::siblings::Around;
use crate::request::context::{Context, Fit};
use crate::request::handle::Handle;
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;

/// A series or a grid with its values read.
pub(crate) trait Subject<'v> {
    fn kind(&self) -> &'static str;

    /// The step that makes its summary, for the receipt.
    fn step(&self) -> Step;

    /// The summary, if one fits, and whether it leaves nothing out.
    fn summary(&self, ending: &Ending, ctx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error>;

    /// The members that come before the entries of a full result.
    fn head(&self, head: SubjectHead, ctx: &Context<'_>) -> Result<Members, Error>;

    /// The entries of the full result, and the name of their member.
    fn list(&self) -> &AnySource<'v>;
    fn bulk(&self) -> &'static str;

    /// JSON Pointer to the list.
    fn pointer(&self) -> &str;

    /// Fields of the entries that the policy does not show.
    fn omitted(&self) -> &[String];
}

/// How much comes before the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubjectHead {
    /// Everything, as on the first page.
    Start,
    /// As on later pages.
    Later,
    /// Only names, if nothing else leaves room for an entry.
    Names,
}

/// A list of what is left out may take 1/n of the budget: it is read only by who misses something.
pub(crate) const ELISION_PARTS: usize = 8;

/// What a summary contains besides its entries.
pub(crate) struct Ending {
    /// Where the whole result is stored, what is shortened around the list, and what surrounds it.
    pub members: Members,
    pub has_elisions: bool,
    /// The handle of the whole result, if it is stored.
    handle: Option<Handle>,
    read_tool: Arc<str>,
}

impl Ending {
    pub fn new(around: &Around, ctx: &Context<'_>) -> Self {
        let mut members = Members::new();
        ctx.write_stored(false, &mut members);
        elide::write_elisions(&around.elisions, ctx.budget / ELISION_PARTS, ctx.measure, &mut members);
        around.write(&mut members);
        let handle = ctx.stored.as_ref().and_then(Stored::handle);
        Self {
            members,
            has_elisions: !around.elisions.is_empty(),
            handle,
            read_tool: Arc::clone(&ctx.settings.read_tool),
        }
    }

    /// The end of a note; `missing` is what only the full result contains.
    pub fn sentences(&self, missing: Option<Missing>) -> String {
        notes::overview::ending(&self.read_tool, missing, self.handle, self.has_elisions)
    }
}
