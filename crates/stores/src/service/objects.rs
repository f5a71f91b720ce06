//! Object stores: S3, Google Cloud Storage and Azure. A value is the object `prefix/<first 32 letters of the key>/<the others>`,
//! with its expiry as metadata, which is checked on reading: a lifecycle rule of the bucket deletes what has expired.
//!
//! Credentials, region, endpoint and encryption come from the environment, with the names that the services' own tools use
//! (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, `AZURE_STORAGE_ACCOUNT_KEY`, `GOOGLE_APPLICATION_CREDENTIALS`), or from the
//! identity of the machine.

use std::future::Future;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use futures_util::StreamExt;
use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Tcp;
use hyper_util::rt::TokioExecutor;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, ClientOptions, Error, GetOptions, ObjectStore, ObjectStoreExt, PutOptions, RetryConfig,
};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::{ANSWER, Backend, CONNECT, Failure};

/// The metadata of an object that says when it expires, in seconds since 1970.
const EXPIRES: Attribute = Attribute::Metadata(std::borrow::Cow::Borrowed("expires"));

/// The letters of a key that are its folder.
const FOLDER: usize = 32;

struct Objects {
    bucket: Box<dyn ObjectStore>,
    prefix: Path,
    runtime: Runtime,
}

pub(super) fn open(address: &str) -> Result<Box<dyn Backend>, Failure> {
    let wrong = |why: String| Failure::new(format_args!("the store's address: {why}"));
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() || rest.contains('@') {
        return Err(wrong(format!("it takes {scheme}://bucket/prefix, and its credentials from the environment")));
    }
    let retry = RetryConfig { max_retries: 2, retry_timeout: ANSWER, ..RetryConfig::default() };
    let (built, prefix): (Result<Box<dyn ObjectStore>, Error>, &str) = match scheme {
        "s3" => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
            (builder.with_http_connector(Hyper).build().map(|store| Box::new(store) as _), prefix)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry);
            (builder.with_http_connector(Hyper).build().map(|store| Box::new(store) as _), prefix)
        }
        _ => {
            let (container, prefix) = prefix.split_once('/').unwrap_or((prefix, ""));
            let builder = MicrosoftAzureBuilder::from_env().with_account(bucket).with_container_name(container);
            let builder = builder.with_retry(retry).with_http_connector(Hyper);
            (builder.build().map(|store| Box::new(store) as _), prefix)
        }
    };
    let bucket = built.map_err(|error| wrong(error.to_string()))?;
    // One thread waits for the answers of all calls.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    Ok(Box::new(Objects { bucket, prefix: Path::from(prefix), runtime: runtime.map_err(Failure::new)? }))
}

impl Objects {
    /// The folder has the beginning of the key, so that it can be listed.
    fn at(&self, key: &str) -> Path {
        match key.split_at_checked(FOLDER) {
            Some((folder, rest)) if !rest.is_empty() => self.prefix.clone().join(folder).join(rest),
            _ => self.prefix.clone().join(key),
        }
    }

    /// The key that is [`at`](Self::at) a place.
    fn key_of(&self, at: &Path) -> String {
        at.prefix_match(&self.prefix).into_iter().flatten().map(|part| part.as_ref().to_owned()).collect()
    }

    /// Waits for an answer; none where there is no such object.
    fn wait<T>(&self, asked: impl Future<Output = Result<T, Error>>) -> Result<Option<T>, Failure> {
        match self.runtime.block_on(async { timeout(CONNECT + ANSWER, asked).await }) {
            Err(_) => Err(Failure::silence("no answer in time")),
            Ok(Err(Error::NotFound { .. })) => Ok(None),
            Ok(answer) => answer.map(Some).map_err(Failure::new),
        }
    }
}

impl Backend for Objects {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        let at = self.at(key);
        let found = self.wait(async {
            let found = self.bucket.get(&at).await?;
            if left(&found.attributes).is_zero() {
                return Ok(None);
            }
            found.bytes().await.map(|bytes| Some(bytes.into()))
        })?;
        Ok(found.flatten())
    }

    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure> {
        let expires = now().saturating_add(kept_for).as_secs();
        let attributes = Attributes::from_iter([(EXPIRES, expires.to_string())]);
        let options = PutOptions::from(attributes);
        self.wait(self.bucket.put_opts(&self.at(key), value.into(), options)).map(drop)
    }

    /// An object's metadata cannot change: it is sent again once half of its time is over.
    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure> {
        let head = GetOptions { head: true, ..GetOptions::default() };
        let found = self.wait(self.bucket.get_opts(&self.at(key), head))?;
        Ok(found.is_some_and(|found| left(&found.attributes) > kept_for / 2))
    }

    fn delete(&self, key: &str) -> Result<(), Failure> {
        self.wait(self.bucket.delete(&self.at(key))).map(drop)
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Failure> {
        let folder = beginning.get(..FOLDER).map_or_else(|| self.prefix.clone(), |name| self.prefix.clone().join(name));
        let (mut count, mut listed) = (0, self.bucket.list(Some(&folder)));
        while let Some(object) = self.wait(async { listed.next().await.transpose() })?.flatten() {
            if self.key_of(&object.location).starts_with(beginning) {
                self.wait(self.bucket.delete(&object.location))?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// The time until an object expires. One without metadata was not written here.
fn left(attributes: &Attributes) -> Duration {
    let expires = attributes.get(&EXPIRES).and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
    Duration::from_secs(expires).saturating_sub(now())
}

fn now() -> Duration {
    UNIX_EPOCH.elapsed().unwrap_or_else(|_| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// HTTP as the gateway has it. The library's own client brings a second implementation of TLS.
#[derive(Debug)]
struct Hyper;

#[derive(Debug)]
struct Requests(Client<HttpsConnector<Tcp>, HttpRequestBody>);

impl HttpConnector for Hyper {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = Tcp::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        let tls = HttpsConnectorBuilder::new().with_native_roots();
        let tls = tls.map_err(|error| Error::Generic { store: "TLS", source: Box::new(error) })?;
        let https = tls.https_or_http().enable_http1().wrap_connector(tcp);
        Ok(HttpClient::new(Requests(Client::builder(TokioExecutor::new()).build(https))))
    }
}

#[async_trait]
impl HttpService for Requests {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let sent = self.0.request(request).await;
        let answer = sent.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
            HttpError::new(kind, error)
        })?;
        Ok(answer
            .map(|body| HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))))
    }
}
