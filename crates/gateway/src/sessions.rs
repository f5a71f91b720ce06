//! What the exchanges of a session have in common: the client, the server and the tools, in the store, where any replica reads it.
//!
//! The list of tools is stored under its hash, so that sessions with the same tools share one, and a replica plans them once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolshape_proxy::{KnownTools, Relay};

use crate::keeper::{TenantKeeper, digest};
use crate::lock::locked;
use crate::recent::Recent;
use crate::upstream::Upstream;

/// The lists of tools that a process has planned.
const PLANS: usize = 200;
/// How long a session is not read again for calls of tools: as long as another replica may not know that they have changed.
const FRESH: Duration = Duration::from_secs(5);

/// A session, as the store has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SessionRecord {
    client: Option<String>,
    server: Option<String>,
    /// The hash of the list of tools.
    tools: Option<String>,
    /// When it was written, in seconds since 1970.
    at: u64,
}

/// A session, and a relay with what is known of it.
pub struct Session {
    key: String,
    record: SessionRecord,
    origin: Arc<Relay>,
    /// The tools of the exchange when they were last saved.
    saved: KnownTools,
    /// Whether requests of several clients are in it: those without a session's id.
    is_shared: bool,
}

/// The names of the server and of its upstream, the hash of its tools, and whether there is a store.
type Plan = (Arc<str>, String, String, bool);

/// A session as this process last read or wrote it.
#[derive(Clone)]
struct RecentSession {
    record: SessionRecord,
    at: Instant,
}

/// The sessions that this process has seen, for when the store fails, and the tools that it has planned.
pub struct Sessions {
    recent: Recent<RecentSession>,
    plans: Mutex<HashMap<Plan, Arc<Relay>>>,
}

impl Sessions {
    /// Remembers about this many sessions.
    pub fn new(most: usize) -> Self {
        Self { recent: Recent::new(most), plans: Mutex::default() }
    }

    /// The session with this id of this tenant, for calls of these tools.
    pub async fn load(&self, keeper: &TenantKeeper, upstream: &Upstream, id: Option<&str>, tools: &[&str]) -> Session {
        let key = self.key(upstream, id);
        if let Some(session) = self.fresh(keeper, upstream, &key, tools) {
            return Session { is_shared: id.is_none(), ..session };
        }
        let (record, is_lost) = self.read(keeper, &key).await;
        let origin = self.relay(keeper, upstream, &record).await;
        let age = now().saturating_sub(record.at);
        self.remember(keeper, &key, record.clone());
        let saved = origin.tools();
        let mut session = Session { key, record, origin, saved, is_shared: id.is_none() };
        if is_lost || session.record.at > 0 && age > keeper.kept_for().as_secs() / 2 {
            self.write(keeper, upstream, &mut session).await;
        }
        session
    }

    /// A session that was read a short while ago, for calls of tools alone: all of them were listed, or nobody knew the session.
    fn fresh(&self, keeper: &TenantKeeper, upstream: &Upstream, key: &str, tools: &[&str]) -> Option<Session> {
        if tools.is_empty() {
            return None;
        }
        let record = self.recent(keeper, key, |recent| recent.at.elapsed() < FRESH)?;
        let place = place(keeper, upstream, &record);
        let planned = locked(&self.plans).get(&place).map(Arc::clone)?;
        if record.at > 0 && !tools.iter().all(|tool| planned.lists(tool)) {
            return None;
        }
        let origin = named(planned, &record);
        Some(Session { key: key.to_owned(), saved: origin.tools(), record, origin, is_shared: false })
    }

    /// A session of which nothing has been read.
    pub fn unread(&self, keeper: &TenantKeeper, upstream: &Upstream, id: Option<&str>) -> Session {
        let origin = Arc::new(upstream.blank(keeper.has_store()).branch());
        let (key, record, saved) = (self.key(upstream, id), SessionRecord::default(), origin.tools());
        Session { key, record, origin, saved, is_shared: id.is_none() }
    }

    /// The server has given the session an id.
    pub fn begin(&self, session: &mut Session, upstream: &Upstream, id: &str) {
        session.key = self.key(upstream, Some(id));
        session.is_shared = false;
    }

