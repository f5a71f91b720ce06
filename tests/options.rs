//! The tables of options, and the document and the types that come from them. `UPDATE_OPTIONS=1 cargo test --test options`
//! writes these.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use toolshape::host::{
    MEMORY_BYTES, Naming, OF_ADAPTER, OF_ALL_TOOLS, OF_ARCHIVE, OF_CALL, OF_STORE, OF_TOOL, OptionSpec, STEPS,
    STORE_BYTES, TEXT_FORMATS, Takes, VALUE_BYTES,
};
use toolshape::{ErrorCode, Policy};
use toolshape_proxy::{OF_RELAY, RelayOptions};

/// The width of a line of comments.
const WIDTH: usize = 120;

/// The options of a series or a grid.
fn declaration(name: &str) -> &'static [OptionSpec] {
    let Some(Takes::Declaration(_, options)) = OF_TOOL.iter().find(|option| option.name == name).map(|o| o.takes)
    else {
        panic!("{name} takes no declaration")
    };
    options
}

#[test]
fn the_document_is_current() {
    let tables: [(&str, &str, &[OptionSpec]); 9] = [
        ("Policy", "Options of a shaper, for all tools, and under `tools` for one.", &OF_TOOL),
        ("Policy, for all tools together", "These cannot be set for one tool.", &OF_ALL_TOOLS),
        ("`series`", "How a tool's results form a series.", declaration("series")),
        (
            "`grid`",
            "How a tool's results form a grid: a list of cells, or a matrix of numbers with axes.",
            declaration("grid"),
        ),
        (
            "Call",
            "Options of one call. The first six are the call controls, which a model may also send among the arguments. \
             Adapters and archives set the last eight.",
            &OF_CALL,
        ),
        (
            "Archive",
            "Options of an archive, which keeps whole results in a store. Adapters have them too.",
            &OF_ARCHIVE,
        ),
        ("Adapter", "Options of an adapter, in addition to those of a policy and of an archive.", &OF_ADAPTER),
        ("Stores", "Limits of a store.", &OF_STORE),
        ("Relay", "Options of `toolshape.json` in addition to those of a policy.", &OF_RELAY),
    ];
    let mut out = "# Options\n\nNames are camelCase in TypeScript, JSON and messages to models, and snake_case in Python and \
                   in Rust's builders. An\nunknown option, a wrong type or a value out of range is an error that names the \
                   option and what it takes.\nTypeScript has the type `Policy`, and Python has `toolshape.types.Policy` for \
                   `mypy`. The result of `Shaper.tool` has\ncamelCase names in every language.\n"
        .to_owned();
    for (title, about, options) in tables {
        write!(out, "\n## {title}\n\n{}\n| option | takes | default | meaning |\n|---|---|---|---|\n", wrapped(about))
            .unwrap();
        for option in options {
            let (takes, about) = (described(&option.takes), sentence(option));
            writeln!(out, "| `{}` | {takes} | {} | {about} |", option.name, option.default).unwrap();
        }
    }
    out += "\n## Steps\n\nThe `steps` of a receipt; a text shown by its structure adds its format.\n\n\
            | step | meaning |\n|---|---|\n";
    for (_, name, about) in STEPS {
        writeln!(out, "| `{name}` | {about} |").unwrap();
    }
    current("docs/options.md", &out);
}

#[test]
fn the_published_schema_is_current() {
    current("docs/toolshape.schema.json", &(serde_json::to_string_pretty(&RelayOptions::schema()).unwrap() + "\n"));
}

#[test]
fn the_types_of_typescript_are_current() {
    let mut out = aliases(typescript_union, "/** ", " */\n");
    out += &interface("The options of one tool. An option that is left out has its default.", "ToolPolicy", &OF_TOOL);
    let all = "The options of a server: for all tools, and for each tool.";
    out += &interface(all, "Policy extends ToolPolicy", &OF_ALL_TOOLS);
    let call = "One call of a tool. The call controls may be given here or among the `arguments`.";
    out += &interface(call, "Call", &OF_CALL);
    between("pkg-templates/src/types.ts", "//", &out);
    let series = interface(
        "How a tool's results form a series. Fields are `price`, `price.usd` or `/price/usd`.",
        "SeriesOptions",
        declaration("series"),
    );
    let grid = interface(
        "How a tool's results form a grid: a list of cells, or a matrix of numbers with axes.",
        "GridOptions",
        declaration("grid"),
    );
    between("pkg-templates/src/series.ts", "//", &(series + &grid));
}

