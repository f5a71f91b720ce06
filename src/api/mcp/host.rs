//! What hosts do to a tool's result before the model sees it: how much of it they show, and which channel.
//!
//! From their source code or documentation in November 2026. A host that is not listed has no limit of its own and may
//! read either channel.

use super::channel_size::ChannelSize;
use crate::base::error::Error;
use crate::outcome::shaped::Shaped;

/// The part of a result that a host shows to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownChannel {
    /// Always `content`.
    Content,
    /// `structuredContent`; `content` only if there is none.
    Structured,
    Either,
}

/// What a host shows of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// The start of its name, in lower case, as the client sends it to servers.
    name: &'static str,
    channel: ShownChannel,
    limit: ChannelSize,
}

const NO_LIMIT: ChannelSize = ChannelSize { tokens: usize::MAX, bytes: usize::MAX, chars: usize::MAX };
const ANY: Host = Host { name: "", channel: ShownChannel::Either, limit: NO_LIMIT };

const HOSTS: [Host; 7] = [
    // A result over either limit is written to a file, and a preview is shown.
    Host {
        name: "claude-code",
        channel: ShownChannel::Structured,
        limit: ChannelSize { tokens: 25_000, chars: 50_000, ..NO_LIMIT },
    },
    // The middle is removed.
    Host { name: "codex", channel: ShownChannel::Structured, limit: ChannelSize { bytes: 10_000, ..NO_LIMIT } },
    // A larger result is written to the disk.
    Host {
        name: "visual studio code",
        channel: ShownChannel::Structured,
        limit: ChannelSize { bytes: 8_192, ..NO_LIMIT },
    },
    // Copilot CLI: a larger result is written to a file.
    Host { name: "github-copilot", channel: ShownChannel::Either, limit: ChannelSize { bytes: 20_000, ..NO_LIMIT } },
    // A fifth of the limit is kept from the start, and four fifths from the end.
    Host { name: "gemini-cli", channel: ShownChannel::Content, limit: ChannelSize { chars: 40_000, ..NO_LIMIT } },
    // Each larger block is written to a file.
    Host { name: "goose", channel: ShownChannel::Content, limit: ChannelSize { chars: 200_000, ..NO_LIMIT } },
    // A line that is too long gives an empty preview, and JSON is one line.
    Host { name: "opencode", channel: ShownChannel::Content, limit: ChannelSize { bytes: 50_000, ..NO_LIMIT } },
];

impl Host {
    /// The host with a client's name.
    pub fn of(client: Option<&str>) -> Self {
        let name = client.unwrap_or_default().to_ascii_lowercase();
        HOSTS.into_iter().find(|host| name.starts_with(host.name)).unwrap_or(ANY)
    }

    /// The most tokens that a host shows.
    pub fn tokens(&self) -> usize {
        self.limit.tokens
    }

    /// The share of a result that a host shows if it is too large, from 0 to 1; `None` if it shows all of it.
    pub fn share(&self, content: ChannelSize, structured: Option<ChannelSize>) -> Option<f64> {
        let read = match (self.channel, structured) {
            (ShownChannel::Content, _) | (_, None) => content,
            (ShownChannel::Structured, Some(structured)) => structured,
            (ShownChannel::Either, Some(structured)) => content.max(structured),
        };
        let share = |limit: usize, is: usize| limit as f64 / is.max(1) as f64;
        let least = share(self.limit.bytes, read.bytes).min(share(self.limit.chars, read.chars));
        (least < 1.0).then_some(least)
    }
}

/// A host's limit in bytes or characters is met by trying; this is the limit of tries, which no text needs.
const TRIES: usize = 16;

impl Host {
    /// A text in the content that the host shows whole. `draft` gets the most tokens that it may have, if the host limits
    /// it; each has less to spend than the one before.
    pub fn fitted(&self, mut draft: impl FnMut(Option<usize>) -> Result<Shaped, Error>) -> Result<Shaped, Error> {
        let mut most = Some(self.tokens()).filter(|&tokens| tokens < usize::MAX);
        for _ in 1..TRIES {
            let shaped = draft(most)?;
            let (text, tokens) = (&shaped.text, shaped.receipt.tokens_after);
            let size = ChannelSize { tokens, bytes: text.len(), chars: text.chars().count() };
            let Some(share) = self.share(size, None).filter(|_| !shaped.is_error) else { return Ok(shaped) };
            // A little less than the share, because cuts are at whole rows and lines.
            most = Some((tokens.min(most.unwrap_or(tokens)) as f64 * share * 0.96) as usize);
        }
        draft(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_for_what_the_host_reads() {
        let long = ChannelSize { tokens: 10, bytes: 20_000, chars: 20_000 };
        let short = ChannelSize { bytes: 100, chars: 100, ..long };
        let codex = Host::of(Some("codex-mcp-client"));
        assert_eq!(codex.share(long, None), Some(0.5));
        assert_eq!(codex.share(long, Some(short)), None);
        assert_eq!(codex.share(short, Some(long)), Some(0.5));
        assert_eq!(Host::of(Some("Visual Studio Code - Insiders")).share(short, Some(long)), Some(0.4096));
        assert_eq!(Host::of(Some("gemini-cli-mcp-client")).share(short, Some(long)), None);
        assert_eq!(Host::of(Some("somebody")).share(long, Some(long)), None);
        assert_eq!(Host::of(None).tokens(), usize::MAX);
    }
}
