//! Why a result looks as it does, in sentences from its receipt.

use serde_json::Value;

use crate::outcome::receipt::STEPS;
use crate::outcome::receipt_line::{printable, texts};
use crate::request::reader::Naming;

/// The explanation of a receipt with names in this form: a sentence a line.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{Naming, explain};
/// let receipt = json!({
///     "tool": "list", "steps": ["csv", "paginate"], "reason": "60 rows > paginateAfter 50",
///     "rows": { "returned": 20, "total": 60 }, "tokensBefore": 900, "tokensBeforeExact": true, "tokensAfter": 380,
///     "budget": 2000,
/// });
/// assert_eq!(explain(&receipt, Naming::Camel), "\
/// The result of list has 900 tokens; the model reads 380 of at most 2000.
/// Reason: 60 rows > paginateAfter 50.
/// csv: The text is shown by its structure.
/// paginate: Rows are shown in pages, which a cursor continues. This page has 20 of 60 rows.");
/// let receipt = json!({ "tool": null, "steps": [], "tokensBefore": 3, "tokensAfter": 3 });
/// assert_eq!(explain(&receipt, Naming::Camel), "The result has about 3 tokens; the model reads all of it, unchanged.");
/// ```
pub fn explain(receipt: &Value, naming: Naming) -> String {
    let get = |name: &str| &receipt[&*naming.spell(name)];
    let about = if *get("tokensBeforeExact") == true { "" } else { "about " };
    let of = receipt["tool"].as_str().map_or(String::new(), |tool| format!(" of {}", printable(tool)));
    let steps = texts(&receipt["steps"]);
    let reads = match (steps.is_empty(), get("budget").as_u64()) {
        (true, _) => "all of it, unchanged".to_owned(),
        (false, None) => get("tokensAfter").to_string(),
        (false, Some(budget)) => format!("{} of at most {budget}", get("tokensAfter")),
    };
    let mut lines = vec![format!("The result{of} has {about}{} tokens; the model reads {reads}.", get("tokensBefore"))];
    lines.extend(receipt["reason"].as_str().map(|reason| format!("Reason: {}.", printable(reason))));
    for step in steps {
        let sentence = STEPS.iter().find(|(_, name, _)| *name == step).map(|(.., about)| *about);
        let mut line = format!("{}: {}", printable(step), sentence.unwrap_or("The text is shown by its structure."));
        if let Some(rows) = receipt["rows"].as_object().filter(|_| step == "paginate") {
            let total = rows["total"].as_u64().map_or(String::new(), |total| format!(" of {total}"));
            line += &format!(" This page has {}{total} rows.", rows["returned"]);
        }
        lines.push(line);
    }
    let unmatched = texts(get("unmatchedFields"));
    if !unmatched.is_empty() {
        lines.push(format!("No row has the policy's fields {}.", printable(&unmatched.join(", "))));
    }
    lines.extend(receipt["failure"].as_str().map(|failure| format!("It is not stored: {}.", printable(failure))));
    lines.join("\n")
}