#[test]
fn the_types_of_python_are_current() {
    let mut out = aliases(python_literal, "# ", "\n");
    out += &typed_dict("SeriesOptions", "TypedDict", "How a tool's results form a series.", declaration("series"), "");
    let grid = "How a tool's results form a grid: a list of cells, or a matrix of numbers with axes.";
    out += &typed_dict("GridOptions", "TypedDict", grid, declaration("grid"), "");
    let tool = "The options of one tool, in ``Shaper(tools={\"name\": {...}})``.";
    out += &typed_dict("ToolOptions", "TypedDict", tool, &OF_TOOL, "");
    let policy = "The options of a shaper: ``policy: Policy = {\"max_tokens\": 4000}``, ``Shaper(**policy)``.";
    out += &typed_dict("Policy", "ToolOptions", policy, &OF_ALL_TOOLS, "");
    let call = "A call of a tool, as ``**call`` takes it: ``call: Call = {\"tool\": \"list\", \"page\": 2}``.";
    out += &typed_dict("Call", "TypedDict", call, &OF_CALL[..12], " | None");
    let result = "A call whose result is a ``CallToolResult``: it adds the tool's output schema and the client's name.";
    out += &typed_dict("ResultCall", "Call", result, &OF_CALL[12..14], " | None");
    out += &typed_dict("_OfStore", "TypedDict", "The options that an archive sets.", &OF_CALL[14..], " | None");
    between("py-bindings/python/toolshape/types.py", "#", &(out + "\n"));
}

#[test]
fn the_limits_of_stores_are_current() {
    let limits = [("MEMORY_BYTES", MEMORY_BYTES), ("STORE_BYTES", STORE_BYTES), ("VALUE_BYTES", VALUE_BYTES)];
    let about = "The default limits in bytes: of all values in memory, of all values elsewhere, and of one value.";
    let mut typescript = interface("How much a store keeps.", "StoreLimits", &OF_STORE) + &format!("\n// {about}\n");
    let mut python = format!("# {about}\n");
    for (name, bytes) in limits {
        writeln!(typescript, "export const {name} = {} * 1024 * 1024;", bytes >> 20).unwrap();
        writeln!(python, "{name} = {} * 2**20", bytes >> 20).unwrap();
    }
    between("pkg-templates/src/stores/ledger.ts", "//", &typescript);
    between("py-bindings/python/toolshape/stores/_ledger.py", "#", &python);

    let [bytes, value_bytes, share] = OF_STORE.map(|option| Naming::Snake.spell(option.name).into_owned());
    for (store, default) in [
        ("memory", "MEMORY_BYTES"),
        ("file", "STORE_BYTES"),
        ("key_value", "STORE_BYTES"),
        ("fsspec", "STORE_BYTES"),
        ("redis", "STORE_BYTES"),
    ] {
        let text = read(&format!("py-bindings/python/toolshape/stores/{store}.py"));
        let share = format!("{share}: float = {}", OF_STORE[2].default);
        for keyword in [format!("{bytes}: int = {default}"), format!("{value_bytes}: int = VALUE_BYTES"), share] {
            assert!(text.contains(&keyword), "{store} lacks {keyword}");
        }
    }
    let rust = read("crates/stores/src/store.rs").replace("    /// ", "").replace('\n', " ");
    for option in OF_STORE {
        let method = format!("{}     pub fn {}(", option.summary(), Naming::Snake.spell(option.name));
        assert!(rust.contains(&method), "crates/stores lacks {method}");
    }
}

