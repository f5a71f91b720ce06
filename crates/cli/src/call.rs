//! `toolshape call`: one call of a tool, and what a host's model reads of its result.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use toolshape::Shaper;
use toolshape::host::{HOSTS, Host};
use toolshape_hosts::{files, hooks};
use toolshape_proxy::ConfiguredServer;

use crate::arguments::CallArguments;
use crate::{output, survey};

/// The host of a name: that of `install`, or how its title or its client's name begins. One of which no limit is known has none.
fn named(name: &str) -> Result<Host> {
    let letters = |text: &str| text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "");
    let is_it = |host: &&Host| letters(host.title).starts_with(&letters(name)) && !letters(name).is_empty();
    let is_installed =
        || files().iter().map(|file| file.host).chain(hooks().iter().map(|hook| hook.host)).any(|host| host == name);
    match HOSTS.iter().find(is_it).copied().unwrap_or_else(|| Host::of(Some(name))) {
        host if host.title.is_empty() && !is_installed() => {
            let mut known: BTreeSet<&str> = HOSTS.iter().map(|host| host.title).collect();
            known.extend(files().iter().map(|file| file.host));
            bail!(
                "{name} is not a host that toolshape knows; it takes {}",
                known.into_iter().collect::<Vec<_>>().join(", ")
            )
        }
        host => Ok(host),
    }
}

/// Prints what the model reads; the tokens go to the standard error.
pub fn run(asked: &CallArguments) -> Result<u8> {
    let options = asked.policy.read()?;
    let shaper = Shaper::new(options.policy);
    let host = asked.host.as_deref().map_or_else(|| Ok(Host::of(None)), named)?;
    let arguments: Map<String, Value> = serde_json::from_str(&asked.arguments)
        .map_err(|error| anyhow::anyhow!("the arguments are not a JSON object: {error}"))?;
    let script = json!([{ "tool": asked.tool, "arguments": arguments }]).to_string();
    let server = match &asked.url {
        Some(url) => ConfiguredServer::at(url),
        None => ConfiguredServer::started_by(&asked.server),
    };
    let surveyed = survey::ask(None, &server, &asked.header, Some(&script), &options.redaction, asked.timeout)?;
    let known: Vec<&str> = surveyed.tools().collect();
    if !known.is_empty() && !known.contains(&&*asked.tool) {
        bail!("the server has no tool {}; it has {}", asked.tool, known.join(", "));
    }
    let Some(seen) = surveyed.seen_by(&host, &shaper, &options.redaction, toolshape_account::now())?.pop() else {
        let notes = surveyed.notes().join("; ");
        bail!("{}", options.redaction.of_text(&notes).unwrap_or(notes));
    };
    output::print(format!("{}\n", seen.text))?;
    let title = if host.title.is_empty() { "a host without a limit" } else { host.title };
    output::say(&format!("toolshape: {title} shows {} tokens; without toolshape {}", seen.with, seen.without));
    Ok(0)
}
