//! Writes the signature and the docstring of each class, method and function of the stubs to a file, from which the
//! extension module takes them: `help()` shows what type checkers and editors show.

use std::path::Path;
use std::{env, fs};

/// Where the Python sources are: in the checkout next to this file, in a source distribution at its root, where maturin puts them.
const SOURCES: [&str; 2] = ["python", "../python"];
const STUBS: &str = "toolshape/_toolshape.pyi";

fn main() {
    let stubs = SOURCES.map(|folder| Path::new(folder).join(STUBS)).into_iter().find(|stubs| stubs.is_file());
    let stubs = stubs.expect("the stubs are among the Python sources");
    println!("cargo::rerun-if-changed={}", stubs.display());
    let stubs = fs::read_to_string(stubs).expect("the stubs can be read");
    let folder = env::var("OUT_DIR").expect("cargo names the folder for output");
    for (name, doc) in docs(&stubs) {
        fs::write(Path::new(&folder).join(name), doc).expect("the folder for output can be written");
    }
}

/// The docs by name, such as `Shaper` and `Shaper.shape`, in the form that CPython reads signatures from.
fn docs(stubs: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = stubs.lines().collect();
    let mut docs: Vec<(String, String)> = Vec::new();
    // The name of the class and its docstring.
    let mut class: Option<(String, Option<String>)> = None;
    let (mut at, mut is_property) = (0, false);
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if !line.starts_with([' ', ')']) && !line.is_empty() {
            class = None;
        }
        if let Some(rest) = line.strip_prefix("class ") {
            class = Some((rest.trim_end_matches(':').to_owned(), docstring(&lines, at)));
            docs.extend(class.clone().and_then(|(name, doc)| Some((name, doc?))));
        }
        let Some(rest) = line.trim_start().strip_prefix("def ") else {
            is_property = line.trim() == "@property";
            continue;
        };
        let mut text = rest.to_owned();
        while !(text.ends_with(':') || text.ends_with("...")) {
            text = format!("{text} {}", lines[at].trim());
            at += 1;
        }
        let (name, rest) = text.split_once('(').expect("a function has parameters");
        let shown = signature(rest);
        match &class {
            Some((class, Some(doc))) if name == "__new__" => {
                docs.push((class.clone(), format!("{class}{shown}\n--\n\n{doc}")));
            }
            owner => docs.extend(docstring(&lines, at).map(|doc| {
                let full = owner.as_ref().map_or(name.to_owned(), |(class, _)| format!("{class}.{name}"));
                (full, if is_property { doc } else { format!("{name}{shown}\n--\n\n{doc}") })
            })),
        }
        is_property = false;
    }
    docs
}

/// The docstring that begins at a line, without its indentation.
fn docstring(lines: &[&str], at: usize) -> Option<String> {
    let first = lines.get(at)?.trim_start().strip_prefix("\"\"\"")?;
    if let Some(whole) = first.strip_suffix("\"\"\"") {
        return Some(whole.to_owned());
    }
    let rest = lines[at + 1..].iter().map(|line| line.trim()).map_while(|line| {
        let is_end = line == "\"\"\"";
        (!is_end).then(|| line.trim_end_matches("\"\"\"").to_owned())
    });
    let ends = lines[at + 1..].iter().position(|line| line.trim_end().ends_with("\"\"\""))?;
    let text: Vec<String> = std::iter::once(first.to_owned()).chain(rest.take(ends + 1)).collect();
    Some(text.join("\n").trim_end().to_owned())
}

/// The parameters with their defaults, without types. `rest` begins after the opening bracket.
fn signature(rest: &str) -> String {
    let (mut depth, mut parts) = (0usize, vec![String::new()]);
    for c in rest.chars() {
        match c {
            ')' if depth == 0 => break,
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one").push(c);
    }
    let named = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    let shown = named.map(|part| match (part.split_once(':'), part.split_once(" = ")) {
        _ if part == "self" => "$self".to_owned(),
        (Some((name, _)), Some((_, default))) => format!("{name}={default}"),
        (Some((name, _)), None) => name.to_owned(),
        _ => part.to_owned(),
    });
    let shown: Vec<String> = shown.filter(|part| part != "cls").collect();
    format!("({})", shown.join(", "))
}