/// The keywords of the functions in the stubs of the native module.
#[test]
fn the_keywords_of_python_are_current() {
    const STUBS: &str = "py-bindings/python/toolshape/_toolshape.pyi";
    let keyword = |option: &OptionSpec, default: &str| {
        format!("        {}: {} | None = {default},\n", Naming::Snake.spell(option.name), in_python(option))
    };
    let policy: String =
        OF_TOOL.iter().chain(&OF_ALL_TOOLS).map(|option| keyword(option, &python_default(option))).collect();
    let own = "        default: Callable[[Any], object] | None = None,\n    ) -> Shaper: ...\n";
    replaced(STUBS, "    def __new__(\n        cls,\n        *,\n", own, &policy);
    // The tool and its arguments come first.
    let call = [&OF_CALL[6..8], &OF_CALL[..6], &OF_CALL[8..12], &OF_CALL[16..19]].concat();
    let call: String = call.iter().map(|option| keyword(option, "None")).collect();
    let start = "    def shape(\n        self,\n        value: object,\n        *,\n";
    replaced(STUBS, start, "    ) -> Shaped:\n", &call);
    let stubs = read(STUBS);
    let (_, functions) = stubs.split_once(start).unwrap();
    for option in &OF_CALL {
        let name = format!("        {}: ", Naming::Snake.spell(option.name));
        for line in functions.lines().filter(|line| line.starts_with(&name)) {
            assert_eq!(format!("{line}\n"), keyword(option, "None"));
        }
    }
}

/// The adapters' options have functions of the language, so their types are written by hand, with these names.
#[test]
fn adapters_have_the_options_of_the_table() {
    for (path, start, naming, options) in [
        ("pkg-templates/src/archive.ts", "export interface ArchiveOptions", Naming::Camel, &OF_ARCHIVE[..]),
        ("pkg-templates/src/mcp/adapter.ts", "export interface AdapterOptions", Naming::Camel, &OF_ADAPTER),
        ("py-bindings/python/toolshape/archive.py", "class ArchiveOptions", Naming::Snake, &OF_ARCHIVE),
        ("py-bindings/python/toolshape/adapter.py", "class AdapterOptions", Naming::Snake, &OF_ADAPTER),
    ] {
        let text = read(path);
        let body = &text[text.find(start).unwrap_or_else(|| panic!("{path} has no {start}"))..];
        let mut names: Vec<String> = match naming {
            Naming::Camel => {
                let members =
                    body.lines().take_while(|line| *line != "}").filter_map(|line| line.strip_prefix("  readonly "));
                members.filter_map(|member| member.split_once('?')).map(|(name, _)| name.to_owned()).collect()
            }
            Naming::Snake => {
                let body = body.splitn(3, "\"\"\"").nth(2).unwrap();
                let members = body.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with(' '));
                members.filter_map(|member| member.trim().split_once(':')).map(|(name, _)| name.to_owned()).collect()
            }
        };
        let mut wanted: Vec<String> = options.iter().map(|option| naming.spell(option.name).into_owned()).collect();
        names.sort();
        wanted.sort();
        assert_eq!(names, wanted, "{path}");
    }
}

#[test]
fn documented_defaults_are_the_defaults() {
    let mut checked = 0;
    for option in OF_TOOL.iter().chain(&OF_ALL_TOOLS) {
        let value: Value = match option.default.strip_prefix('`').and_then(|word| word.strip_suffix('`')) {
            Some(word) => word.into(),
            None => match serde_json::from_str(option.default) {
                Ok(value) => value,
                Err(_) => continue,
            },
        };
        let settings = |options| format!("{:?}", Policy::new(&options, Naming::Camel).unwrap());
        let given = settings(json!({ option.name: value }));
        let by_default = settings(json!({})).replace("combined_tokens: None", "combined_tokens: Some(6000)");
        assert_eq!(
            given.replace("combined_tokens: None", "combined_tokens: Some(6000)"),
            by_default,
            "{}",
            option.name
        );
        checked += 1;
    }
    assert!(checked > 12, "{checked}");
}

/// An error unless the file has this text; with `UPDATE_OPTIONS` set, the file gets it.
fn current(path: &str, text: &str) {
    if std::env::var_os("UPDATE_OPTIONS").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), text).unwrap();
    }
    assert!(read(path) == text, "{path} is stale: run UPDATE_OPTIONS=1 cargo test --test options");
}

/// The same for what is between two comments in the file.
fn between(path: &str, comment: &str, text: &str) {
    let start = format!("{comment} Generated from the tables of options: UPDATE_OPTIONS=1 cargo test --test options\n");
    replaced(path, &start, &format!("\n{comment} The end of the generated part.\n"), text);
}

