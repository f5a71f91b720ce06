//! The place of an option that was found in another object of options.

use crate::request::call::OF_CALL;
use crate::request::host_options::{OF_ADAPTER, OF_ARCHIVE};
use crate::request::option_spec::OptionSpec;
use crate::request::policy::{OF_ALL_TOOLS, OF_TOOL};
use crate::request::reader::Naming;

/// The object that has an option of this name; `None` if none has.
pub fn place_of(option: &str, naming: Naming) -> Option<&'static str> {
    let tables: [(&[OptionSpec], &str); 5] = [
        (&OF_TOOL, "the policy"),
        (&OF_ALL_TOOLS, "the policy"),
        (&OF_ADAPTER, "an adapter"),
        (&OF_ARCHIVE, "an adapter or an archive"),
        (&OF_CALL, "a call"),
    ];
    let has = |table: &[OptionSpec]| table.iter().any(|spec| naming.spell(spec.name) == option);
    tables.into_iter().find(|(table, _)| has(table)).map(|(_, place)| place)
}
