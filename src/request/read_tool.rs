//! The name of the tool that reads stored results: it carries the server's, because several hosts refuse or drop a tool
//! whose name two servers have.

use crate::base::error::Error;
use crate::request::reader::Reader;

/// The name where the server's is not known, and how every such name begins.
pub const READ_RESULT: &str = "read_result";
/// The most characters of a server's name. Hosts put a prefix before a tool's name and allow 64 characters in all.
const MOST_CHARS: usize = 20;
/// The characters of a longer name, before four that depend on all of it.
const KEPT_CHARS: usize = 15;
/// The most characters that models' APIs allow in a tool's name.
const MOST_IN_NAME: usize = 64;
/// What names of servers have in common.
const COMMON: [&str; 2] = ["mcp", "server"];

/// The name of the tool of a server, such as `read_result_github` for `github-mcp-server`.
///
/// ```
/// use toolshape::host::read_tool_of;
/// assert_eq!(read_tool_of("github-mcp-server"), "read_result_github");
/// assert_eq!(read_tool_of("Über Wetter 2"), "read_result_ber_wetter_2");
/// assert_eq!(read_tool_of("mcp-server"), "read_result");
/// ```
pub fn read_tool_of(server: &str) -> String {
    let lower = server.to_ascii_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && !COMMON.contains(word)).collect();
    let mut name = words.join("_");
    if name.is_empty() {
        return READ_RESULT.to_owned();
    }
    if name.len() > MOST_CHARS {
        // FNV-1a, so that names with the same start differ.
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        name.truncate(KEPT_CHARS);
        name = format!("{}_{:04x}", name.trim_end_matches('_'), hash >> 16);
    }
    format!("{READ_RESULT}_{name}")
}

/// The option `readTool`.
///
/// # Errors
/// `INVALID_POLICY` unless models' APIs take the name.
pub(crate) fn read(options: &Reader<'_>) -> Result<Option<String>, Error> {
    let Some(value) = options.get("readTool") else { return Ok(None) };
    let is_name = |name: &&str| {
        (1..=MOST_IN_NAME).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    match value.as_str().filter(is_name) {
        Some(name) => Ok(Some(name.to_owned())),
        None => Err(options.error("readTool", value, "1 to 64 of the characters a-z, A-Z, 0-9, _ and -")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_differ() {
        for (server, tool) in [
            ("github", "read_result_github"),
            ("GitHub MCP Server", "read_result_github"),
            ("@acme/mcp-server-jira", "read_result_acme_jira"),
            ("io.example/files", "read_result_io_example_files"),
            ("", "read_result"),
            ("mcp", "read_result"),
            ("天気", "read_result"),
            ("abcdefghijklmnopqrst", "read_result_abcdefghijklmnopqrst"),
        ] {
            assert_eq!(read_tool_of(server), tool, "{server}");
        }
        let [one, other] = ["a", "b"].map(|end| read_tool_of(&format!("internal search of documents {end}")));
        assert_ne!(one, other);
        assert!(one.starts_with("read_result_internal_search") && one.len() <= 32, "{one}");
    }
}
