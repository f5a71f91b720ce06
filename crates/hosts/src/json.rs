//! Servers in JSON with comments, as hosts write it.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::Refusal;
use crate::members::BOM;
use crate::server::{APPROVALS, LISTS, Server, Spans, ToolList};

/// How hosts name an address.
pub(crate) const ADDRESSES: [&str; 3] = ["url", "httpUrl", "serverUrl"];
const HEADERS: [&str; 2] = ["headers", "http_headers"];
pub(crate) const VARIABLES: [&str; 2] = ["env", "environment"];
/// The member with rules for tools, in the file of opencode and Kilo.
pub(crate) const RULES: &str = "permission";
/// What hosts read: comments and commas before a bracket, and nothing else that JSON does not have.
pub(crate) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub fn servers(text: &str, places: &[&[&str]]) -> Result<Vec<Server>, Refusal> {
    let mark = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let parsed = parse_to_ast(&text[mark..], &CollectOptions::default(), &OPTIONS);
    let parsed = parsed.map_err(|error| Refusal(format!("it is not JSON: {error}")))?;
    let mut found = Vec::new();
    if let Some(Value::Object(root)) = &parsed.value {
        for place in places {
            collect(root, place, &mut Vec::new(), mark, &mut found);
        }
    }
    Ok(found)
}

/// Whether a rule of a file lets a tool run without asking, of a server that has one of these names.
pub fn approves(text: &str, servers: &[Server]) -> bool {
    let text = text.trim_start_matches(BOM);
    let Ok(parsed) = parse_to_ast(text, &CollectOptions::default(), &OPTIONS) else { return false };
    let Some(Value::Object(root)) = &parsed.value else { return false };
    let is_of = |tool: &str| {
        servers.iter().any(|server| tool.strip_prefix(&*server.name).is_some_and(|rest| rest.starts_with(['_', '*'])))
    };
    let allows = |value: &Value<'_>| value.as_string_lit().is_some_and(|text| text.value == "allow");
    let rules = root.get_object(RULES).map(|rules| &rules.properties);
    rules.into_iter().flatten().any(|rule| is_of(rule.name.as_str()) && allows(&rule.value))
}

fn collect<'a>(table: &'a Object<'a>, place: &[&str], path: &mut Vec<&'a str>, mark: usize, into: &mut Vec<Server>) {
    let Some((name, rest)) = place.split_first() else {
        for entry in &table.properties {
            if let Value::Object(value) = &entry.value {
                into.extend(server(entry.name.as_str(), &path.join("/"), value, mark));
            }
        }
        return;
    };
    for member in &table.properties {
        if let Value::Object(value) = &member.value
            && (*name == "*" || *name == member.name.as_str())
        {
            path.push(member.name.as_str());
            collect(value, rest, path, mark, into);
            path.pop();
        }
    }
}

/// The texts in the first member of these names that is an object. opencode calls variables `environment`.
fn texts(entry: &Object<'_>, names: &[&str]) -> Option<Vec<(String, String)>> {
    let all = names.iter().find_map(|name| entry.get_object(name))?;
    let text = |value: &Value<'_>| Some(value.as_string_lit()?.value.to_string());
    Some(all.properties.iter().filter_map(|one| Some((one.name.as_str().to_owned(), text(&one.value)?))).collect())
}

/// The server that a member describes; none for one without a command and an address, such as an extension's.
fn server(name: &str, place: &str, entry: &Object<'_>, mark: usize) -> Option<Server> {
    // Cline has the command in `transport`, older Zed in `command` with `path`.
    let inner = entry.get_object("transport").or_else(|| entry.get_object("command"));
    let at = inner.unwrap_or(entry);
    let range = |value: &dyn Ranged| Range { start: value.start() + mark, end: value.end() + mark };
    let is = |name: &str, wanted: bool| entry.get_boolean(name).is_some_and(|flag| flag.value == wanted);
    let address = ADDRESSES.iter().find_map(|name| at.get_string(name).or_else(|| entry.get_string(name)));
    let mut found = Server {
        name: name.to_owned(),
        place: place.to_owned(),
        command: Vec::new(),
        environment: texts(at, &VARIABLES).or_else(|| texts(entry, &VARIABLES)).unwrap_or_default(),
        folder: entry.get_string("cwd").map(|folder| folder.value.to_string()),
        url: address.map(|address| address.value.to_string()),
        headers: texts(at, &HEADERS).or_else(|| texts(entry, &HEADERS)).unwrap_or_default(),
        is_off: is("disabled", true) || is("enabled", false),
        is_trusted: is("trust", true),
        approves: None,
        // Who logs in does it with the host.
        spans: Spans { entry: entry.get_object("oauth").is_none().then(|| range(entry)), ..Spans::default() },
    };
    let list = |found: &mut Server, array: &Array<'_>| {
        found.spans.list = Some(range(array));
        for word in &array.elements {
            let Value::StringLit(text) = word else { return false };
            found.command.push(text.value.to_string());
            found.spans.words.push(range(text));
        }
        true
    };
    if let Some(program) = at.get_string("command").or_else(|| at.get_string("path")) {
        found.command.push(program.value.to_string());
        found.spans.program = Some(range(program));
        if let Some(arguments) = at.get_array("args")
            && !list(&mut found, arguments)
        {
            return None;
        }
    } else if let Some(command) = at.get_array("command") {
        if command.elements.is_empty() || !list(&mut found, command) {
            return None;
        }
    } else if found.url.is_none() {
        return None;
    }
    for (at, name) in LISTS.iter().chain(&APPROVALS).enumerate() {
        let Some(tools) = entry.get_array(name) else { continue };
        let words = tools.elements.iter().filter_map(|word| word.as_string_lit());
        let tools: Vec<_> = words.map(|word| (range(word), word.value.to_string())).collect();
        let is_filter = at < LISTS.len();
        if !is_filter && !tools.is_empty() {
            found.approves = Some(name);
        }
        found.spans.tools.push(ToolList { tools, is_in_lines: false, is_filter });
    }
    Some(found)
}
