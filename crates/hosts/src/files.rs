//! Which file each host reads, in the user's folder.

use std::ffi::OsStr;
use std::path::Path;

/// A configuration file of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFile {
    /// The host's name on the command line.
    pub host: &'static str,
    /// The path below the user's folder.
    pub path: &'static str,
    pub(crate) format: Format,
    /// The tables that name servers. A `*` is each member.
    pub(crate) places: &'static [&'static [&'static str]],
}

impl HostFile {
    /// A file of any host, with servers wherever hosts have them: in TOML or YAML if its name says so, else in JSON.
    #[must_use]
    pub fn of_any(path: &Path) -> Self {
        let format = match path.extension().and_then(OsStr::to_str) {
            Some("toml") => Format::Toml,
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::Json,
        };
        Self { host: "", path: "", format, places: ANYWHERE }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Toml,
    Yaml,
}

const SERVERS: &[&[&str]] = &[&["mcpServers"]];
const MCP: &[&[&str]] = &[&["mcp"]];
const ANYWHERE: &[&[&str]] = &[
    &["mcpServers"],
    &["servers"],
    &["mcp", "servers"],
    &["mcp"],
    &["mcp_servers"],
    &["context_servers"],
    &["amp.mcpServers"],
    &["extensions"],
];

const fn json(host: &'static str, path: &'static str, places: &'static [&'static [&'static str]]) -> HostFile {
    HostFile { host, path, format: Format::Json, places }
}

const fn yaml(host: &'static str, path: &'static str, places: &'static [&'static [&'static str]]) -> HostFile {
    HostFile { host, path, format: Format::Yaml, places }
}

/// The files of all hosts, on all systems. A host has several where its versions or systems differ.
pub const fn files() -> &'static [HostFile] {
    const FILES: [HostFile; 29] = [
        json("claude-code", ".claude.json", &[&["mcpServers"], &["projects", "*", "mcpServers"]]),
        json("claude-desktop", ".config/Claude/claude_desktop_config.json", SERVERS),
        json("claude-desktop", "Library/Application Support/Claude/claude_desktop_config.json", SERVERS),
        json("claude-desktop", "AppData/Roaming/Claude/claude_desktop_config.json", SERVERS),
        HostFile { host: "codex", path: ".codex/config.toml", format: Format::Toml, places: &[&["mcp_servers"]] },
        json("cursor", ".cursor/mcp.json", SERVERS),
        json("vscode", ".config/Code/User/mcp.json", &[&["servers"]]),
        json("vscode", "Library/Application Support/Code/User/mcp.json", &[&["servers"]]),
        json("vscode", "AppData/Roaming/Code/User/mcp.json", &[&["servers"]]),
        json("copilot", ".copilot/mcp-config.json", SERVERS),
        json("gemini", ".gemini/settings.json", SERVERS),
        json("qwen", ".qwen/settings.json", SERVERS),
        json("opencode", ".config/opencode/opencode.json", MCP),
        json("opencode", ".config/opencode/opencode.jsonc", MCP),
        json("kilo", ".config/kilo/kilo.json", MCP),
        json("kilo", ".config/kilo/kilo.jsonc", MCP),
        json("cline", ".cline/data/settings/cline_mcp_settings.json", SERVERS),
        json("zed", ".config/zed/settings.json", &[&["context_servers"]]),
        json("windsurf", ".codeium/windsurf/mcp_config.json", SERVERS),
        json("kiro", ".kiro/settings/mcp.json", SERVERS),
        json("crush", ".config/crush/crush.json", MCP),
        json("amp", ".config/amp/settings.json", &[&["amp.mcpServers"]]),
        json("amazon-q", ".aws/amazonq/mcp.json", SERVERS),
        json("lm-studio", ".lmstudio/mcp.json", SERVERS),
        json("junie", ".junie/mcp/mcp.json", SERVERS),
        json("amp", ".config/amp/settings.jsonc", &[&["amp.mcpServers"]]),
        yaml("goose", ".config/goose/config.yaml", &[&["extensions"]]),
        yaml("goose", "AppData/Roaming/Block/goose/config/config.yaml", &[&["extensions"]]),
        yaml("continue", ".continue/config.yaml", SERVERS),
    ];
    &FILES
}

/// The files of a project, below its folder.
pub const fn project_files() -> &'static [HostFile] {
    const FILES: [HostFile; 18] = [
        json("claude-code", ".mcp.json", SERVERS),
        HostFile { host: "codex", path: ".codex/config.toml", format: Format::Toml, places: &[&["mcp_servers"]] },
        json("cursor", ".cursor/mcp.json", SERVERS),
        json("vscode", ".vscode/mcp.json", &[&["servers"]]),
        json("copilot", ".github/mcp.json", SERVERS),
        json("gemini", ".gemini/settings.json", SERVERS),
        json("qwen", ".qwen/settings.json", SERVERS),
        json("opencode", "opencode.json", MCP),
        json("opencode", "opencode.jsonc", MCP),
        json("kilo", "kilo.json", MCP),
        json("kilo", ".kilocode/mcp.json", SERVERS),
        json("zed", ".zed/settings.json", &[&["context_servers"]]),
        json("kiro", ".kiro/settings/mcp.json", SERVERS),
        json("crush", "crush.json", MCP),
        json("crush", ".crush.json", MCP),
        json("amp", ".amp/settings.json", &[&["amp.mcpServers"]]),
        json("amazon-q", ".amazonq/mcp.json", SERVERS),
        json("junie", ".junie/mcp/mcp.json", SERVERS),
    ];
    &FILES
}
