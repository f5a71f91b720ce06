//! Which service an address means.

use super::{Backend, Failure};

/// Whether a place is an address (`scheme://…`, or `scheme:…` as others write it) and not a path. One letter is a drive.
///
/// ```
/// use toolshape_stores::is_address;
/// assert!(is_address("redis+cluster://host:7000") && is_address("mysql:host"));
/// assert!(!is_address("results/today") && !is_address(r"C:\results"));
/// ```
pub fn is_address(place: &str) -> bool {
    place.split_once(':').is_some_and(|(scheme, _)| scheme.len() > 1 && scheme.bytes().all(is_in_scheme))
}

/// RFC 3986, section 3.1.
fn is_in_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

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
