use std::sync::Arc;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use pytriton_engine::access::{Access, Group, IdentityHeader, Protocol, Secrets};
use thiserror::Error;

use super::operation::Operation;

const BEARER: &[u8] = b"Bearer ";

/// The access rules of one protocol, and how its clients are identified.
#[derive(Debug, Clone, Default)]
pub struct AccessControl {
    /// A group without a lock is open.
    pub(super) locks: [Option<Arc<RequiredHeader>>; Group::ALL.len()],
    /// The header in which a proxy sends the name of the client.
    pub(super) identity_header: Option<HeaderName>,
}

/// A header that requests must have.
#[derive(Debug)]
pub struct RequiredHeader {
    expected: String,
    header: Option<HeaderName>,
    secrets: Arc<Secrets>,
}

/// A request without the required header.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expecting header '{header}'")]
pub struct Restricted {
    /// The name of the header.
    pub header: String,
}

impl AccessControl {
    /// Creates the access rules of a protocol.
    pub fn new(access: &Access, protocol: Protocol) -> Self {
        let name = access.identity_header().map(IdentityHeader::name);
        let name = name.map(|name| HeaderName::from_bytes(name.as_bytes()));
        let mut access_control = Self {
            identity_header: name.and_then(Result::ok),
            ..Self::default()
        };
        for closed in access.closed(protocol) {
            let expected = protocol.header(&closed.key);
            // gRPC metadata names are lower case, so a name with upper-case letters never matches,
            // as in tritonserver.
            let possible = protocol == Protocol::Http
                || !expected.bytes().any(|byte| byte.is_ascii_uppercase());
            let header = HeaderName::from_bytes(expected.as_bytes()).ok();
            let header = header.filter(|_| possible);
            let lock = Arc::new(RequiredHeader::new(
                &expected,
                header,
                Arc::clone(&closed.secrets),
            ));
            for group in &closed.groups {
                access_control.close(*group, &lock);
            }
        }
        access_control
    }

    /// Restricts a group. Replaces an earlier restriction.
    pub fn close(&mut self, group: Group, lock: &Arc<RequiredHeader>) {
        self.locks[group as usize] = Some(Arc::clone(lock));
    }

    /// Checks whether a request is allowed.
    ///
    /// # Errors
    ///
    /// Returns [`Restricted`] if its group is restricted and the required header is missing or
    /// wrong.
    pub(crate) fn admit(
        &self,
        operation: Operation,
        headers: &HeaderMap,
    ) -> Result<(), Restricted> {
        match &self.locks[operation.group() as usize] {
            None => Ok(()),
            Some(lock) if lock.opens(headers) => Ok(()),
            Some(lock) if operation.is_openai() && lock.opens_as_key(headers) => Ok(()),
            Some(lock) => Err(Restricted {
                header: lock.expected.clone(),
            }),
        }
    }
}

impl RequiredHeader {
    /// Requires a value of a header. A name that is not a valid header name never matches.
    pub fn new(expected: &str, header: Option<HeaderName>, secrets: Arc<Secrets>) -> Self {
        Self {
            expected: expected.to_owned(),
            header,
            secrets,
        }
    }

    /// If the header occurs several times, the first one counts, as in Triton.
    fn opens(&self, headers: &HeaderMap) -> bool {
        let given = self.given(headers);
        given.is_some_and(|given| self.secrets.have(given))
    }

    /// Like `opens`, for OpenAI clients, which send an API key as a bearer token.
    fn opens_as_key(&self, headers: &HeaderMap) -> bool {
        api_key(headers).is_some_and(|key| self.secrets.have(key))
    }

    /// Returns the name of the secret with which `opens` or `opens_as_key` lets a request pass.
    pub(super) fn name_of(&self, operation: Operation, headers: &HeaderMap) -> Option<Arc<str>> {
        match self.opens(headers) {
            true => self.secrets.name_of(self.given(headers)?),
            false if operation.is_openai() => self.secrets.name_of(api_key(headers)?),
            false => None,
        }
    }

    fn given<'a>(&self, headers: &'a HeaderMap) -> Option<&'a [u8]> {
        let given = headers.get(self.header.as_ref()?)?;
        Some(given.as_bytes())
    }
}

/// Returns the API key of a request.
fn api_key(headers: &HeaderMap) -> Option<&[u8]> {
    let given = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes)?;
    match given.split_at_checked(BEARER.len()) {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case(BEARER) => Some(key.trim_ascii()),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use pytriton_engine::access::Secret;

    use super::*;

    fn secrets(text: &str) -> Arc<Secrets> {
        Arc::new(Secrets::new(vec![Secret::new(text)]))
    }

    pub(in crate::service) fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn first_header_of_the_name_grants_access() {
        let name = HeaderName::from_static("key");
        let lock = Arc::new(RequiredHeader::new("KEY", Some(name), secrets("a=b")));
        let mut access_control = AccessControl::default();
        access_control.close(Group::Trace, &lock);
        let table: [(&[(&str, &str)], bool); 8] = [
            (&[], false),
            (&[("key", "a=b")], true),
            (&[("Key", "a=b")], true),
            (&[("key", "A=B")], false),
            (&[("key", "")], false),
            (&[("key", "a=b"), ("key", "no")], true),
            (&[("key", "no"), ("key", "a=b")], false),
            (&[("other", "a=b")], false),
        ];
        for (pairs, opens) in table {
            let headers = headers(pairs);
            let admitted = access_control.admit(Operation::TraceSetting, &headers);
            let refused = Restricted {
                header: "KEY".to_owned(),
            };
            let expected = if opens { Ok(()) } else { Err(refused) };
            assert_eq!(admitted, expected, "{pairs:?}");
            assert_eq!(
                access_control.admit(Operation::Infer, &headers),
                Ok(()),
                "{pairs:?}"
            );
        }
    }

    #[test]
    fn invalid_header_name_never_grants_access() {
        let lock = Arc::new(RequiredHeader::new("a b", None, secrets("x")));
        let mut access_control = AccessControl::default();
        access_control.close(Group::Health, &lock);
        let headers = headers(&[("a", "x"), ("b", "x")]);
        let admitted = access_control.admit(Operation::WatchHealth, &headers);
        assert!(admitted.is_err());
    }
}
