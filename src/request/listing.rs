//! What was stored for a caller, the newest first, so that a model finds a handle again that it has lost.
//!
//! A store holds it under the key of a handle that no content has: that of the scope, or without one that of the session of
//! the call. With a key of the policy it has an HMAC-SHA256 (RFC 2104), as [tickets](super::ticket) have.
//!
//! A session of several programs has one list: after its name it may say, a line each, which processes a program is in, the
//! nearest first. What was stored in a process is listed to those that have it around them, or that it has around it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::request::call::Call;
use crate::request::content_id::{Namer, sign};
use crate::request::handle::Handle;
use crate::request::secret::Secret;

/// Distinguishes these names and signatures from those of contents and tickets.
const PURPOSE: &str = "toolshape listing 1\0";
/// A list is read and written with each result, so the oldest make room.
const MAX_BYTES: usize = 64 * 1024;
/// The most processes of an entry, which many sessions may have stored.
const MOST_PROCESSES: usize = 64;

/// A stored result, as it is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub handle: String,
    pub tool: String,
    /// When it was last stored, in seconds since 1970.
    pub at: u64,
    pub about: String,
    /// The processes of those who stored it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

/// The list of one scope or session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing(pub Vec<Listed>);

#[derive(Serialize, Deserialize)]
struct Written {
    listed: String,
    #[serde(default)]
    mac: String,
}

/// The key of the list of a call's scope or session; `None` for a caller without either.
pub(crate) fn key(call: &Call, keys: &[Secret]) -> Option<String> {
    let session = if call.owner().is_some() { "" } else { call.session.as_deref()?.lines().next().unwrap_or_default() };
    let namer = Namer::new(keys.first(), call.owner(), call.host_hash());
    Some(Handle::of(&namer.name(&format!("{PURPOSE}{session}"))).ticket_key())
}

/// The processes of a call.
pub(crate) fn processes(call: &Call) -> impl Iterator<Item = &str> {
    call.session.as_deref().into_iter().flat_map(|session| session.lines().skip(1))
}

impl Listed {
    /// Whether a caller in these processes, the nearest first, has it in his session.
    pub fn is_of(&self, processes: &[&str]) -> bool {
        let (Some(own), Some(theirs)) = (processes.first(), self.within.first()) else { return true };
        self.within.iter().any(|one| one == own) || processes.contains(&theirs.as_str())
    }

    /// Whether another entry says all of it.
    fn is_in(&self, other: &Self) -> bool {
        self.handle == other.handle && self.at <= other.at && self.within.iter().all(|one| other.within.contains(one))
    }
}

impl Listing {
    /// Whether it says all of an entry.
    pub fn has(&self, one: &Listed) -> bool {
        self.0.iter().any(|known| one.is_in(known))
    }

    /// The list in a text of the store; empty unless it has a signature of this scope by the first of the keys.
    pub fn read(text: &str, scope: Option<&str>, keys: &[Secret]) -> Self {
        let checked = || {
            let written: Written = serde_json::from_str(text).ok()?;
            if let Some(key) = keys.first() {
                let mac = URL_SAFE_NO_PAD.decode(&written.mac).ok()?;
                signature(&written.listed, key, scope).verify_slice(&mac).ok()?;
            }
            serde_json::from_str(&written.listed).ok()
        };
        Self(checked().unwrap_or_default())
    }

    /// The list with results that were stored now, each once.
    #[must_use]
    pub fn with(mut self, stored: &[Listed]) -> Self {
        for one in stored {
            let known = self.0.iter().position(|known| known.handle == one.handle).map(|at| self.0.remove(at));
            let (mut newest, other) = match known {
                Some(known) if known.at > one.at => (known, Some(one.clone())),
                known => (one.clone(), known),
            };
            let more = other.into_iter().flat_map(|other| other.within);
            let more: Vec<String> = more.filter(|process| !newest.within.contains(process)).collect();
            newest.within.extend(more);
            newest.within.truncate(MOST_PROCESSES);
            self.0.insert(0, newest);
        }
        self.0.sort_by_key(|one| std::cmp::Reverse(one.at));
        self
    }

