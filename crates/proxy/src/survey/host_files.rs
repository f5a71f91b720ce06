//! Where the usual hosts have their configuration files.

const FILES: [&str; 9] = [
    ".claude.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".config/opencode/opencode.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    "AppData/Roaming/Claude/claude_desktop_config.json",
];

/// The files in which hosts name servers, in the user's folder.
///
/// ```
/// assert!(toolshape_proxy::host_files().contains(&".codex/config.toml"));
/// ```
pub fn host_files() -> &'static [&'static str] {
    &FILES
}
