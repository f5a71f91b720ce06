//! The images of a result: what each costs, which of them pass, and the note in place of the others.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::api::links;
use crate::base::error::Error;
use crate::base::json_string;
use crate::base::members::Members;
use crate::ladder::job::Job;
use crate::outcome::receipt::{Reason, Step};
use crate::outcome::to_store::Keep;
use crate::outcome::tool_output::ToolOutput;
use crate::render::notes;
use crate::render::notes::images::HowToSee;
use crate::request::policy::MIN_BUDGET;
use crate::request::stored::Stored;
use crate::value::any_source::AnySource;
use crate::value::gathered::Gathered;
use crate::value::json_text::JsonText;
use crate::value::source::Source;

use super::host::Host;
use super::returned::{self, ToolResult};
use super::shape_result::ResultShaper;
use super::shaped_result::{Block, ShapedResult};
use super::text_size::TextSize;

/// Anthropic's formula: the pixels of a token, after an image was scaled down to the longest edge and the most tokens
/// (<https://docs.claude.com/en/docs/build-with-claude/vision>). Other models take about as many.
const PIXELS_OF_TOKEN: f64 = 750.0;
const LONGEST_EDGE: f64 = 1568.0;
const MOST_TOKENS: usize = 1600;
/// The characters of base64 of a token, from which tokens are estimated where no size can be read.
const CHARS_OF_TOKEN: usize = 2;
/// The characters of base64 in which a header is looked for. Before the size of a JPEG is its metadata: Exif of at most 64 KB,
/// a thumbnail, and a profile of colours.
const HEADER_CHARS: usize = 256 * 1024;

/// More than the note has.
const NOTE_TOKENS: usize = MIN_BUDGET / 2;
/// The longest name of a type that is shown.
const TYPE_CHARS: usize = 64;

/// A block has type, data, mimeType, annotations and _meta. What has many more is not read as one.
const MOST_MEMBERS: usize = 16;

/// What is known of an image.
#[derive(Debug, PartialEq)]
pub(crate) struct Image {
    pub mime: Option<String>,
    /// Width and height in pixels.
    pub size: Option<(usize, usize)>,
    pub tokens: usize,
}

impl Image {
    /// The image in a block; `None` for any other value.
    ///
    /// # Errors
    /// Whatever reading the block reports.
    pub fn in_block(block: &AnySource<'_>) -> Result<Option<Self>, Error> {
        if block.len() > MOST_MEMBERS || !returned::is_image(block)? {
            return Ok(None);
        }
        let members = block.entries()?;
        let start = |name: &str, chars: usize| -> Result<Option<String>, Error> {
            let text = returned::member(&members, name).filter(|_| returned::has_text(&members, name));
            text.map(|text| Ok(json_string::unescape(&text.slice(0, chars)?))).transpose()
        };
        let size = start("data", HEADER_CHARS)?.and_then(|base64| size_of(&base64));
        let chars = returned::member(&members, "data").map_or(0, Source::chars);
        let tokens = size.map_or_else(|| (chars / CHARS_OF_TOKEN).min(MOST_TOKENS), tokens_of);
        Ok(Some(Self { mime: start("mimeType", TYPE_CHARS)?, size, tokens }))
    }
}

/// Width and height of an image, from the start of its base64.
fn size_of(base64: &str) -> Option<(usize, usize)> {
    let mut digits: Vec<u8> = base64.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.truncate(digits.len() / 4 * 4);
    let bytes = STANDARD.decode(digits).ok()?;
    let size = imagesize::reader_size(Cursor::new(bytes)).ok()?;
    Some((size.width, size.height))
}

fn tokens_of((width, height): (usize, usize)) -> usize {
    let (width, height) = (width as f64, height as f64);
    let scale = (LONGEST_EDGE / width.max(height)).min(1.0);
    ((width * scale * height * scale / PIXELS_OF_TOKEN).ceil() as usize).min(MOST_TOKENS)
}

/// The images of one result: those that pass, and what replaces the others.
pub(super) struct Images {
    count: usize,
    /// The most that may pass, by the policy; `None` for a host that writes images as text.
    most: Option<usize>,
    /// The tokens of all, and of those that pass.
    all_tokens: usize,
    tokens: usize,
    /// The indices of the blocks that are left out.
    left_out: Vec<usize>,
    /// Replaces the first that is left out.
    note: Option<(Block, TextSize)>,
    keep: Option<Keep>,
}

