//! What series and grids have in common, as summary and full result write them.

use crate::base::error::Error;
use crate::render::elide;
use crate::render::siblings::Around;
use crate::request::context::Context;
use crate::request::context::Fit;
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;

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
    pub fn new(around: &Around, cx: &Context<'_>) -> Self {
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

/// The elisions as a member with a comma behind it; empty where there are none.
pub(crate) fn elisions(elisions: &[elide::Elision], cx: &Context<'_>) -> String {
    match elisions {
        [] => String::new(),
        some => elide::members(some, "", cx.budget / 8, cx.measure) + ",",
    }
}
