//! The notes in place of images.

use crate::request::handle::Handle;

/// The name of the link to images that are left out.
pub(crate) const LINK_NAME: &str = "images that are left out";

/// What a reader of texts reads of an image.
pub(crate) const AS_TEXT: &str = "An image; a text does not show it.";

/// How a model sees an image that is left out.
pub(crate) enum HowToSee<'a> {
    /// By a call of the tool that reads stored results.
    Read(&'a str, Handle),
    /// Nothing keeps it.
    NotStored,
    /// Its client would show it as text.
    NotHere,
}

/// The note of images that are left out: how many of all, and their tokens.
pub(crate) fn left_out((left, all): (usize, usize), tokens: usize, how: HowToSee<'_>) -> String {
    let of = match (left, all) {
        (1, 1) => "The image is".to_owned(),
        (1, _) => format!("1 of {all} images is"),
        _ => format!("{left} of {all} images are"),
    };
    let how = match how {
        HowToSee::Read(tool, handle) if left == 1 => format!("To see it, call {tool} with handle set to {handle}."),
        HowToSee::Read(tool, handle) => format!(
            "To see one, call {tool} with handle set to {handle} and pointer set to one of /0 to /{}.",
            left - 1
        ),
        HowToSee::NotStored => "There is no call to see what is left out.".to_owned(),
        HowToSee::NotHere => "This client shows images as text.".to_owned(),
    };
    format!("{of} left out, about {tokens} tokens. {how}")
}
