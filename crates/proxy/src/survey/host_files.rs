//! Where the usual hosts have their configuration files.

/// In a project.
const OF_PROJECT: [&str; 4] = [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", "opencode.json"];

/// In the user's folder.
const OF_USER: [&str; 9] = [
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

/// The files in which hosts name servers: their paths in a project, and in the user's folder.
///
/// ```
/// let (of_project, of_user) = toolshape_proxy::host_files();
/// assert!(of_project.contains(&".mcp.json") && of_user.contains(&".codex/config.toml"));
/// ```
pub fn host_files() -> (&'static [&'static str], &'static [&'static str]) {
    (&OF_PROJECT, &OF_USER)
}
