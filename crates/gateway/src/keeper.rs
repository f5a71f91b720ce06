//! The store, divided by tenants: the keys of one tenant never reach a value of another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use toolshape_proxy::{StoreReply, StoreRequest};
use toolshape_stores::Store;

use crate::report::Reporting;

/// The store for all tenants.
pub struct Keeper {
    store: Option<Arc<dyn Store>>,
    kept_for: Duration,
    reporting: Arc<Reporting>,
}

/// The part of the store that a tenant has.
#[derive(Clone)]
pub struct TenantKeeper {
    keeper: Arc<Keeper>,
    /// None stores nothing.
    tenant: Option<Arc<str>>,
    /// The owner of the results of tools.
    owner: Arc<str>,
    has_owner: bool,
}

impl Keeper {
    pub fn new(store: Option<Arc<dyn Store>>, kept_for: Duration, reporting: Arc<Reporting>) -> Self {
        Self { store, kept_for, reporting }
    }

    /// The part of a tenant, whose results of tools are divided by the name of a server, and by the kind and the name of an owner.
    pub fn for_tenant(
        self: &Arc<Self>,
        tenant: Option<Arc<str>>,
        server: &str,
        [kind, named]: [&str; 2],
    ) -> TenantKeeper {
        let of_tenant = tenant.as_deref().unwrap_or_default();
        let has_owner = !named.is_empty();
        let owner = digest(&[of_tenant, server, kind, named]).into();
        TenantKeeper { keeper: Arc::clone(self), tenant, owner, has_owner }
    }
}

impl TenantKeeper {
    pub fn has_store(&self) -> bool {
        self.keeper.store.is_some() && self.tenant.is_some()
    }

    /// The name of the owner of the results of tools.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Whether its results are those of one caller: that of a tenant may be everybody who has no name.
    pub fn has_owner(&self) -> bool {
        self.has_owner
    }

    pub fn kept_for(&self) -> Duration {
        self.keeper.kept_for
    }

    /// The name of the tenant; an empty one of nobody.
    pub fn tenant(&self) -> &str {
        self.tenant.as_deref().unwrap_or_default()
    }

    /// The value under a key; none if there is no store.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub async fn read(&self, key: &str) -> Result<Option<String>, String> {
        match self.carry_out(StoreRequest::Read { key: key.to_owned() }, self.tenant.clone()).await {
            StoreReply::Value(value) => Ok(value),
            StoreReply::Done => Ok(None),
            StoreReply::Failed(reason) => Err(reason),
        }
    }

    /// Writes a value. Failures are counted; whoever needs the value sees that it is not there.
    pub async fn write(&self, key: &str, value: String) {
        self.carry_out(StoreRequest::Write { key: key.to_owned(), value, owner: None }, self.tenant.clone()).await;
    }

    /// Does what a relay wants with the results of tools.
    pub async fn ask(&self, wanted: StoreRequest) -> StoreReply {
        self.carry_out(wanted, self.tenant.as_ref().map(|_| Arc::clone(&self.owner))).await
    }

    /// Deletes all that the tenant has, and returns how many values there were.
    ///
    /// # Errors
    /// Why they cannot be deleted.
    pub async fn delete_all(&self) -> Result<u64, String> {
        let (Some(store), Some(tenant)) = (self.keeper.store.clone(), self.tenant.clone()) else { return Ok(0) };
        let deleted = tokio::task::spawn_blocking(move || store.delete_all(&tenant)).await;
        deleted.map_err(|_| "the store has ended".to_owned())?.map_err(|error| error.message().to_owned())
    }

    /// `owner`: whose values these are.
    async fn carry_out(&self, wanted: StoreRequest, owner: Option<Arc<str>>) -> StoreReply {
        let (Some(store), Some(tenant), Some(owner)) = (self.keeper.store.clone(), self.tenant.clone(), owner) else {
            return StoreReply::Value(None);
        };
        let (operation, written) = match &wanted {
            StoreRequest::Write { value, .. } => ("write", value.len()),
            _ => ("read", 0),
        };
        let is_quick = store.is_quick();
        let kept_for = self.keeper.kept_for;
        let work = move || match wanted {
            StoreRequest::Read { key } => {
                let stored_under = stored_under(&tenant, &owner, &key);
                let value = store.read(&stored_under);
                // What is read is wanted for longer. If that fails, it is there all the same.
                if value.as_ref().is_ok_and(Option::is_some) && is_content(&key) {
                    let _ = store.renew(&stored_under, kept_for);
                }
                value.map(StoreReply::Value)
            }
            StoreRequest::Write { key, value, .. } => {
                let stored_under = stored_under(&tenant, &owner, &key);
                let written = if is_content(&key) {
                    store.write_content(&stored_under, value, kept_for, Some(&tenant))
                } else {
                    store.write(&stored_under, value, kept_for, Some(&tenant))
                };
                written.map(|()| StoreReply::Done)
            }
            // SQLite is in this program.
            StoreRequest::Ask { .. } => Ok(StoreReply::Value(None)),
        };
        let asked = Instant::now();
        let done = if is_quick { Ok(work()) } else { tokio::task::spawn_blocking(work).await };
        let read = if let Ok(Ok(StoreReply::Value(Some(value)))) = &done { value.len() } else { 0 };
        self.keeper.reporting.metrics.store_asked(operation, asked.elapsed(), written + read);
        let reason = match done {
            Ok(Ok(reply)) => return reply,
            Ok(Err(error)) => error.message().to_owned(),
            Err(_) => "the store has ended".to_owned(),
        };
        self.keeper.reporting.metrics.store_failed();
        StoreReply::Failed(reason)
    }
}

/// Whether a key is made from what it names.
fn is_content(key: &str) -> bool {
    key.len() > 64 && !key.ends_with(".handle")
}

/// The key in the store. It has the form of a content's key, which each store accepts, and begins with the tenant, so that all of
/// a tenant can be deleted.
fn stored_under(tenant: &str, owner: &str, key: &str) -> String {
    format!("{tenant}{}.json", &digest(&[owner, key])[..64 - tenant.len()])
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The SHA-256 of some texts, in hex digits. Each text has its length before it, so that none runs into the next.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digits = hash.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    String::from_utf8(digits.map(|digit| DIGITS[usize::from(digit)]).collect()).unwrap_or_default()
}
