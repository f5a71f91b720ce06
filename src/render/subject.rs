//! What series and grids have in common, for summaries and full results.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::outcome::receipt::Step;
use crate::render::elide;
use crate::render::grid::ListPlace;
use crate::render::notes::{self, overview::Missing};
use crate::render::siblings::Around;
use crate::request::context::{Context, Fit};
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;

/// A series or a grid with its values read.
pub(crate) trait Subject<'v> {
    fn about(&self) -> SubjectAbout<'_, 'v>;

    /// The summary, if one fits, and whether it leaves nothing out.
    fn summary(&self, ending: &Ending<'_>, ctx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error>;

    /// The members that come before the entries of a full result.
    fn head(&self, head: SubjectHead, ctx: &Context<'_>) -> Result<Members, Error>;
}

/// What a series or a grid is.
pub(crate) struct SubjectAbout<'s, 'v> {
    pub kind: &'static str,
    /// The step that makes its summary, for the receipt.
    pub step: Step,
    /// The entries of the full result, and the name of their member.
    pub list: &'s AnySource<'v>,
    pub bulk: &'static str,
    pub place: &'s ListPlace,
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
pub(crate) struct Ending<'c> {
    /// Where the whole result is stored, what is shortened around the list, and what surrounds it.
    pub members: Members,
    pub has_elisions: bool,
    ctx: &'c Context<'c>,
}

impl<'c> Ending<'c> {
    pub fn new(around: &Around, ctx: &'c Context<'c>) -> Self {
        let mut members = Members::new();
        ctx.write_stored(false, &mut members);
        elide::write_elisions(&around.elisions, ctx.budget / ELISION_PARTS, ctx.measure, &mut members);
        around.write(&mut members);
        Self { members, has_elisions: !around.elisions.is_empty(), ctx }
    }

    /// The note that begins with `said`; `missing` is what only the full result contains.
    pub fn note(&self, said: String, missing: Option<Missing>) -> String {
        let handle = self.ctx.stored.as_ref().and_then(Stored::handle);
        notes::overview::ending(said, missing, handle, self.has_elisions, self.ctx)
    }
}
