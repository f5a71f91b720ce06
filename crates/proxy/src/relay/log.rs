//! Lines for standard error, in which nothing that a server wrote steers a terminal.

use toolshape::host::printable_within;

/// The most characters of a server's line that are shown.
const MOST: usize = 1 << 16;
const MOST_OF_ID: usize = 100;

/// A line of a server that is not a message, with escapes in place of what a terminal would follow.
pub(crate) fn printable_line(line: &str) -> String {
    let parts: Vec<String> = line.split('\t').map(|part| printable_within(part, MOST)).collect();
    parts.join("\t")
}

/// The line about what is not a message. Where something is secret it is not shown: the lines of a table come one by one.
pub fn noise(line: &str, has_secrets: bool) -> String {
    match has_secrets {
        true => {
            format!(
                "toolshape: a line of {} bytes that is not a message is not shown, as it may have secrets",
                line.len()
            )
        }
        false => printable_line(line),
    }
}

/// The line about an answer to no open request.
pub(super) fn dropped(id: &str) -> String {
    format!("toolshape: dropped an answer to no open request: id {}", printable_within(id, MOST_OF_ID))
}

/// The line about a tool of the server with the name of ours.
pub(super) fn taken(name: &str) -> String {
    let name = printable_within(name, MOST_OF_ID);
    format!(
        "toolshape: the server has a tool {name} of its own, so nothing is stored; choose another name with readTool"
    )
}

/// The line about a tool in the policy that the server does not have.
pub(super) fn misspelt(name: &str, meant: &str) -> String {
    let [name, meant] = [name, meant].map(|name| printable_within(name, MOST_OF_ID));
    format!(
        "toolshape: the policy has options for a tool {name}, which is not in the list of tools; did you mean {meant}?"
    )
}

/// A line of the relay's own, which may quote a server.
pub(crate) fn of_relay(text: &str) -> String {
    format!("toolshape: {}", printable_within(text, MOST))
}
