//! The command line as data: the program of the npm package reads it, so that both take the same and say the same.

use std::any::TypeId;
use std::iter;
use std::path::Path;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::{Map, Value, json};
use toolshape::host::{Naming, OF_CALL, OF_TOOL, OptionSpec, Takes};
use toolshape_proxy::OF_RELAY;

use crate::arguments::{Arguments, SHELLS, help};

const FOLDER: &str = "../../pkg-templates/src/relay";
/// How wide the help is where no terminal says it.
const COLUMNS: usize = 100;

#[test]
fn the_npm_package_has_the_same_command_line() {
    for (name, described) in [("commands.json", described()), ("completions.json", scripts())] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(name);
        let described = format!("{described:#}\n");
        if std::env::var_os("UPDATE_COMMANDS").is_some() {
            std::fs::write(&file, &described).unwrap();
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(known == described, "the command line changed: UPDATE_COMMANDS=1 cargo test -p toolshape-cli");
    }
}

/// The scripts that complete the command line, by shell.
fn scripts() -> Value {
    let shells = SHELLS.map(|(name, shell)| (name.to_owned(), crate::completions::script(shell).into()));
    Value::Object(shells.into_iter().collect())
}

/// Flags that are not the option of their name: they take a place, an embedded encoding, the form of findings, or ask for the
/// schema of the value.
const OTHERS: [(&str, &str); 8] = [
    ("", "store"),
    ("run", "store"),
    ("read", "store"),
    ("hook", "store"),
    ("count", "encoding"),
    ("lint", "format"),
    ("shape", "schema"),
    ("read", "schema"),
];

#[test]
fn a_flag_is_the_option_of_its_name() {
    let program = Arguments::command();
    let mut checked = 0;
    let relay = &OF_RELAY[..];
    for (name, own) in [
        ("", relay),
        ("shape", &OF_CALL),
        ("run", relay),
        ("read", &OF_CALL),
        ("hook", relay),
        ("serve", relay),
        ("count", &[]),
        ("measure", &[]),
        ("lint", &[]),
    ] {
        let options = [own, &OF_TOOL].concat();
        let command = program.find_subcommand(name).unwrap_or(&program);
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long().filter(|flag| !OTHERS.contains(&(name, flag))) else { continue };
            let is_of = |option: &&OptionSpec| Naming::Snake.spell(option.name) == flag.replace('-', "_");
            let Some(option) = options.iter().find(is_of) else { continue };
            assert_eq!(arg.get_help().unwrap().to_string(), help(&options, option.name), "{name} --{flag}");
            assert_eq!(is_number(arg), matches!(option.takes, Takes::Whole(..)), "{name} --{flag}");
            checked += 1;
        }
    }
    assert_eq!(checked, 19);
}

fn described() -> Value {
    let mut program = Arguments::command().term_width(COLUMNS);
    program.build();
    let mut commands = Map::from_iter([(String::new(), command(&mut program.clone()))]);
    for one in program.get_subcommands_mut().filter(|one| one.get_name() != "help") {
        commands.insert(one.get_name().to_owned(), command(&mut one.clone()));
    }
    Value::Object(commands)
}

fn command(command: &mut Command) -> Value {
    let options = command.get_opts().chain(command.get_arguments().filter(|arg| is_flag(arg)));
    let options: Map<String, Value> =
        options.filter_map(|arg| Some((arg.get_long()?.to_owned(), option(command, arg)))).collect();
    // What the program prints: as long as the short help where no option has more to say.
    let asked = command.clone().try_get_matches_from(["toolshape", "--help"]).err().map(|help| help.to_string());
    json!({
        "help": shown(&command.render_help().to_string()),
        "longHelp": shown(&asked.unwrap_or_default()),
        "usage": shown(&command.render_usage().to_string()),
        // Whether the first word that is not an option begins another command line.
        "isTrailing": command.get_positionals().any(Arg::is_trailing_var_arg_set),
        "options": options,
        "positionals": command.get_positionals().map(|arg| positional(command, arg)).collect::<Vec<Value>>(),
    })
}

fn positional(command: &Command, arg: &Arg) -> Value {
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string);
    let mut described =
        Map::from_iter([("name".to_owned(), json!(name)), ("isRequired".to_owned(), json!(arg.is_required_set()))]);
    let allowed = allowed(arg);
    if !allowed.is_empty() {
        described.insert("allowed".to_owned(), json!(allowed));
    }
    if refuses_empty(command, arg) {
        described.insert("refusesEmpty".to_owned(), json!(true));
    }
    Value::Object(described)
}

/// Whether an empty text is refused as the value of an argument.
fn refuses_empty(command: &Command, arg: &Arg) -> bool {
    let before = match arg.get_long() {
        Some(long) => vec![format!("--{long}")],
        None => vec!["x".to_owned(); command.get_positionals().take_while(|one| one.get_id() != arg.get_id()).count()],
    };
    let words = iter::once("toolshape".to_owned()).chain(before).chain([String::new()]);
    let refused = command.clone().try_get_matches_from(words).err();
    allowed(arg).is_empty() && refused.is_some_and(|error| error.kind() == ErrorKind::InvalidValue)
}

/// The only values that an argument takes.
fn allowed(arg: &Arg) -> Vec<String> {
    arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
}

fn shown(text: &str) -> String {
    text.trim_end().to_owned() + "\n"
}

fn is_flag(arg: &Arg) -> bool {
    arg.get_long().is_some() && !arg.get_action().takes_values()
}

fn is_number(arg: &Arg) -> bool {
    [TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|number| arg.get_value_parser().type_id() == *number)
}

fn option(command: &Command, arg: &Arg) -> Value {
    let mut described = Map::new();
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    if !aliases.is_empty() {
        described.insert("aliases".to_owned(), json!(aliases));
    }
    let conflicts: Vec<&str> =
        command.get_arg_conflicts_with(arg).into_iter().filter_map(|other| other.get_long()).collect();
    if !conflicts.is_empty() && !arg.is_exclusive_set() {
        described.insert("conflicts".to_owned(), json!(conflicts));
    }
    if let Some(short) = arg.get_short() {
        described.insert("short".to_owned(), json!(short));
    }
    if arg.get_action().takes_values() {
        let names = arg.get_value_names().unwrap_or_default();
        described.insert("value".to_owned(), json!(names.first().map(|name| name.as_str())));
        if is_number(arg) {
            described.insert("isNumber".to_owned(), json!(true));
        }
        let allowed = allowed(arg);
        if !allowed.is_empty() {
            described.insert("allowed".to_owned(), json!(allowed));
        }
        if refuses_empty(command, arg) {
            described.insert("refusesEmpty".to_owned(), json!(true));
        }
    }
    if let Some(delimiter) = arg.get_value_delimiter() {
        described.insert("delimiter".to_owned(), json!(delimiter));
    }
    if matches!(arg.get_action(), ArgAction::Append) {
        described.insert("repeats".to_owned(), json!(true));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if let ([default], true) = (&defaults[..], arg.get_action().takes_values()) {
        described.insert("default".to_owned(), json!(default));
    }
    Value::Object(described)
}
