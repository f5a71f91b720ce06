//! Stores whole results: a result has a handle only after it was written, and reports a failed write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolshape::host::{Action, Answer, Content, Input, Keeping, Lookup, Opened, Purpose, Redacts, check_redacted};
use toolshape::{Error, ErrorCode, Keep, Shaper};
use toolshape_stores::Store;

use crate::blocking::spawn_blocking_if_large;
use crate::breaker::Breaker;
use crate::call::{CallMembers, call_now, call_with_store, with};
use crate::sources::Shapeable;

/// An error of a function that the author gives.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;
pub type Redact = dyn Fn(&str) -> Result<String, AnyError> + Send + Sync;
pub type OnStoreError = dyn Fn(&(dyn std::error::Error + 'static)) + Send + Sync;
/// Whether the caller may read what a tool returned.
pub type Allows<'a> = dyn Fn(&str) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync + 'a;

/// A shaper, and where it keeps what it leaves out.
pub struct Archive {
    pub shaper: Arc<Shaper>,
    pub storage: Option<Arc<Storage>>,
}

/// A store, and how it is used.
pub struct Storage {
    pub store: Arc<dyn Store>,
    pub breaker: Breaker,
    pub kept_for: Duration,
    pub redacts: Redacts,
    pub redact: Option<Arc<Redact>>,
    pub on_error: Option<Arc<OnStoreError>>,
}

/// What the store has for a call: the key and the content, if there are any; and the members of the call that it answers.
pub struct StoredResult {
    pub stored: Option<(String, String)>,
    pub members: CallMembers,
}

impl StoredResult {
    /// The bytes of the content.
    pub fn bytes(&self) -> usize {
        self.stored.as_ref().map_or(0, |(_, content)| content.len())
    }

    /// Whether the caller may not read it.
    pub fn is_forbidden(&self) -> bool {
        self.members.get("forbidden").is_some()
    }
}

impl Archive {
    /// Shapes what a call returned, and stores what its result leaves out.
    ///
    /// # Errors
    /// Those of the core; never because of the store.
    pub async fn shape_and_store<S: Shapeable>(&self, source: S, members: &CallMembers) -> Result<S::Made, Error> {
        let source = Arc::new(source);
        let Some(storage) = &self.storage else {
            let (shaper, members) = (Arc::clone(&self.shaper), members.clone());
            let bytes = source.bytes();
            return spawn_blocking_if_large(bytes, move || {
                source.shape(&shaper, &Input::default(), &[], &call_now(&members)?)
            })
            .await;
        };
        let mut keeping = Keeping::new(1, storage.redacts);
        let (mut made, mut contents, mut answer) = (None, Arc::new(Vec::new()), None);
        loop {
            answer = Some(match keeping.next(answer.as_slice()) {
                Action::Shape(inputs) => {
                    let input = inputs.into_iter().next().unwrap_or_default();
                    let shaped = self.shape(&source, input, &contents, members).await?;
                    let keep = source.keep(&shaped);
                    made = Some(shaped);
                    match keep {
                        Some((keep, content)) => {
                            if contents.is_empty() {
                                contents = Arc::new(vec![content]);
                            }
                            Answer::Key(keep.key)
                        }
                        None => Answer::Nothing,
                    }
                }
                Action::Redact(_) => match self.redacted(storage, &source, members).await {
                    Ok(Some((redacted, is_json))) => {
                        contents = Arc::new(redacted);
                        Answer::Redacted { is_json }
                    }
                    Ok(None) => Answer::Nothing,
                    Err(reason) => Answer::Failed(reason),
                },
                Action::Store(_) => match made.as_ref().and_then(|made| source.keep(made)) {
                    Some((keep, content)) => match self.put_all(storage, keep, content, members).await {
                        Ok(()) => Answer::Nothing,
                        Err(error) => Answer::Failed(storage.failure(&error)),
                    },
                    None => Answer::Nothing,
                },
                Action::Done => break,
            });
        }
        made.ok_or_else(|| Error::new(ErrorCode::Internal, "nothing was shaped", ""))
    }

    async fn shape<S: Shapeable>(
        &self,
        source: &Arc<S>,
        input: Input,
        contents: &Arc<Vec<String>>,
        members: &CallMembers,
    ) -> Result<S::Made, Error> {
        let (shaper, members) = (Arc::clone(&self.shaper), members.clone());
        let (bytes, source, contents) = (source.bytes(), Arc::clone(source), Arc::clone(contents));
        spawn_blocking_if_large(bytes, move || {
            source.shape(&shaper, &input, &contents, &call_with_store(&members, &input)?)
        })
        .await
    }

    /// What `redact` returned for all of a source, and whether the first of it is JSON; nothing where it changed nothing.
    async fn redacted<S: Shapeable>(
        &self,
        storage: &Storage,
        source: &Arc<S>,
        members: &CallMembers,
    ) -> Result<Option<(Vec<String>, bool)>, String> {
        let Some(redact) = storage.redact.clone() else { return Ok(None) };
        let (shaper, members) = (Arc::clone(&self.shaper), members.clone());
        let (bytes, source) = (source.bytes(), Arc::clone(source));
        let done = spawn_blocking_if_large(bytes, move || {
            // What cannot be read fails as without `redact`.
            let whole = source.whole(&shaper, &call_now(&members)?)?;
            let redacted: Result<Vec<String>, AnyError> =
                whole.iter().map(|content| redacted(redact.as_ref(), content)).collect();
            let redacted = redacted?;
            let is_same = redacted.iter().eq(whole.iter().map(|content| &content.text));
            let is_json = whole.first().is_some_and(|content| content.is_json);
            Ok((!is_same).then_some((redacted, is_json)))
        });
        done.await.map_err(|error: AnyError| {
            storage.report(error.as_ref());
            match error.downcast_ref::<Error>() {
                Some(error) => error.message().to_owned(),
                None => "it failed".to_owned(),
            }
        })
    }

    /// Stores a content, and the images that its result leaves out.
    async fn put_all(
        &self,
        storage: &Storage,
        mut keep: Keep,
        content: String,
        members: &CallMembers,
    ) -> Result<(), Error> {
        let images = keep.images.take();
        self.put(storage, keep, content, members).await?;
        match images {
            Some(mut images) => {
                let content = images.content.take().unwrap_or_default();
                self.put(storage, *images, content, members).await
            }
            None => Ok(()),
        }
    }

    /// Stores a content, and then its ticket with the tool of the call that returned it.
    async fn put(&self, storage: &Storage, keep: Keep, content: String, members: &CallMembers) -> Result<(), Error> {
        storage.write(keep.key.clone(), content, keep.owner.clone()).await?;
        // A ticket that cannot be read is replaced.
        let known = storage.read(keep.ticket.clone()).await.ok().flatten();
        let call = call_with_store(members, &Input::default())?;
        let ticket = self.shaper.ticket(&keep.key, known.as_deref(), &call)?;
        storage.write(keep.ticket, ticket, keep.owner).await
    }

    /// The handles that may be tables, if a call of `read_result` asks in SQL.
    ///
    /// # Errors
    /// Those of the core, for a mistake of the server's author.
    pub fn tables(&self, asked: &CallMembers) -> Result<Option<Vec<String>>, Error> {
        Ok(self.shaper.lookup(Purpose::Read, false, &call_now(asked)?)?.tables)
    }

    /// The stored result that a call names, or why it cannot be read.
    ///
    /// # Errors
    /// Those of the core, for a mistake of the server's author.
    pub async fn find(
        &self,
        purpose: Purpose,
        asked: &CallMembers,
        allows: Option<&Allows<'_>>,
    ) -> Result<StoredResult, Error> {
        let Value::Object(defaults) = purpose.call() else { return Err(no_object()) };
        let mut members = with(&defaults, Value::Object(asked.clone()));
        let Some(storage) = &self.storage else { return Ok(StoredResult { stored: None, members }) };
        let Lookup { ticket, mut keys, .. } = self.shaper.lookup(purpose, allows.is_some(), &call_now(&members)?)?;
        let mut failure = None;
        if let Some(ticket) = ticket {
            match storage.read(ticket).await {
                Ok(Some(ticket)) => {
                    let opened = self.shaper.open(purpose, &ticket, &call_now(&members)?)?;
                    if let Some(Opened { key, tools, .. }) = opened {
                        if let Some(allows) = allows
                            && !is_allowed(allows, &tools).await
                        {
                            members.insert("forbidden".to_owned(), json!(true));
                            return Ok(StoredResult { stored: None, members });
                        }
                        keys.push(key);
                        members.insert("returnedBy".to_owned(), json!(tools));
                    }
                }
                Ok(None) => {}
                Err(error) => failure = Some(error),
            }
        }
        for key in keys {
            match storage.read(key.clone()).await {
                Ok(Some(content)) => return Ok(StoredResult { stored: Some((key, content)), members }),
                Ok(None) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        if let Some(error) = failure {
            members.insert("storeFailure".to_owned(), json!(storage.failure(&error)));
        }
        Ok(StoredResult { stored: None, members })
    }
}

impl Storage {
    async fn read(&self, key: String) -> Result<Option<String>, Error> {
        self.breaker.ask(&self.store, move |store| store.read(&key)).await
    }

    async fn write(&self, key: String, value: String, owner: Option<String>) -> Result<(), Error> {
        let kept_for = self.kept_for;
        self.breaker.ask(&self.store, move |store| store.write(&key, value, kept_for, owner.as_deref())).await
    }

    /// Tells the author of an error; the reason that the model reads.
    fn failure(&self, error: &Error) -> String {
        self.report(error);
        error.message().to_owned()
    }

    fn report(&self, error: &(dyn std::error::Error + 'static)) {
        if let Some(on_error) = &self.on_error {
            // Neither a failing store nor a failing callback may break the tool.
            let _ = catch_unwind(AssertUnwindSafe(|| on_error(error)));
        }
    }
}

/// What `redact` leaves of a content, as it is and as readers see it.
fn redacted(redact: &Redact, content: &Content) -> Result<String, AnyError> {
    let mut text = call_redact(redact, &content.text)?;
    let mut seen = Vec::new();
    for round in 0.. {
        let (now, readings) = check_redacted(content.is_json, &text, round, &seen)?;
        text = now.into_owned();
        seen = readings.iter().map(|reading| call_redact(redact, reading)).collect::<Result<_, _>>()?;
        if seen == readings {
            break;
        }
    }
    Ok(text)
}

/// Calls `redact`; its panic is a failure, because nothing of the content may be shown.
fn call_redact(redact: &Redact, text: &str) -> Result<String, AnyError> {
    catch_unwind(AssertUnwindSafe(|| redact(text))).unwrap_or_else(|_| Err("redact panicked".into()))
}

/// Whether the caller may read what one of these tools returned.
async fn is_allowed(allows: &Allows<'_>, tools: &[String]) -> bool {
    for tool in tools {
        if allows(tool).await {
            return true;
        }
    }
    false
}

fn no_object() -> Error {
    Error::new(ErrorCode::Internal, "the members of a call are an object", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redact_sees_a_content_as_readers_see_it() {
        let redact = |text: &str| Ok(text.replace("sk-1", "…"));
        for (text, is_json, left) in [
            ("sk-1 &amp; <i>", false, "… &amp; <i>"),
            ("<p>s&#107;-1", false, "…"),
            (r#"["<p>s&#107;-1",1.50]"#, true, r#"["…",1.50]"#),
        ] {
            assert_eq!(redacted(&redact, &Content { text: text.to_owned(), is_json }).unwrap(), left);
        }
        // What does not end is refused.
        let grows = |text: &str| Ok(format!("{text}<i>x</i>"));
        let refused = redacted(&grows, &Content { text: String::new(), is_json: false }).unwrap_err();
        assert!(refused.to_string().contains("redact changes what it returned itself"), "{refused}");
    }
}
