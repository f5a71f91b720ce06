//! The options of the adapter in addition to the policy: where results are kept, who may read them, what is called.

use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ServerHandler;
use serde_json::{Map, Value, json};
use toolshape::host::{ArchiveOptions, Naming, Redacts, check_adapter_options};
use toolshape::{Error, Policy, Shaper};
use toolshape_stores::{MemoryStore, Store, TimedStore};

use crate::adapter::{Adapter, Callbacks};
use crate::archive::{AnyError, Archive, OnStoreError, Redact, Storage};
use crate::call::CallContext;
use crate::shaped::ShapedServer;

/// The store of servers whose author names none. All of a process share it, because many hosts make a server for each session
/// or each request, and a handle must outlive the one that returned it.
static MEMORY: LazyLock<Arc<dyn Store>> = LazyLock::new(|| Arc::new(MemoryStore::new()));

/// How the tools of servers are shaped: made once, and put around every server that a program makes.
///
/// ```
/// use rmcp::ServerHandler;
/// use toolshape_rmcp::{MemoryStore, Shaping, json};
///
/// #[derive(Clone)]
/// struct Articles;
/// impl ServerHandler for Articles {}
///
/// let shaping = Shaping::builder(json!({ "maxTokens": 2000, "cursorKey": "a secret of 32 bytes, not this one" }))
///     .store(MemoryStore::new())
///     .scope(|context| context.client_info().map(|client| client.name))
///     .build()?;
/// let for_each_session = move || Ok::<_, std::io::Error>(shaping.around(Articles));
/// # let _ = for_each_session();
/// # Ok::<(), toolshape_rmcp::Error>(())
/// ```
#[derive(Clone)]
pub struct Shaping {
    adapter: Arc<Adapter>,
    /// The adapter of the last server, by its name: most programs put one `Shaping` around servers of one name.
    named: Arc<Mutex<Option<NamedAdapter>>>,
}

/// The adapter of servers with a name.
struct NamedAdapter {
    server: String,
    adapter: Arc<Adapter>,
}

/// The name of a server whose author gives none.
const NAMELESS: &str = "rmcp";

impl Shaping {
    /// Begins with a policy, in the camelCase spelling of its options; `json!({})` has their defaults.
    pub fn builder(policy: Value) -> ShapingBuilder {
        ShapingBuilder {
            policy,
            place: StoreChoice::Shared,
            options: Map::new(),
            callbacks: Callbacks::default(),
            redact: None,
            on_store_error: None,
            summarizes: false,
        }
    }

    /// The server with shaping around it: every message but those about tools and stored results is the server's own. The
    /// tool that reads stored results has the server's name, such as `read_result_github`.
    pub fn around<S: ServerHandler>(&self, server: S) -> ShapedServer<S> {
        let name = server.get_info().server_info.name;
        ShapedServer::new(server, self.named(&name))
    }

    fn named(&self, server: &str) -> Arc<Adapter> {
        if server == NAMELESS {
            return Arc::clone(&self.adapter);
        }
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let known = named.take().filter(|known| known.server == server);
        let made = || NamedAdapter { server: server.to_owned(), adapter: Arc::new(self.adapter.for_server(server)) };
        Arc::clone(&named.insert(known.unwrap_or_else(made)).adapter)
    }
}

/// A [`Shaping`] in the making. The options are those of the adapters in the other languages, and errors
/// name them as these do.
#[must_use]
pub struct ShapingBuilder {
    policy: Value,
    place: StoreChoice,
    /// Options that are numbers or words, in their snake_case spelling.
    options: Map<String, Value>,
    callbacks: Callbacks,
    redact: Option<Arc<Redact>>,
    on_store_error: Option<Arc<OnStoreError>>,
    summarizes: bool,
}

impl fmt::Debug for Shaping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shaping").finish_non_exhaustive()
    }
}

/// Without the policy, which may contain a secret.
impl fmt::Debug for ShapingBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShapingBuilder").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Where results are kept.
enum StoreChoice {
    /// In the memory that all servers of the process share.
    Shared,
    Nowhere,
    In(Arc<dyn Store>),
}

impl ShapingBuilder {
    /// Where whole results are kept. Default: the memory of this process, at most 128 MiB, which all its servers share.
    pub fn store(self, store: impl Store) -> Self {
        Self { place: StoreChoice::In(Arc::new(store)), ..self }
    }

    /// Keeps no results: later pages run the tool again.
    pub fn without_store(self) -> Self {
        Self { place: StoreChoice::Nowhere, ..self }
    }

    /// Owner of the results of a call, such as a tenant, from the SDK's context; requires a `cursorKey`.
    pub fn scope(mut self, scope: impl Fn(&CallContext) -> Option<String> + Send + Sync + 'static) -> Self {
        self.callbacks.scope = Some(Arc::new(scope));
        self
    }

