//! What hosts do to a tool's result before the model sees it: how much of it they show, and which channel.
//!
//! From their source code or documentation in November 2026. A host that is not listed has no limit of its own and may
//! read either channel.

use super::text_size::TextSize;
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
pub struct Host {
    /// The start of its name, in lower case, as the client sends it to servers.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    channel: ShownChannel,
    pub limit: TextSize,
    /// Whether each block of the content has the limit for itself.
    pub is_by_block: bool,
    /// What it does with a result over the limit.
    pub then: &'static str,
    /// Where the limit is from.
    pub source: &'static str,
}

const NO_LIMIT: TextSize = TextSize { tokens: usize::MAX, bytes: usize::MAX, chars: usize::MAX, lines: usize::MAX };
const ANY: Host = Host {
    name: "",
    title: "",
    channel: ShownChannel::Either,
    limit: NO_LIMIT,
    is_by_block: false,
    then: "",
    source: "",
};

/// The hosts with a limit of their own, the lowest first.
pub static HOSTS: [Host; 8] = [
    Host {
        name: "visual studio code",
        title: "VS Code",
        channel: ShownChannel::Structured,
        limit: TextSize { bytes: 8_192, ..NO_LIMIT },
        then: "writes it to a file",
        source: "documentation (an experiment)",
        ..ANY
    },
    Host {
        name: "codex",
        title: "Codex",
        channel: ShownChannel::Structured,
        limit: TextSize { bytes: 10_000, ..NO_LIMIT },
        then: "removes the middle",
        source: "source code",
        ..ANY
    },
    Host {
        name: "github-copilot",
        title: "Copilot CLI",
        limit: TextSize { bytes: 20_000, ..NO_LIMIT },
        then: "writes it to a file",
        source: "documentation",
        ..ANY
    },
    Host {
        name: "qwen",
        title: "Qwen Code",
        channel: ShownChannel::Content,
        limit: TextSize { chars: 25_000, lines: 1_000, ..NO_LIMIT },
        then: "writes it to a file",
        source: "source code",
        ..ANY
    },
    Host {
        name: "gemini-cli",
        title: "Gemini CLI",
        channel: ShownChannel::Content,
        limit: TextSize { chars: 40_000, ..NO_LIMIT },
        then: "keeps a fifth of the limit from the start, the rest from the end",
        source: "source code, 0.61",
        ..ANY
    },
    // A line that is too long gives an empty preview, and JSON is one line.
    Host {
        name: "opencode",
        title: "opencode",
        channel: ShownChannel::Content,
        limit: TextSize { bytes: 51_200, lines: 2_000, ..NO_LIMIT },
        then: "shows the first lines, and nothing of a line that is longer",
        source: "source code",
        ..ANY
    },
    Host {
        name: "claude-code",
        title: "Claude Code",
        channel: ShownChannel::Structured,
        limit: TextSize { tokens: 25_000, chars: 50_000, ..NO_LIMIT },
        then: "writes it to a file and shows 2,000 characters",
        source: "program, 2.1",
        ..ANY
    },
    Host {
        name: "goose",
        title: "goose",
        channel: ShownChannel::Content,
        limit: TextSize { chars: 200_000, ..NO_LIMIT },
        is_by_block: true,
        then: "writes the block to a file",
        source: "source code",
    },
];

impl Host {
    /// The host with a client's name.
    pub fn of(client: Option<&str>) -> Self {
        let name = client.unwrap_or_default().to_ascii_lowercase();
        HOSTS.iter().copied().find(|host| name.starts_with(host.name)).unwrap_or(ANY)
    }

    /// Whether there are results that it does not show whole.
    pub fn has_limit(&self) -> bool {
        self.limit != NO_LIMIT
    }

    /// The most tokens that a host shows.
    pub fn tokens(&self) -> usize {
        self.limit.tokens
    }

    /// The share of a result that a host shows if it is too large, from 0 to 1; `None` if it shows all of it.
    pub fn share(&self, content: TextSize, structured: Option<TextSize>) -> Option<f64> {
        let read = self.read(content, structured);
        let TextSize { bytes, chars, lines, .. } = self.limit;
        let least = share(bytes, read.bytes).min(share(chars, read.chars)).min(share(lines, read.lines));
        (least < 1.0).then_some(least)
    }

    /// The same, where the tokens have no budget of their own.
    pub fn shown(&self, content: TextSize, structured: Option<TextSize>) -> Option<f64> {
        let by_tokens = share(self.limit.tokens, self.read(content, structured).tokens);
        let least = self.share(content, structured).unwrap_or(1.0).min(by_tokens);
        (least < 1.0).then_some(least)
    }

    /// What the host reads of a result.
    fn read(&self, content: TextSize, structured: Option<TextSize>) -> TextSize {
        match (self.channel, structured) {
            (ShownChannel::Content, _) | (_, None) => content,
            (ShownChannel::Structured, Some(structured)) => structured,
            (ShownChannel::Either, Some(structured)) => content.max(structured),
        }
    }
}

fn share(limit: usize, is: usize) -> f64 {
    limit as f64 / is.max(1) as f64
}

/// A host's limit in bytes, characters or lines is met by trying; this is the limit of tries, which no text needs.
pub(super) const TRIES: usize = 16;

impl Host {
    /// A text in the content that the host shows whole. `draft` gets the most tokens that it may have, if the host limits
    /// it; each has less to spend than the one before.
    pub fn fitted(&self, mut draft: impl FnMut(Option<usize>) -> Result<Shaped, Error>) -> Result<Shaped, Error> {
        let mut most = Some(self.tokens()).filter(|&tokens| tokens < usize::MAX);
        for _ in 1..TRIES {
            let shaped = draft(most)?;
            let (text, tokens) = (&shaped.text, shaped.receipt.tokens_after);
            let size = TextSize::counted(text, tokens);
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
        let long = TextSize { tokens: 10, bytes: 20_000, chars: 20_000, lines: 1 };
        let short = TextSize { bytes: 100, chars: 100, ..long };
        let codex = Host::of(Some("codex-mcp-client"));
        assert_eq!(codex.share(long, None), Some(0.5));
        assert_eq!(codex.share(long, Some(short)), None);
        assert_eq!(codex.share(short, Some(long)), Some(0.5));
        assert_eq!(Host::of(Some("Visual Studio Code - Insiders")).share(short, Some(long)), Some(0.4096));
        assert_eq!(Host::of(Some("gemini-cli-mcp-client")).share(short, Some(long)), None);
        let lines = TextSize { lines: 4_000, ..short };
        assert_eq!(Host::of(Some("opencode")).share(lines, None), Some(0.5));
        assert_eq!(Host::of(Some("opencode")).share(TextSize { lines: 2_000, ..short }, None), None);
        assert_eq!(Host::of(Some("codex-mcp-client")).share(lines, None), None);
        assert_eq!(Host::of(Some("somebody")).share(long, Some(long)), None);
        assert_eq!(Host::of(None).tokens(), usize::MAX);
    }
}
