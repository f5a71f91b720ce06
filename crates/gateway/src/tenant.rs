//! The owner of a request.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::headers::SESSION;
use crate::keeper::digest;
use crate::options::{ScopeOption, TenantOption};
use crate::reply::Refusal;

/// The name of the tenant in the store; none if the request does not say whose it is: nothing is stored for it.
pub fn tenant(option: &TenantOption, headers: &HeaderMap) -> Option<Arc<str>> {
    let (kind, name) = match option {
        TenantOption::Authorization => ("authorization", authorization(headers)),
        TenantOption::Header(header) => ("tenant", named_once(headers, header).filter(|name| !name.is_empty())?),
        TenantOption::Claim(claim) => ("tenant", claimed(claim, &named_once(headers, &AUTHORIZATION)?)?),
    };
    Some(digest(&[kind, &name])[..32].into())
}

/// Refuses a request that two readers take for requests of different callers.
///
/// # Errors
/// Names of the tenant, the caller or the session that are not visible ASCII; two tenants or sessions.
pub fn check(option: &TenantOption, headers: &HeaderMap) -> Result<(), Refusal> {
    let refused = |name: &str| {
        Err(Refusal::new(StatusCode::BAD_REQUEST, format!("{name} is not one text of visible ASCII characters")))
    };
    let named = if let TenantOption::Header(header) = option { Some(header) } else { None };
    for name in named.into_iter().chain([&AUTHORIZATION]) {
        let values = headers.get_all(name);
        let is_visible = values.iter().all(|value| is_visible(value.as_bytes()));
        if !is_visible || named == Some(name) && values.iter().count() > 1 {
            return refused(name.as_str());
        }
    }
    let mut sessions = headers.get_all(&SESSION).iter();
    let is_clear = |session: &HeaderValue| session.as_bytes().iter().all(u8::is_ascii_graphic);
    if !sessions.next().is_none_or(is_clear) || sessions.next().is_some() {
        return refused(SESSION.as_str());
    }
    match option {
        TenantOption::Claim(claim) => {
            let claimed = named_once(headers, &AUTHORIZATION).and_then(|token| claimed(claim, &token));
            if claimed.is_none_or(|name| is_visible(name.as_bytes())) { Ok(()) } else { refused(claim) }
        }
        _ => Ok(()),
    }
}

/// Whether a text has visible ASCII characters alone, and spaces between them.
fn is_visible(text: &[u8]) -> bool {
    text.trim_ascii().iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The owner of a stored result within the tenant.
pub fn owner(option: ScopeOption, headers: &HeaderMap, session: Option<&str>) -> [String; 2] {
    match (option, session) {
        (ScopeOption::Tenant, _) => ["tenant".to_owned(), String::new()],
        (ScopeOption::Session, Some(id)) => ["session".to_owned(), id.to_owned()],
        _ => ["authorization".to_owned(), authorization(headers)],
    }
}

/// All that names a caller to the server.
fn authorization(headers: &HeaderMap) -> String {
    headers.get_all(AUTHORIZATION).iter().map(exact).collect::<Vec<_>>().join("\n")
}

/// The value of a header that is there once. With several, proxies differ in the one that they read.
fn named_once(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| exact(value))
}

/// A value, byte for byte: different ones stay different.
fn exact(value: &HeaderValue) -> String {
    value.as_bytes().trim_ascii().escape_ascii().to_string()
}

/// A claim of a JSON Web Token (RFC 7519), whose signature the proxy in front has checked.
fn claimed(claim: &str, authorization: &str) -> Option<String> {
    let (scheme, token) = authorization.split_once(' ')?;
    let mut parts = token.trim().split('.');
    let (_, payload) = (parts.next()?, parts.next()?);
    if !scheme.eq_ignore_ascii_case("bearer") || parts.count() != 1 {
        return None;
    }
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
    match &claims[claim] {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(option: &TenantOption, headers: &[(&str, &str)]) -> Option<Arc<str>> {
        let header =
            |(name, value): &(&str, &str)| (name.parse::<hyper::header::HeaderName>().unwrap(), value.parse().unwrap());
        tenant(
            option,
            &headers.iter().map(header).collect::<Vec<_>>().into_iter().fold(
                HeaderMap::new(),
                |mut all, (name, value)| {
                    all.append(name, value);
                    all
                },
            ),
        )
    }

    #[test]
    fn a_header_names_the_tenant_once() {
        let option = TenantOption::Header("x-tenant".parse().unwrap());
        let one = of(&option, &[("x-tenant", "one")]);
        assert!(one.is_some());
        assert_eq!(one, of(&option, &[("X-Tenant", " one ")]));
        assert_ne!(one, of(&option, &[("x-tenant", "two")]));
        for headers in [&[][..], &[("x-tenant", "")], &[("x-tenant", "one"), ("x-tenant", "two")]] {
            assert_eq!(of(&option, headers), None);
        }
    }

    #[test]
    fn a_claim_names_the_tenant() {
        let option = TenantOption::Claim("org".to_owned());
        let token = |claims: &str| format!("Bearer e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims));
        let one = of(&option, &[("authorization", &token(r#"{"org":"one"}"#))]);
        assert!(one.is_some());
        assert_eq!(one, of(&option, &[("authorization", &token(r#"{"iat":1,"org":"one"}"#))]));
        for wrong in
            ["Bearer", "Bearer a.b", "Basic e30.e30.x", "Bearer e30.e30.x.y", &token("{}"), &token(r#"{"org":[1]}"#)]
        {
            assert_eq!(of(&option, &[("authorization", wrong)]), None, "{wrong}");
        }
    }

    #[test]
    fn without_an_option_each_authorization_is_a_tenant() {
        let option = TenantOption::Authorization;
        assert_ne!(of(&option, &[("authorization", "Bearer a")]), of(&option, &[("authorization", "Bearer b")]));
        assert_eq!(of(&option, &[]), of(&option, &[("x-tenant", "one")]));
    }
}