    /// The text for the store.
    pub fn to_text(&self, scope: Option<&str>, keys: &[Secret]) -> String {
        let mut room = MAX_BYTES;
        let fits = |one: &&Listed| {
            let within: usize = one.within.iter().map(String::len).sum();
            let bytes = one.handle.len() + one.tool.len() + one.about.len() + within;
            room = room.saturating_sub(bytes);
            room > 0
        };
        let listed = serde_json::to_string(&self.0.iter().take_while(fits).collect::<Vec<_>>()).unwrap_or_default();
        let mac = keys.first().map(|key| signature(&listed, key, scope).finalize().into_bytes());
        let written = Written { mac: mac.map(|mac| URL_SAFE_NO_PAD.encode(mac)).unwrap_or_default(), listed };
        serde_json::to_string(&written).unwrap_or_default()
    }
}

fn signature(listed: &str, key: &Secret, scope: Option<&str>) -> Hmac<Sha256> {
    sign(PURPOSE.as_bytes(), key, scope).chain_update(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(handle: &str, at: u64) -> Listed {
        Listed { handle: handle.to_owned(), tool: "list".to_owned(), at, about: String::new(), within: Vec::new() }
    }

    fn handles(listing: &Listing) -> Vec<&str> {
        listing.0.iter().map(|one| one.handle.as_str()).collect()
    }

    #[test]
    fn the_newest_is_first_and_each_is_there_once() {
        let list = Listing::default().with(&[listed("a", 1), listed("b", 2)]).with(&[listed("a", 3)]);
        assert_eq!(handles(&list), ["a", "b"]);
        assert_eq!(list.clone().with(&[listed("a", 2)]), list);
    }

    #[test]
    fn a_process_has_what_was_stored_in_it_or_around_it() {
        let of =
            |within: &[&str]| Listed { within: within.iter().map(|one| (*one).to_owned()).collect(), ..listed("a", 1) };
        let by_helper = of(&["helper", "host", "shell"]);
        for (processes, is_own) in [
            (&["host", "shell"][..], true),
            (&["script", "helper", "host", "shell"], true),
            (&["shell"], true),
            (&["other", "shell"], false),
            (&["script", "other", "shell"], false),
            (&[], true),
        ] {
            assert_eq!(by_helper.is_of(processes), is_own, "{processes:?}");
        }
        // Another session that stores the same is one more of it.
        let both = Listing::default().with(&[of(&["host"])]).with(&[of(&["other"])]);
        assert!(both.0.len() == 1 && both.0[0].is_of(&["host"]) && both.0[0].is_of(&["other"]));
        assert!(both.has(&of(&["host"])) && !both.has(&of(&["third"])));
    }

    #[test]
    fn the_oldest_make_room() {
        let long = |at: u64| Listed { about: "x".repeat(1000), ..listed(&at.to_string(), at) };
        let list = Listing::default().with(&(0..100).map(long).collect::<Vec<_>>());
        let text = list.to_text(None, &[]);
        let read = Listing::read(&text, None, &[]);
        assert!(text.len() < MAX_BYTES + 10_000 && (50..80).contains(&read.0.len()), "{}", read.0.len());
        assert_eq!(read.0[0].at, 99);
    }

    #[test]
    fn a_signed_list_holds_in_its_scope_and_says_what_it_said() {
        let keys: [Secret; 1] = ["the first secret of all".into()];
        let text = Listing(vec![listed("a", 1)]).to_text(Some("a"), &keys);
        assert_eq!(handles(&Listing::read(&text, Some("a"), &keys)), ["a"]);
        for (text, scope) in [
            (text.clone(), Some("b")),
            (text.replace("list", "free"), Some("a")),
            (Listing(vec![listed("a", 1)]).to_text(Some("a"), &[]), Some("a")),
            ("[1]".to_owned(), Some("a")),
        ] {
            assert_eq!(Listing::read(&text, scope, &keys), Listing::default(), "{text}");
        }
    }

    #[test]
    fn a_list_is_that_of_a_scope_or_else_of_a_session() {
        let keys: [Secret; 1] = ["the first secret of all".into()];
        let call = |scope: &str, session: &str| {
            let call = Call::new(&serde_json::json!({ "session": session }), crate::request::reader::Naming::Camel);
            let call = call.unwrap();
            key(&if scope.is_empty() { call } else { call.scope(scope) }, &keys)
        };
        assert_eq!(call("a", "1"), call("a", "2"));
        let others = [call("a", "1"), call("b", "1"), call("", "1"), call("", "2")];
        assert!(others.iter().enumerate().all(|(at, one)| one.is_some() && !others[..at].contains(one)));
        assert_eq!(key(&Call::default(), &keys), None);
    }
}