    /// Writes what a relay has learned since the session was loaded. What other exchanges wrote in the meantime stays.
    pub async fn save(&self, keeper: &TenantKeeper, upstream: &Upstream, session: &mut Session, relay: &Relay) {
        let (client, server) = relay.names();
        let client = client.filter(|_| !session.is_shared);
        let has_tools = !relay.has_tools(&session.saved);
        let is_new = |now: Option<&str>, known: &Option<String>| now.is_some() && now != known.as_deref();
        let known = &session.record;
        if !has_tools && !is_new(client, &known.client) && !is_new(server, &known.server) {
            return;
        }
        let (mut record, _) = self.read(keeper, &session.key).await;
        record.client = client.map(str::to_owned).or(record.client);
        record.server = server.map(str::to_owned).or(record.server);
        let is_dropped = relay.known_tools()["tools"].as_array().is_none_or(Vec::is_empty);
        session.origin = match has_tools && !is_dropped && record.tools != session.record.tools {
            // Another exchange has read another page of the list.
            true => {
                let mut merged = self.relay(keeper, upstream, &record).await.branch();
                merged.know_tools(&relay.known_tools());
                Arc::new(merged)
            }
            false => Arc::new(relay.branch()),
        };
        if has_tools && is_dropped {
            record.tools = None;
        }
        session.record = record;
        session.saved = relay.tools();
        self.write(keeper, upstream, session).await;
    }

    async fn write(&self, keeper: &TenantKeeper, upstream: &Upstream, session: &mut Session) {
        let tools = session.origin.known_tools();
        if tools["tools"].as_array().is_some_and(|tools| !tools.is_empty()) {
            let text = tools.to_string();
            let hash = digest(&["tools", &text]);
            keeper.write(&digest(&["tools", &hash]), text).await;
            session.record.tools = Some(hash);
        }
        session.record.at = now();
        self.remember(keeper, &session.key, session.record.clone());
        self.plan(keeper, upstream, &session.record, Arc::new(session.origin.branch().with_names(None, None)));
        keeper.write(&session.key, json!(session.record).to_string()).await;
    }

    /// A relay with what a record names.
    async fn relay(&self, keeper: &TenantKeeper, upstream: &Upstream, record: &SessionRecord) -> Arc<Relay> {
        let place = place(keeper, upstream, record);
        let planned = locked(&self.plans).get(&place).map(Arc::clone);
        let planned = match planned {
            Some(planned) => planned,
            None => {
                let mut relay = upstream.blank(keeper.has_store()).branch().with_names(None, record.server.as_deref());
                let mut is_whole = true;
                if let Some(hash) = &record.tools {
                    let tools = keeper.read(&digest(&["tools", hash])).await.ok().flatten();
                    let tools = tools.and_then(|tools| serde_json::from_str::<Value>(&tools).ok());
                    is_whole = tools.is_some();
                    tools.iter().for_each(|tools| relay.know_tools(tools));
                }
                let planned = Arc::new(relay);
                if is_whole {
                    self.plan(keeper, upstream, record, Arc::clone(&planned));
                }
                planned
            }
        };
        named(planned, record)
    }

    fn plan(&self, keeper: &TenantKeeper, upstream: &Upstream, record: &SessionRecord, planned: Arc<Relay>) {
        let mut plans = locked(&self.plans);
        if plans.len() >= PLANS {
            plans.clear();
        }
        plans.insert(place(keeper, upstream, record), planned);
    }

    /// The record of a session, and whether the store has lost it. What this process has seen is better than nothing.
    async fn read(&self, keeper: &TenantKeeper, key: &str) -> (SessionRecord, bool) {
        let stored = keeper.read(key).await;
        let is_there = stored.is_ok() && keeper.has_store();
        if let Some(record) = stored.ok().flatten().and_then(|text| serde_json::from_str(&text).ok()) {
            return (record, false);
        }
        let recent = self.recent(keeper, key, |recent| recent.record.at > 0);
        let is_lost = is_there && recent.is_some();
        (recent.unwrap_or_default(), is_lost)
    }

    fn key(&self, upstream: &Upstream, id: Option<&str>) -> String {
        match id {
            Some(id) => digest(&["session", &upstream.name, id]),
            None => digest(&["no session", &upstream.name]),
        }
    }

    fn recent(
        &self,
        keeper: &TenantKeeper,
        key: &str,
        is_wanted: impl Fn(&RecentSession) -> bool,
    ) -> Option<SessionRecord> {
        let found = self.recent.get(&(keeper.tenant().to_owned() + key)).filter(is_wanted);
        found.map(|recent| recent.record)
    }

    fn remember(&self, keeper: &TenantKeeper, key: &str, record: SessionRecord) {
        self.recent.put(keeper.tenant().to_owned() + key, RecentSession { record, at: Instant::now() });
    }
}

impl Session {
    /// A relay for an exchange.
    pub fn relay(&self) -> Relay {
        self.origin.branch()
    }
}

/// A relay of planned tools for the session's client.
fn named(planned: Arc<Relay>, record: &SessionRecord) -> Arc<Relay> {
    match &record.client {
        None => planned,
        Some(client) => Arc::new(planned.branch().with_names(Some(client.clone()), record.server.as_deref())),
    }
}

fn place(keeper: &TenantKeeper, upstream: &Upstream, record: &SessionRecord) -> Plan {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    (upstream.name.clone(), text(&record.server), text(&record.tools), keeper.has_store())
}

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
