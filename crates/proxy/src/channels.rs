//! What a result has in each channel, and which hosts do not show all of it.

use crate::relay::message::{member, text};
use toolshape::Error;
use toolshape::host::{Host, TextSize, dense};
use toolshape::host::{JsonText, Measure, Source};

/// The texts and the structured content of a CallToolResult.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    /// The text of each block that has one, and is not for the user alone.
    pub texts: Vec<String>,
    /// The structured content as the server wrote it, and as hosts pass it on: minified.
    pub structured_as_sent: Option<String>,
    pub structured: Option<String>,
    /// Blocks without text: images, audio, links, blobs.
    pub other_blocks: usize,
}

impl Channels {
    /// The channels of a result, a JSON text.
    ///
    /// # Errors
    /// As [`JsonText::parse`].
    pub fn read(result: &str) -> Result<Self, Error> {
        Self::of(&JsonText::parse(result)?)
    }

    /// The channels of a result.
    ///
    /// # Errors
    /// Content that is not JSON.
    pub fn of(result: &JsonText<'_>) -> Result<Self, Error> {
        let mut channels = Self::default();
        let blocks = member(result, "content").map_or(Ok(Vec::new()), |content| content.items(0, usize::MAX))?;
        for block in blocks.into_iter().filter(|block| !is_for_user_alone(block)) {
            let resource = member(&block, "resource");
            let said = member(&block, "text").or_else(|| resource.and_then(|resource| member(&resource, "text")));
            match said.as_ref().and_then(text) {
                Some(text) => channels.texts.push(text),
                None => channels.other_blocks += 1,
            }
        }
        let structured = member(result, "structuredContent").filter(|value| value.span() != "null");
        channels.structured_as_sent = structured.as_ref().map(|value| value.span().to_owned());
        channels.structured = structured.map(|value| value.minified().into_owned());
        Ok(channels)
    }

    /// The tokens that the dense form saves in the texts, compared with minified JSON.
    pub fn dense(&self, measure: Measure) -> usize {
        let saved = |text: &String| {
            let json = JsonText::parse(text).ok()?.minified();
            let (_, tokens) = dense(&json, measure)?;
            Some(measure.count(&json).saturating_sub(tokens))
        };
        self.texts.iter().filter_map(saved).sum()
    }

    pub fn size(&self, measure: Measure) -> Size {
        let sizes: Vec<TextSize> = self.texts.iter().map(|text| TextSize::of(text, measure)).collect();
        Size {
            content: sizes.iter().fold(TextSize::default(), |all, one| all.and(*one)),
            largest: sizes.iter().fold(TextSize::default(), |all, one| all.max(*one)),
            structured: self.structured.as_ref().map(|json| TextSize::of(json, measure)),
        }
    }
}

/// Whether the annotations of a block say that no model reads it.
fn is_for_user_alone(block: &JsonText<'_>) -> bool {
    let audience = member(block, "annotations").and_then(|annotations| member(&annotations, "audience"));
    let audience = audience.and_then(|audience| audience.items(0, usize::MAX).ok()).unwrap_or_default();
    !audience.is_empty() && audience.iter().all(|one| text(one).as_deref() == Some("user"))
}

/// The size of a result in each channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Of all texts together, and of the largest of them.
    pub content: TextSize,
    pub largest: TextSize,
    pub structured: Option<TextSize>,
}

/// A host that does not show all of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    pub host: &'static Host,
    /// The share that is shown, in tenths of a percent.
    pub shown: usize,
}

impl Size {
    /// The larger channel: what a host shows at most.
    pub fn most(&self) -> TextSize {
        self.structured.map_or(self.content, |structured| self.content.max(structured))
    }

    /// The hosts that do not show all of it, in the order of their limits.
    pub fn over(&self) -> Vec<Over> {
        let over = |host: &'static Host| {
            let content = if host.is_by_block { self.largest } else { self.content };
            let shown = host.shown(content, self.structured)?;
            Some(Over { host, shown: (shown * 1000.0) as usize })
        };
        Host::limited().filter_map(over).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolshape::Encoding;

    const MEASURE: Measure = Measure { encoding: Encoding::O200kBase };

    #[test]
    fn each_channel_is_measured_as_a_host_reads_it() {
        let result = r#"{"content":[{"type":"text","text":"two words"},{"type":"image","data":"","mimeType":"image/png"},
            {"type":"text","text":"for the eye alone","annotations":{"audience":["user"]}},
            {"type":"resource","resource":{"uri":"a:b","text":"größe"}}],"structuredContent":{ "a": 1 }}"#;
        let channels = Channels::read(result).unwrap();
        assert_eq!(channels.texts, ["two words", "größe"]);
        assert_eq!((channels.structured.as_deref(), channels.other_blocks), (Some(r#"{"a":1}"#), 1));
        let size = channels.size(MEASURE);
        assert_eq!((size.content.bytes, size.content.chars, size.largest.bytes), (16, 14, 9));
        assert_eq!(size.structured.unwrap().bytes, 7);
        assert!(size.over().is_empty());
    }

    #[test]
    fn a_host_is_over_its_limit_by_the_channel_that_it_shows() {
        let size = |texts: &[&str], structured: &str| {
            let content: Vec<_> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            let result = json!({ "content": content, "structuredContent": { "a": structured } });
            Channels::read(&result.to_string()).unwrap().size(MEASURE)
        };
        let names = |size: Size| -> Vec<&str> { size.over().iter().map(|over| over.host.title).collect() };
        assert_eq!(names(size(&[], &"word ".repeat(1700))), ["Cline", "VS Code"]);
        assert_eq!(names(size(&[&"word ".repeat(1700)], "")), ["Cline"]);
        let long = "word ".repeat(30_000);
        let content = names(size(&[&long], ""));
        assert_eq!(content, ["Cline", "Copilot CLI", "Qwen Code", "Gemini CLI", "opencode"]);
        // goose has its limit for each block.
        assert_eq!(names(size(&[&long, &long], "")), content);
        assert!(names(size(&[&long.repeat(2)], "")).contains(&"goose"));
        let over = size(&[], &"word ".repeat(4000)).over();
        assert_eq!((over[0].host.title, over[0].shown), ("Cline", 399));
    }
}
