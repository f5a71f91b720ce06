//! The changes of a file.

use std::ops::Range;

use crate::edit::{edited, quoted};
use crate::files::{Format, HostFile};
use crate::reader::remove_reader;
use crate::server::Server;
use crate::{Refusal, servers};

/// The words that start toolshape before a command, without the `--`.
#[derive(Clone, Copy)]
pub struct Relay<'a> {
    pub words: &'a [String],
    /// The tool that reads stored results of a server: where a host shows chosen tools alone, it is chosen too.
    pub reader: &'a dyn Fn(&Server) -> Option<String>,
}

/// A changed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub text: String,
    /// The servers that are not as before.
    pub servers: Vec<String>,
}

/// How the names of readers begin.
const READER: &str = "read_result";

type Edit = (Range<usize>, String);

/// Puts toolshape before the chosen servers: those that a command starts, and that it is not before yet.
///
/// # Errors
/// As [`servers`](crate::servers), and a text in which a change does not read as it is meant.
pub fn wrap(
    file: &HostFile,
    text: &str,
    relay: Relay<'_>,
    chosen: &dyn Fn(&Server) -> bool,
) -> Result<Change, Refusal> {
    let before = servers(file, text)?;
    let to_wrap = |server: &&Server| server.may_be_wrapped() && chosen(server);
    let wanted: Vec<&Server> = before.iter().filter(to_wrap).collect();
    let mut edits = Vec::new();
    for server in &wanted {
        edits.extend(wrapping(file, text, server, relay)?);
        let filter = server.spans.filter.as_ref().filter(|filter| file.filter.is_some() && !filter.tools.is_empty());
        if let (Some(filter), Some(reader)) = (filter, (relay.reader)(server))
            && !filter.tools.iter().any(|(_, tool)| *tool == reader || tool == "*")
        {
            let first = filter.tools[0].0.start;
            edits.push((first..first, format!("{}, ", quoted(&reader))));
        }
    }
    let changed =
        Change { text: edited(text, edits), servers: wanted.iter().map(|server| server.name.clone()).collect() };
    let command = |server: &Server| match wanted.iter().any(|wanted| is_same(wanted, server)) {
        true => [relay.words, &["--".to_owned()], &server.command].concat(),
        false => server.command.clone(),
    };
    checked(file, &before, changed, &command)
}

/// Takes toolshape away from the chosen servers.
///
/// # Errors
/// As [`wrap`].
pub fn unwrap(file: &HostFile, text: &str, chosen: &dyn Fn(&Server) -> bool) -> Result<Change, Refusal> {
    let before = servers(file, text)?;
    let wanted: Vec<&Server> = before.iter().filter(|server| server.is_wrapped() && chosen(server)).collect();
    let mut edits: Vec<Edit> = wanted.iter().filter_map(|server| unwrapping(text, server)).flatten().collect();
    for server in &wanted {
        if let (Some(filter), true) = (&server.spans.filter, file.filter.is_some())
            && let [(reader, name), (next, _), ..] = &filter.tools[..]
            && name.starts_with(READER)
        {
            edits.push((reader.start..next.start, String::new()));
        }
    }
    let changed =
        Change { text: edited(text, edits), servers: wanted.iter().map(|server| server.name.clone()).collect() };
    let command = |server: &Server| match wanted.iter().any(|wanted| is_same(wanted, server)) {
        true => server.bare_command().to_vec(),
        false => server.command.clone(),
    };
    let mut changed = checked(file, &before, changed, &command)?;
    // Where nothing is kept, nothing is read.
    if !changed.servers.is_empty() && !servers(file, &changed.text)?.iter().any(Server::is_wrapped) {
        changed.text = remove_reader(file, &changed.text)?;
    }
    Ok(changed)
}

fn is_same(one: &Server, other: &Server) -> bool {
    one.name == other.name && one.place == other.place
}

/// The change, if its text reads as it is meant.
fn checked(
    file: &HostFile,
    before: &[Server],
    changed: Change,
    command: &dyn Fn(&Server) -> Vec<String>,
) -> Result<Change, Refusal> {
    let after = servers(file, &changed.text)?;
    let is_right = after.len() == before.len()
        && before.iter().zip(&after).all(|(old, new)| is_same(old, new) && new.command == command(old));
    if is_right { Ok(changed) } else { Err(Refusal("its form is not known".to_owned())) }
}

fn wrapping(file: &HostFile, text: &str, server: &Server, relay: Relay<'_>) -> Result<Vec<Edit>, Refusal> {
    let unknown = || Refusal(format!("the form of server {:?} is not known", server.name));
    let words = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
    let Some(program) = server.spans.program.clone() else {
        // The whole command is one list.
        let first = server.spans.words.first().ok_or_else(unknown)?.start;
        return Ok(vec![(first..first, format!("{}, \"--\", ", words(relay.words)))]);
    };
    let (first, rest) = relay.words.split_first().ok_or_else(unknown)?;
    let own = &text[program.clone()];
    let added = [&rest.iter().map(|word| quoted(word)).collect::<Vec<_>>()[..], &["\"--\"".to_owned(), own.to_owned()]]
        .concat();
    let added = added.join(", ");
    Ok(match &server.spans.list {
        Some(list) => {
            let (at, comma) = server.spans.words.first().map_or((list.start + 1, ""), |first| (first.start, ", "));
            vec![(program, quoted(first)), (at..at, format!("{added}{comma}"))]
        }
        None if file.format == Format::Toml => {
            let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
            vec![(program, format!("{}{end_of_line}args = [{added}]", quoted(first)))]
        }
        None => vec![(program, format!("{}, \"args\": [{added}]", quoted(first)))],
    })
}

/// By what the entry itself has, which the host may have written again.
fn unwrapping(text: &str, server: &Server) -> Option<Vec<Edit>> {
    let own = server.own_command()?;
    let spans = &server.spans;
    let list = spans.list.clone()?;
    // Without a program of its own the list has the whole command.
    let in_list = if spans.program.is_some() { own - 1 } else { own };
    let word = spans.words.get(in_list)?.clone();
    match &spans.program {
        None => Some(vec![(spans.words.first()?.start..word.start, String::new())]),
        Some(program) => {
            let own_program = (program.clone(), text[word.clone()].to_owned());
            // An empty list, as it was inserted or was there, stays; of a comma that a host has written nothing does.
            let is_last = text[word.end..list.end - 1].trim().is_empty();
            let empty = if is_last { word.end } else { list.end - 1 };
            let end = spans.words.get(in_list + 1).map_or(empty, |next| next.start);
            Some(vec![own_program, (spans.words.first()?.start..end, String::new())])
        }
    }
}