/// The same for what is between two texts in the file.
fn replaced(path: &str, start: &str, end: &str, text: &str) {
    let file = read(path);
    let (before, rest) = file.split_once(start).unwrap_or_else(|| panic!("{path} has no {start}"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("{path} has no {end}"));
    current(path, &format!("{before}{start}{text}{end}{after}"));
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap_or_default()
}

/// The types of choices, once each, of error codes and of steps.
fn aliases(define: impl Fn(&str, &[String]) -> String, open: &str, close: &str) -> String {
    let mut out = String::new();
    let mut seen = Vec::new();
    for option in OF_TOOL.iter().chain(&OF_CALL).chain(&OF_ARCHIVE) {
        if let Takes::Choice(name, words) = option.takes
            && !seen.contains(&name)
            && name != "Redacts"
        {
            seen.push(name);
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            let what = if name == "AskedFormat" { "The values of a call's `format`." } else { "" };
            let about =
                if what.is_empty() { format!("The values of the option `{}`.", option.name) } else { what.into() };
            write!(out, "\n{open}{about}{close}{}", define(name, &words)).unwrap();
        }
    }
    let codes: Vec<String> = ErrorCode::ALL.iter().map(|(_, name)| format!("{name:?}")).collect();
    let steps = STEPS.iter().map(|(_, name, _)| name).chain(TEXT_FORMATS.iter().map(|(_, name)| name));
    let steps: Vec<String> = steps.map(|name| format!("{name:?}")).collect();
    for (about, name, words) in [
        ("The kind of error, as a stable code to match on.", "ErrorCode", codes),
        ("One step that was applied to a result.", "Step", steps),
    ] {
        write!(out, "\n{open}{about}{close}{}", define(name, &words)).unwrap();
    }
    out.replace("\n# ", "# ")
}

/// A union of words, as biome writes it.
fn typescript_union(name: &str, words: &[String]) -> String {
    match format!("export type {name} = {};\n", words.join(" | ")) {
        line if line.len() <= WIDTH => line,
        _ => format!("export type {name} =\n  | {};\n", words.join("\n  | ")),
    }
}

/// A literal of words, as ruff writes it.
fn python_literal(name: &str, words: &[String]) -> String {
    match format!("{name}: TypeAlias = Literal[{}]\n", words.join(", ")) {
        line if line.len() <= WIDTH => line,
        _ => format!("{name}: TypeAlias = Literal[\n    {},\n]\n", words.join(",\n    ")),
    }
}

/// An interface of TypeScript.
fn interface(about: &str, name: &str, options: &[OptionSpec]) -> String {
    let mut out = format!("\n/** {about} */\nexport interface {name} {{\n");
    for option in options {
        let text = format!("{} Default: {}.", sentence(option), option.default);
        match format!("  /** {text} */").len() <= WIDTH {
            true => writeln!(out, "  /** {text} */").unwrap(),
            false => {
                out += "  /**\n";
                for line in lines(&text, WIDTH - 5) {
                    writeln!(out, "   * {line}").unwrap();
                }
                out += "   */\n";
            }
        }
        writeln!(out, "  readonly {}?: {} | undefined;", option.name, in_typescript(option)).unwrap();
    }
    out + "}\n"
}

fn in_typescript(option: &OptionSpec) -> String {
    match option.takes {
        _ if option.name == "cursor" => "string | null".to_owned(),
        Takes::Whole(..) | Takes::Number(..) | Takes::Positive | Takes::Share | Takes::SecondsOrNone => {
            "number".to_owned()
        }
        Takes::Flag => "boolean".to_owned(),
        Takes::Text | Takes::Name => "string".to_owned(),
        Takes::Texts => "readonly string[]".to_owned(),
        Takes::Choice("Goal", words) => words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | "),
        Takes::Choice(name, _) => name.to_owned(),
        Takes::Encoding => "Encoding".to_owned(),
        Takes::Fields => "readonly string[] | \"auto\" | \"all\"".to_owned(),
        Takes::Secrets => "string | readonly string[]".to_owned(),
        Takes::Declaration(name, _) => format!("{name} | false"),
        Takes::Tools => "Readonly<Record<string, ToolPolicy | false>>".to_owned(),
        Takes::Object => "Readonly<Record<string, unknown>>".to_owned(),
        Takes::OutputSchema => "object | boolean".to_owned(),
        Takes::Host(what) => panic!("{} takes {what}", option.name),
    }
}

/// A typed dictionary of Python.
fn typed_dict(name: &str, base: &str, about: &str, options: &[OptionSpec], or: &str) -> String {
    let mut out = format!("\n\nclass {name}({base}, total=False):\n    \"\"\"{about}\"\"\"\n\n");
    for option in options {
        writeln!(out, "    {}: {}{or}", Naming::Snake.spell(option.name), in_python(option)).unwrap();
        let text = format!("{} Default: {}.", sentence(option), option.default);
        let text = text.split('`').enumerate().map(|(at, part)| match at % 2 {
            0 => part.to_owned(),
            _ => format!("``{}``", if is_option(part) { Naming::Snake.spell(part) } else { part.into() }),
        });
        let text: String = text.collect();
        match lines(&text, WIDTH - 10).len() {
            1 => writeln!(out, "    \"\"\"{text}\"\"\"").unwrap(),
            _ => {
                let lines = lines(&text, WIDTH - 7);
                writeln!(out, "    \"\"\"{}\n    \"\"\"", lines.join("\n    ")).unwrap();
            }
        }
    }
    out
}

fn is_option(name: &str) -> bool {
    let all = OF_TOOL.iter().chain(&OF_ALL_TOOLS).chain(&OF_CALL);
    all.into_iter().any(|option| option.name == name)
}

fn in_python(option: &OptionSpec) -> String {
    match option.takes {
        Takes::Whole(..) => "int".to_owned(),
        Takes::Number(..) | Takes::Positive | Takes::Share | Takes::SecondsOrNone => "float".to_owned(),
        Takes::Flag => "bool".to_owned(),
        Takes::Text | Takes::Name => "str".to_owned(),
        Takes::Texts => "Sequence[str]".to_owned(),
        Takes::Choice("Goal", words) => {
            format!("Literal[{}]", words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", "))
        }
        Takes::Choice(name, _) => name.to_owned(),
        Takes::Encoding => "Encoding".to_owned(),
        Takes::Fields => "Sequence[str] | Literal[\"auto\", \"all\"]".to_owned(),
        Takes::Secrets => "str | bytes | Sequence[str | bytes]".to_owned(),
        Takes::Declaration(name, _) => format!("{name} | Literal[False]"),
        Takes::Tools => "Mapping[str, ToolOptions | Literal[False]]".to_owned(),
        Takes::Object => "Mapping[str, Any]".to_owned(),
        Takes::OutputSchema => "Mapping[str, Any] | bool".to_owned(),
        Takes::Host(what) => panic!("{} takes {what}", option.name),
    }
}

