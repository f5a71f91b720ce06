//! Which service an address means.

use super::{Backend, Failure};

/// The service at an address.
pub(super) fn open(address: &str) -> Result<Box<dyn Backend>, Failure> {
    let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
    match scheme {
        #[cfg(feature = "redis")]
        "redis" | "rediss" | "redis+unix" | "unix" | "redis+cluster" | "rediss+cluster" | "redis+sentinel"
        | "rediss+sentinel" => super::redis::open(address),
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => super::postgres::open(address),
        #[cfg(feature = "objects")]
        "s3" | "gs" | "az" => super::objects::open(address),
        _ => Err(Failure::new(format_args!(
            "no store has addresses that begin with {scheme:?}; these have: {}",
            SCHEMES.join(", ")
        ))),
    }
}

/// The schemes that this program knows.
const SCHEMES: &[&str] = &[
    #[cfg(feature = "redis")]
    "redis://",
    #[cfg(feature = "redis")]
    "redis+cluster://",
    #[cfg(feature = "redis")]
    "redis+sentinel://",
    #[cfg(feature = "redis-tls")]
    "rediss://",
    #[cfg(feature = "postgres")]
    "postgres://",
    #[cfg(feature = "objects")]
    "s3://",
    #[cfg(feature = "objects")]
    "gs://",
    #[cfg(feature = "objects")]
    "az://",
];
