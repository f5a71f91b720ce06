//! Tools that pass on a document that somebody else wrote, whose form is not theirs to change.

use serde_json::Value;

use super::words::words;

/// Words in the names of such tools, and in those of their arguments.
const TOOLS: [&str; 8] = ["read", "file", "files", "fetch", "download", "open", "cat", "resource"];
const ARGUMENTS: [&str; 7] = ["path", "paths", "file", "filename", "filepath", "uri", "url"];

/// Whether a call, whose arguments are a JSON object, returns such a document.
pub(super) fn is_document(tool: &str, arguments: &str) -> bool {
    let has = |name: &str, known: &[&str]| words(name).iter().any(|word| known.contains(&&**word));
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let mut names = arguments.as_object().into_iter().flatten().map(|(name, _)| name);
    has(tool, &TOOLS) || names.any(|name| has(name, &ARGUMENTS))
}

#[cfg(test)]
mod tests {
    use super::is_document;

    #[test]
    fn tools_that_pass_on_documents_are_known_by_names() {
        for (tool, arguments) in [
            ("read_text_file", "{}"),
            ("fetch", "{}"),
            ("getFileContents", "{}"),
            ("get", r#"{"path":"a.json"}"#),
            ("get", r#"{"targetUrl":"https://a.test"}"#),
        ] {
            assert!(is_document(tool, arguments), "{tool} {arguments}");
        }
        for (tool, arguments) in [("list_issues", "{}"), ("get_profile", r#"{"user":"file"}"#), ("spread", "{}")] {
            assert!(!is_document(tool, arguments), "{tool} {arguments}");
        }
    }
}
