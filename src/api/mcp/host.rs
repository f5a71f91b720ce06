//! What hosts do to a tool's result before the model sees it: how much of it passes, and which channel.
//!
//! Read in their sources or documents in November 2026. A host that is not here has no limit of its own and
//! may read either channel.

use super::channel_size::ChannelSize;

/// Which part of a result a host hands to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownChannel {
    /// `content`, whatever else there is.
    Content,
    /// `structuredContent`, and `content` only where there is none.
    Structured,
    Either,
}

/// What a host lets through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// How its name begins, in lower case, as it introduces itself to servers.
    name: &'static str,
    channel: ShownChannel,
    limit: ChannelSize,
}

const NO_LIMIT: ChannelSize = ChannelSize { tokens: usize::MAX, bytes: usize::MAX, chars: usize::MAX };
const ANY: Host = Host { name: "", channel: ShownChannel::Either, limit: NO_LIMIT };

const HOSTS: [Host; 7] = [
    // Beyond either limit a result goes to a file, of which a preview is shown.
    Host {
        name: "claude-code",
        channel: ShownChannel::Structured,
        limit: ChannelSize { tokens: 25_000, chars: 50_000, ..NO_LIMIT },
    },
    // The middle is cut out.
    Host { name: "codex", channel: ShownChannel::Structured, limit: ChannelSize { bytes: 10_000, ..NO_LIMIT } },
    // Beyond it a result goes to the disk.
    Host {
        name: "visual studio code",
        channel: ShownChannel::Structured,
        limit: ChannelSize { bytes: 8_192, ..NO_LIMIT },
    },
    // Copilot CLI: beyond it a result goes to a file.
    Host { name: "github-copilot", channel: ShownChannel::Either, limit: ChannelSize { bytes: 20_000, ..NO_LIMIT } },
    // A fifth of the start and four of the end are kept.
    Host { name: "gemini-cli", channel: ShownChannel::Content, limit: ChannelSize { chars: 40_000, ..NO_LIMIT } },
    // Each block beyond it goes to a file.
    Host { name: "goose", channel: ShownChannel::Content, limit: ChannelSize { chars: 200_000, ..NO_LIMIT } },
    // A line that is too long leaves an empty preview, and JSON is one line.
    Host { name: "opencode", channel: ShownChannel::Content, limit: ChannelSize { bytes: 50_000, ..NO_LIMIT } },
];

impl Host {
    /// The host that a client's name tells of.
    pub fn of(client: Option<&str>) -> Self {
        let name = client.unwrap_or_default().to_ascii_lowercase();
        HOSTS.into_iter().find(|host| name.starts_with(host.name)).unwrap_or(ANY)
    }

    /// The most tokens that pass.
    pub fn tokens(&self) -> usize {
        self.limit.tokens
    }

    /// The share of a result that passes where it is too much, from 0 to 1; `None` where all of it does.
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
