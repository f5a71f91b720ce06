//! The flags of the command line that are options: each takes and says what the option of its name does.

use std::any::TypeId;

use clap::{Arg, CommandFactory};
use toolshape::host::{Naming, OF_CALL, OF_TOOL, OptionSpec, Takes};
use toolshape_proxy::OF_RELAY;

use crate::arguments::{Arguments, help};

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
    assert_eq!(checked, 20);
}

fn is_number(arg: &Arg) -> bool {
    [TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|number| arg.get_value_parser().type_id() == *number)
}