impl Images {
    /// Chooses the images that pass: as many as the policy says, and as fit the budget. `texts` are the tokens of the rest of
    /// the result; `None` if it is over the budget. A host that writes images as text gets none.
    ///
    /// # Errors
    /// Whatever reading the images reports.
    pub fn of(result: &ToolResult<'_>, texts: Option<usize>, shaper: &ResultShaper<'_>) -> Result<Self, Error> {
        let most = Some(shaper.settings.images).filter(|_| !shaper.host.writes_images_as_text());
        let mut costs = Vec::new();
        for &at in &result.images {
            costs.push((at, Image::in_block(&result.blocks[at])?.map_or(0, |image| image.tokens)));
        }
        let (count, all_tokens) = (costs.len(), costs.iter().map(|(_, tokens)| tokens).sum());
        let (left_out, note, keep) = (Vec::new(), None, None);
        let mut images = Self { count, most, all_tokens, tokens: all_tokens, left_out, note, keep };
        let budget = shaper.settings.room();
        let may_pass = most.unwrap_or_default();
        if count <= may_pass && texts.is_some_and(|texts| texts + all_tokens <= budget) {
            return Ok(images);
        }
        // The note, and the texts if there are any, have at least what they need.
        let room = budget.saturating_sub(NOTE_TOKENS + if texts == Some(0) { 0 } else { MIN_BUDGET });
        images.tokens = 0;
        for (passed, (at, tokens)) in costs.into_iter().enumerate() {
            if passed - images.left_out.len() < may_pass && images.tokens + tokens <= room {
                images.tokens += tokens;
            } else {
                images.left_out.push(at);
            }
        }
        if !images.left_out.is_empty() {
            images.write_note(result, shaper)?;
        }
        Ok(images)
    }

    /// The tokens that the images and the note take.
    pub fn tokens(&self) -> usize {
        self.tokens + self.note.as_ref().map_or(0, |(_, size)| size.tokens)
    }

    /// Stores the images that are left out: one as its block, several as a list of blocks.
    fn write_note(&mut self, result: &ToolResult<'_>, shaper: &ResultShaper<'_>) -> Result<(), Error> {
        let ResultShaper { settings, call, host } = shaper;
        let blocks: Vec<_> = self.left_out.iter().map(|&at| result.blocks[at].clone()).collect();
        let whole = match &blocks[..] {
            [one] => one.clone(),
            _ => AnySource::new(Gathered::list(blocks)),
        };
        let job = Job::new(ToolOutput::value(&whole, call), settings);
        let stored = if host.writes_images_as_text() { None } else { job.stored()? };
        self.keep = job.with_content(|content| Ok(Keep { about: job.about(content), ..content.keep() }))?;
        if let Some(keep) = &mut self.keep {
            keep.content = Some(whole.json()?.into_owned());
        }
        let handle = stored.as_ref().and_then(Stored::handle);
        let (left, tokens) = (self.left_out.len(), self.all_tokens - self.tokens);
        let how = match (host.writes_images_as_text(), handle) {
            (true, _) => HowToSee::NotHere,
            (false, Some(handle)) => HowToSee::Read(&settings.read_tool, handle),
            (false, None) => HowToSee::NotStored,
        };
        let note = notes::images::left_out((left, self.count), tokens, how);
        let is_seen = result.structured.is_none() || host.shows_text() || host.drops_links_beside();
        let link = match handle {
            Some(handle) if !is_seen => links::to_stored(handle, notes::images::LINK_NAME, &note),
            _ => {
                let mut out = Members::new();
                out.number("imagesLeftOut", left);
                if let Some(stored) = &stored {
                    stored.write(false, settings.room(), &mut out);
                }
                out.text("note", &note);
                let text = out.into_object();
                self.note = Some((Block::text(&text), TextSize::of(&text, shaper.measure())));
                return Ok(());
            }
        };
        self.note = Some((Block::Json(link.clone()), TextSize::of(&link, shaper.measure())));
        Ok(())
    }

