//! The changes of a file.

use std::ops::Range;

use crate::edit::{edited, inserted, quoted};
use crate::files::{Format, HostFile};
use crate::server::Server;
use crate::{Refusal, address, servers};

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
/// The member with the arguments of a program.
const ARGUMENTS: &str = "args";

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
    }
    let text = edited(text, edits);
    let mut edits = Vec::new();
    for server in servers(file, &text)?.iter().filter(|server| wanted.iter().any(|wanted| is_same(wanted, server))) {
        let Some(reader) = (relay.reader)(server) else { continue };
        for list in server.spans.tools.iter().filter(|list| !list.tools.is_empty()) {
            if !list.tools.iter().any(|(_, tool)| *tool == reader || tool == "*") {
                let first = list.tools[0].0.start;
                edits.push((first..first, inserted(&text, first, list.is_in_lines, &[quoted(&reader)])));
            }
        }
    }
    let changed =
        Change { text: edited(&text, edits), servers: wanted.iter().map(|server| server.name.clone()).collect() };
    let command = |server: &Server| match wanted.iter().any(|wanted| is_same(wanted, server)) {
        true => server.behind(relay.words).0,
        false => server.command.clone(),
    };
    checked(file, &before, changed, &command)
}

/// Takes toolshape away from the chosen servers. Of arguments that are empty then, `original`, a text of before toolshape, says whether
/// they were there; without it they go.
///
/// # Errors
/// As [`wrap`].
pub fn unwrap(
    file: &HostFile,
    text: &str,
    original: Option<&str>,
    chosen: &dyn Fn(&Server) -> bool,
) -> Result<Change, Refusal> {
    let before = servers(file, text)?;
    let old = original.and_then(|text| servers(file, text).ok()).unwrap_or_default();
    let had_list = |server: &Server| old.iter().any(|old| is_same(old, server) && old.spans.list.is_some());
    let wanted: Vec<&Server> = before.iter().filter(|server| server.is_wrapped() && chosen(server)).collect();
    let mut edits: Vec<Edit> =
        wanted.iter().filter_map(|server| unwrapping(text, server, had_list(server))).flatten().collect();
    let with_lists = wanted.iter().filter(|server| server.entry_before().is_none());
    for list in with_lists.flat_map(|server| &server.spans.tools) {
        if let [(reader, name), (next, _), ..] = &list.tools[..]
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
    checked(file, &before, changed, &command)
}

/// Puts options into the words of the chosen relays, or takes them out: those of toolshape are before the `--`.
///
/// # Errors
/// As [`wrap`].
pub fn set_words(
    file: &HostFile,
    text: &str,
    chosen: &dyn Fn(&Server) -> bool,
    words: &[String],
    is_set: bool,
) -> Result<String, Refusal> {
    let before = servers(file, text)?;
    let mut edits: Vec<Edit> = Vec::new();
    for server in before.iter().filter(|server| chosen(server)) {
        let Some(own) = server.own_command() else { continue };
        let at = server.command[..own].windows(words.len()).position(|window| window == words);
        // Without a program of its own the list has the whole command.
        let place = |word: usize| server.spans.words.get(if server.spans.program.is_some() { word - 1 } else { word });
        match (at, is_set) {
            (None, true) => {
                let Some(end) = place(own - 1) else { continue };
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                edits.push((end.start..end.start, inserted(text, end.start, server.spans.is_in_lines, &words)));
            }
            (Some(at), false) => {
                let (Some(first), Some(next)) = (place(at), place(at + words.len())) else { continue };
                edits.push((first.start..next.start, String::new()));
            }
            _ => {}
        }
    }
    let changed = Change { text: edited(text, edits), servers: Vec::new() };
    let after = servers(file, &changed.text)?;
    let is_right = before.len() == after.len()
        && before.iter().zip(&after).all(|(old, new)| is_same(old, new) && old.bare_command() == new.bare_command());
    if is_right { Ok(changed.text) } else { Err(Refusal("its form is not known".to_owned())) }
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
    if let (true, Some(entry)) = (server.has_fixed_headers(), server.spans.entry.clone()) {
        return Ok(vec![(entry, address::wrapped(file, text, server, relay.words).ok_or_else(unknown)?)]);
    }
    let words = server.relay_words(relay.words);
    let Some(program) = server.spans.program.clone() else {
        // The whole command is one list.
        let first = server.spans.words.first().ok_or_else(unknown)?.start;
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        return Ok(vec![(first..first, format!("{}, \"--\", ", words.join(", ")))]);
    };
    let (first, rest) = words.split_first().ok_or_else(unknown)?;
    let own = &text[program.clone()];
    // Without quotes it may have letters that end it in a list.
    let is_plain =
        own.starts_with(['"', '\'']) || own.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./".contains(&byte));
    let own = if is_plain { own.to_owned() } else { quoted(&server.command[0]) };
    let added = [&rest.iter().map(|word| quoted(word)).collect::<Vec<_>>()[..], &["\"--\"".to_owned(), own]].concat();
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let start = quoted(first);
    Ok(match (&server.spans.list, server.spans.words.first()) {
        (Some(_), Some(word)) => {
            let at = word.start;
            vec![(program, start), (at..at, inserted(text, at, server.spans.is_in_lines, &added))]
        }
        (Some(_), None) if server.spans.is_in_lines => return Err(unknown()),
        (Some(list), None) => vec![(program, start), (list.start + 1..list.start + 1, added.join(", "))],
        (None, _) => {
            let arguments = format!("[{}]", added.join(", "));
            let arguments = match file.format {
                Format::Toml => format!("{end_of_line}args = {arguments}"),
                Format::Yaml => {
                    let line = text[..program.start].rfind('\n').map_or(0, |end| end + 1);
                    let lead: String =
                        text[line..program.start].chars().take_while(|letter| " -\t".contains(*letter)).collect();
                    format!("{end_of_line}{}args: {arguments}", lead.replace('-', " "))
                }
                Format::Json => format!(", \"args\": {arguments}"),
            };
            vec![(program, start + &arguments)]
        }
    })
}

/// By what the entry itself has, which the host may have written again.
fn unwrapping(text: &str, server: &Server, had_list: bool) -> Option<Vec<Edit>> {
    if let (Some(before), Some(entry)) = (server.entry_before(), server.spans.entry.clone()) {
        return Some(vec![(entry, before.to_owned())]);
    }
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
            let between = text.get(program.end..list.start).unwrap_or_default();
            let is_inserted =
                between.trim_matches(|letter: char| letter.is_whitespace() || ",\":=".contains(letter)) == ARGUMENTS;
            if is_inserted && !had_list && spans.words.len() == in_list + 1 {
                return Some(vec![own_program, (program.end..list.end, String::new())]);
            }
            // Of a comma that a host has written nothing stays.
            let is_last = text[word.end..list.end - 1].trim().is_empty();
            let empty = if is_last { word.end } else { list.end - 1 };
            let end = spans.words.get(in_list + 1).map_or(empty, |next| next.start);
            Some(vec![own_program, (spans.words.first()?.start..end, String::new())])
        }
    }
}