/// The default of an option as a literal; `None` for one that is described.
fn python_default(option: &OptionSpec) -> String {
    let default = option.default;
    match default.strip_prefix('`').and_then(|word| word.strip_suffix('`')) {
        Some(word) => format!("{word:?}"),
        None if default.parse::<f64>().is_ok() => default.to_owned(),
        None if default == "true" => "True".to_owned(),
        None if default == "false" => "False".to_owned(),
        None => "None".to_owned(),
    }
}

/// What an option takes, in a table.
fn described(takes: &Takes) -> String {
    match takes {
        Takes::Whole(least, most) => match *most {
            1_000_000_000.. => format!("whole number from {least}"),
            most => format!("whole number, {least} to {most}"),
        },
        Takes::Number(least, most) if *most > 1e9 => format!("number from {least}"),
        Takes::Number(least, most) => format!("number, {least} to {most}"),
        Takes::Positive => "number greater than 0".to_owned(),
        Takes::Share => "number greater than 0, at most 1".to_owned(),
        Takes::SecondsOrNone => "number from 0".to_owned(),
        Takes::Flag => "true or false".to_owned(),
        Takes::Text | Takes::Name => "string".to_owned(),
        Takes::Texts => "list of strings".to_owned(),
        Takes::Choice(_, words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Takes::Encoding => "name of an encoding".to_owned(),
        Takes::Fields => "list of fields, `auto`, `all`".to_owned(),
        Takes::Secrets => "string, or list of strings".to_owned(),
        Takes::Declaration(..) => "object (below), or false".to_owned(),
        Takes::Tools => "object of options per tool, or false".to_owned(),
        Takes::Object => "object".to_owned(),
        Takes::OutputSchema => "JSON Schema, or true".to_owned(),
        Takes::Host(what) => (*what).to_owned(),
    }
}

fn sentence(option: &OptionSpec) -> &'static str {
    option.about.trim()
}

fn wrapped(text: &str) -> String {
    lines(text, WIDTH + 8).into_iter().fold(String::new(), |out, line| out + &line + "\n")
}

/// The text in lines of at most this many bytes.
fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