    /// The shaped result with the images that pass, and the note in place of the others.
    pub fn put_into(self, shaped: ShapedResult, budget: usize) -> ShapedResult {
        let note_size = self.note.as_ref().map_or(TextSize::default(), |(_, size)| *size);
        let is_whole = self.left_out.is_empty();
        let mut shaped = ShapedResult { unchanged: shaped.unchanged && is_whole, ..shaped };
        if let Some(receipt) = &mut shaped.receipt {
            receipt.tokens_before += self.all_tokens;
            receipt.tokens_after += self.tokens + note_size.tokens;
            receipt.bytes += note_size.bytes;
            receipt.budget = Some(budget);
            if !is_whole {
                receipt.steps.push(Step::Images);
                let reason = match self.most {
                    Some(most) if self.count > most => Reason::Images { count: self.count, most },
                    _ => Reason::Tokens,
                };
                receipt.reason.get_or_insert(reason);
            }
        }
        let (mut note, mut content) = (self.note.map(|(block, _)| block), Vec::new());
        for block in shaped.content {
            match block {
                Block::Own(at) if self.left_out.contains(&at) => content.extend(note.take()),
                other => content.push(other),
            }
        }
        shaped.content = content;
        match (&mut shaped.keep, self.keep) {
            (Some(keep), images) => keep.images = images.map(Box::new),
            (none, images) => *none = images,
        }
        shaped
    }
}

/// What a call of `read_result` shows of a stored image: the block, and a text about it for readers of texts.
pub(crate) struct OpenedImage {
    /// The block as JSON; `None` for a host that would write it as text.
    pub block: Option<String>,
    pub text: String,
    pub tokens: usize,
}

impl OpenedImage {
    /// The image in a part of a stored result; `None` for another value.
    ///
    /// # Errors
    /// Whatever reading it reports.
    pub fn of(block: &JsonText<'_>, host: Host) -> Result<Option<Self>, Error> {
        let Some(Image { mime: Some(mime), size, tokens }) = Image::in_block(&AnySource::new(block.clone()))? else {
            return Ok(None);
        };
        if !mime.starts_with("image/") {
            return Ok(None);
        }
        let mut text = Members::new();
        text.text("mimeType", &mime);
        if let Some((width, height)) = size {
            text.number("width", width);
            text.number("height", height);
        }
        text.text("note", notes::images::AS_TEXT);
        let shown = (!host.writes_images_as_text()).then(|| block.span().to_owned());
        Ok(Some(Self { block: shown, text: text.into_object(), tokens }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_read_from_the_header() {
        let of = |bytes: &[u8]| size_of(&STANDARD.encode(bytes));
        let png =
            [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &640u32.to_be_bytes(), &480u32.to_be_bytes(), &[0; 9]].concat();
        assert_eq!(of(&png), Some((640, 480)));
        assert_eq!(of(b"GIF89a\x0a\0\x14\0\0\0\0\0"), Some((10, 20)));
        let exif = [&b"\xff\xd8\xff\xe1"[..], &60_002u16.to_be_bytes(), &[1; 60_000]].concat();
        let jpeg =
            [&exif[..], b"\xff\xc0\0\x11\x08\x01\x2c\x02\x58\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xd9"].concat();
        assert_eq!(of(&jpeg), Some((600, 300)));
        let webp = [&b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0"[..], &[0x0f, 0, 0, 0x07, 0, 0]].concat();
        assert_eq!(of(&webp), Some((16, 8)));
        assert_eq!(of(b"<svg width='9' height='9'/>"), None);
        assert_eq!(size_of("not base64!"), None);
    }

    #[test]
    fn tokens_are_those_of_the_image_as_it_is_scaled() {
        // Figures of Anthropic's page: 200 x 200 pixels are about 54 tokens, 1000 x 1000 about 1334.
        assert_eq!(tokens_of((200, 200)), 54);
        assert_eq!(tokens_of((1000, 1000)), 1334);
        assert_eq!(tokens_of((1092, 1092)), 1590);
        assert_eq!(tokens_of((4000, 4000)), MOST_TOKENS);
        assert_eq!(tokens_of((15_680, 750)), 157);
        assert_eq!(tokens_of((0, 0)), 0);
    }
}