    /// Whether the caller may read a stored result: called before every later page, part, resource and summary, with the
    /// SDK's context of the call and a tool that returned the result. False is answered with `FORBIDDEN`. Default: whoever
    /// has the handle may read.
    ///
    /// ```
    /// use toolshape_rmcp::{Shaping, json};
    /// async fn may_read(client: String, tool: String) -> bool {
    ///     client == "accounting" || tool != "read_payroll"
    /// }
    /// let shaping = Shaping::builder(json!({})).authorize(|context, tool| async move {
    ///     match context.client_info() {
    ///         Some(client) => may_read(client.name, tool).await,
    ///         None => false,
    ///     }
    /// });
    /// # assert!(shaping.build().is_ok());
    /// ```
    pub fn authorize<F, Fut>(mut self, authorize: F) -> Self
    where
        F: Fn(CallContext, String) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        self.callbacks.authorize = Some(Arc::new(move |context, tool| Box::pin(authorize(context, tool))));
        self
    }

    /// Receives the text of a result before it is stored: minified JSON, or plain text. If it changes the text, the result is
    /// shaped again from the new text. If it fails, an error result replaces the result, and nothing is stored.
    pub fn redact(self, redact: impl Fn(&str) -> Result<String, AnyError> + Send + Sync + 'static) -> Self {
        Self { redact: Some(Arc::new(redact)), ..self }
    }

    /// Names of fields, or paths such as `user.email`, whose values are secret in every result; `*` is any part of a name. With
    /// these or secret texts, `redact` receives every result too.
    pub fn redact_fields<'f>(self, fields: impl IntoIterator<Item = &'f str>) -> Self {
        let fields: Vec<&str> = fields.into_iter().collect();
        self.option("redact_fields", json!(fields))
    }

    /// Patterns of texts that are secret in every result, such as `sk-*`: `*` is a run of letters, digits and `_-./+=~`, `**` is
    /// anything.
    pub fn redact_texts<'t>(self, texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        self.option("redact_texts", json!(texts))
    }

    /// Which results `redact` receives: those that leave something out, before they are stored (the default), or all, before
    /// they are shaped, so that a model reads nothing that `redact` did not receive.
    pub fn redacts(self, redacts: Redacts) -> Self {
        let word = match redacts {
            Redacts::Nothing => return self,
            Redacts::Stored => "stored",
            Redacts::All => "all",
        };
        self.option("redacts", json!(word))
    }

    /// How long results are kept. Default: one day.
    pub fn ttl(self, ttl: Duration) -> Self {
        self.option("ttl_seconds", json!(ttl.as_secs_f64()))
    }

    /// How long one call of the store may take; after that it has failed. Default: 5 seconds.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.option("timeout_seconds", json!(timeout.as_secs_f64()))
    }

    /// How long a store that did not answer gets no calls; zero for no pause. Default: 10 seconds.
    pub fn pause(self, pause: Duration) -> Self {
        self.option("pause_seconds", json!(pause.as_secs_f64()))
    }

    /// Called with every error of the store and of `redact`; the model reads a short form.
    pub fn on_store_error(self, told: impl Fn(&(dyn std::error::Error + 'static)) + Send + Sync + 'static) -> Self {
        Self { on_store_error: Some(Arc::new(told)), ..self }
    }

    /// Called with the receipt of every shaped result. By default a line about each that was changed goes to standard
    /// error, because the protocol uses standard output; `TOOLSHAPE_LOG` says `all` for each result, `off` for none.
    pub fn on_receipt(mut self, told: impl Fn(&Value) + Send + Sync + 'static) -> Self {
        self.callbacks.on_receipt = Some(Arc::new(told));
        self
    }

    /// Adds a tool `summarize`.
    pub fn summarize(self) -> Self {
        Self { summarizes: true, ..self }
    }

    fn option(mut self, name: &str, value: Value) -> Self {
        self.options.insert(name.to_owned(), value);
        self
    }

    /// # Errors
    /// `INVALID_POLICY`; `INVALID_CALL` for a value that an option does not take, for an option of a store without one, and
    /// for a scope without a `cursorKey`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolshape_rmcp::{Shaping, json};
    /// let wrong = Shaping::builder(json!({ "maxTokns": 2000 })).build().err().unwrap();
    /// assert_eq!(wrong.message(), "unknown option maxTokns; did you mean maxTokens?");
    /// let wrong = Shaping::builder(json!({})).without_store().ttl(Duration::from_secs(60)).build().err().unwrap();
    /// assert_eq!(wrong.message(), "ttl_seconds requires a store");
    /// assert!(Shaping::builder(json!({})).scope(|_| Some("tenant".to_owned())).build().is_err());
    /// ```
    pub fn build(self) -> Result<Shaping, Error> {
        let archive_options = self.described();
        let mut options = archive_options.clone();
        if matches!(self.place, StoreChoice::Nowhere) {
            options.insert("store".to_owned(), Value::Null);
        }
        if self.callbacks.authorize.is_some() {
            options.insert("authorize".to_owned(), json!("a function"));
        }
        check_adapter_options(&Value::Object(options), Naming::Snake)?;
        let shaper = Shaper::new(Policy::new(&self.policy, Naming::Camel)?);
        if self.callbacks.scope.is_some() {
            shaper.check_scope()?;
        }
        let options = ArchiveOptions::new(&Value::Object(archive_options), Naming::Snake)?;
        let store = match self.place {
            StoreChoice::Nowhere => None,
            StoreChoice::Shared => Some(Arc::clone(&MEMORY)),
            StoreChoice::In(store) => Some(store),
        };
        let storage = store.map(|store| Storage {
            store: TimedStore::new(store, &options),
            kept_for: Duration::try_from_secs_f64(options.ttl_seconds).unwrap_or(Duration::MAX),
            redacts: options.redacts,
            redaction: options.redaction,
            redact: self.redact,
            on_error: self.on_store_error,
        });
        let archive = Archive { shaper: Arc::new(shaper), storage: storage.map(Arc::new) };
        let adapter = Adapter::new(archive, self.summarizes, self.callbacks);
        Ok(Shaping { adapter: Arc::new(adapter), named: Arc::default() })
    }

    /// The options of an archive, as the core checks them.
    fn described(&self) -> Map<String, Value> {
        let mut options = self.options.clone();
        let functions = [("redact", self.redact.is_some()), ("on_store_error", self.on_store_error.is_some())];
        let given = functions.into_iter().filter(|(_, is_given)| *is_given);
        options.extend(given.map(|(name, _)| (name.to_owned(), json!("a function"))));
        options
    }
}
