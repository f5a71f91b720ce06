//! The command line as data: the program of the npm package reads it, so that both take the same and say the same.

use std::any::TypeId;
use std::path::Path;

use clap::{Arg, ArgAction, Command, CommandFactory};
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;

const FILE: &str = "../../pkg-templates/src/relay/commands.json";
/// How wide the help is where no terminal says it.
const COLUMNS: usize = 100;

#[test]
fn the_npm_package_has_the_same_command_line() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let described = format!("{:#}\n", described());
    if std::env::var_os("UPDATE_COMMANDS").is_some() {
        std::fs::write(&file, &described).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap();
    assert!(known == described, "the command line changed: UPDATE_COMMANDS=1 cargo test -p toolshape-cli");
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
    json!({
        "help": shown(&command.render_help().to_string()),
        "longHelp": shown(&command.render_long_help().to_string()),
        "usage": shown(&command.render_usage().to_string()),
        // Whether the first word that is not an option begins another command line.
        "isTrailing": command.get_positionals().any(Arg::is_trailing_var_arg_set),
        "options": options,
    })
}

fn shown(text: &str) -> String {
    text.trim_end().to_owned() + "\n"
}

fn is_flag(arg: &Arg) -> bool {
    arg.get_long().is_some() && !arg.get_action().takes_values()
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
        if [TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|number| arg.get_value_parser().type_id() == *number)
        {
            described.insert("isNumber".to_owned(), json!(true));
        }
        let allowed: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        if !allowed.is_empty() {
            described.insert("allowed".to_owned(), json!(allowed));
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
