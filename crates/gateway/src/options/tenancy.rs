//! Whose stored results are: a tenant's, and within it somebody's.

use hyper::header::HeaderName;
use serde_json::Value;
use toolshape::Error;
use toolshape::host::Reader;

/// What names the tenant of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TenantOption {
    /// Whoever has the same `Authorization`.
    Authorization,
    Header(HeaderName),
    /// A claim of the token in `Authorization`, which a proxy in front has checked.
    Claim(String),
}

/// Who within a tenant reads a stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeOption {
    /// The whole tenant.
    Tenant,
    /// Whoever has the same `Authorization`.
    Authorization,
    /// The session; without one, as for `Authorization`.
    Session,
}

const SCOPES: [(&str, ScopeOption); 3] =
    [("tenant", ScopeOption::Tenant), ("authorization", ScopeOption::Authorization), ("session", ScopeOption::Session)];

impl TenantOption {
    pub fn new(reader: &Reader<'_>, own: &Value) -> Result<Self, Error> {
        match (reader.text("tenantHeader")?, reader.text("tenantClaim")?) {
            (None, None) => Ok(Self::Authorization),
            (Some(header), None) => {
                let wrong = |_| reader.error("tenantHeader", &own["tenantHeader"], "a header's name");
                Ok(Self::Header(header.parse().map_err(wrong)?))
            }
            (None, Some(claim)) => Ok(Self::Claim(claim.to_owned())),
            (Some(_), Some(_)) => {
                let message = "tenantHeader and tenantClaim exclude each other".to_owned();
                Err(reader.error_at("tenantClaim", message))
            }
        }
    }
}

impl ScopeOption {
    pub fn new(reader: &Reader<'_>, own: &Value) -> Result<Self, Error> {
        let named = reader.text("scope")?;
        let scope = SCOPES.iter().find(|(name, _)| named.unwrap_or("tenant") == *name).map(|(_, scope)| *scope);
        scope.ok_or_else(|| reader.error("scope", &own["scope"], "tenant, authorization or session"))
    }
}
