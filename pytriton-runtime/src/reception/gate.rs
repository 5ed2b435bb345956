use std::sync::Arc;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;

use crate::access::{Access, Group, Protocol, Secrets};

use super::operation::Operation;

const BEARER: &[u8] = b"Bearer ";

/// Which groups of one protocol are closed, and what opens them. Without any lock all are open.
#[derive(Debug, Clone, Default)]
pub struct Gate([Option<Arc<Lock>>; Group::ALL.len()]);

/// A header that a request must have.
#[derive(Debug)]
pub struct Lock {
    expected: String,
    header: Option<HeaderName>,
    secrets: Arc<Secrets>,
}

/// A request without the header that it must have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expecting header '{header}'")]
pub struct Restricted {
    /// The name of the header.
    pub header: String,
}

impl Gate {
    /// What is closed over a protocol.
    pub fn new(access: &Access, protocol: Protocol) -> Self {
        let mut gate = Self::default();
        for closed in access.closed(protocol) {
            let expected = protocol.header(&closed.key);
            // Metadata is in small letters, so that no other name is ever found, as with tritonserver.
            let possible = protocol == Protocol::Http
                || !expected.bytes().any(|byte| byte.is_ascii_uppercase());
            let header = HeaderName::from_bytes(expected.as_bytes()).ok();
            let header = header.filter(|_| possible);
            let lock = Arc::new(Lock::new(&expected, header, Arc::clone(&closed.secrets)));
            for group in &closed.groups {
                gate.close(*group, &lock);
            }
        }
        gate
    }

    /// Closes a group, whatever closed it before.
    pub fn close(&mut self, group: Group, lock: &Arc<Lock>) {
        self.0[group as usize] = Some(Arc::clone(lock));
    }

    /// Lets a request pass, or not.
    ///
    /// # Errors
    ///
    /// [`Restricted`] where its group is closed, and its headers do not open it.
    pub(crate) fn admit(
        &self,
        operation: Operation,
        headers: &HeaderMap,
    ) -> Result<(), Restricted> {
        match &self.0[operation.group() as usize] {
            None => Ok(()),
            Some(lock) if lock.opens(headers) => Ok(()),
            Some(lock) if operation.is_openai() && lock.opens_as_key(headers) => Ok(()),
            Some(lock) => Err(Restricted {
                header: lock.expected.clone(),
            }),
        }
    }
}

impl Lock {
    /// Opens with that value of a header. A name that none can have opens never.
    pub fn new(expected: &str, header: Option<HeaderName>, secrets: Arc<Secrets>) -> Self {
        Self {
            expected: expected.to_owned(),
            header,
            secrets,
        }
    }

    /// Of several headers of the name the first counts, as in Triton.
    fn opens(&self, headers: &HeaderMap) -> bool {
        let given = self.header.as_ref().and_then(|header| headers.get(header));
        given.is_some_and(|given| self.secrets.have(given.as_bytes()))
    }

    /// The same for OpenAI's clients, which send one key and in one way.
    fn opens_as_key(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let key = given.and_then(|given| match given.split_at_checked(BEARER.len()) {
            Some((scheme, key)) if scheme.eq_ignore_ascii_case(BEARER) => Some(key),
            _ => None,
        });
        key.is_some_and(|key| self.secrets.have(key.trim_ascii()))
    }
}

#[cfg(test)]
mod tests {
    use crate::access::Secret;

    use super::*;

    fn secrets(text: &str) -> Arc<Secrets> {
        Arc::new(Secrets::new(vec![Secret::new(text)]))
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn the_first_header_of_the_name_opens() {
        let name = HeaderName::from_static("key");
        let lock = Arc::new(Lock::new("KEY", Some(name), secrets("a=b")));
        let mut gate = Gate::default();
        gate.close(Group::Trace, &lock);
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
            let admitted = gate.admit(Operation::TraceSetting, &headers);
            let refused = Restricted {
                header: "KEY".to_owned(),
            };
            let expected = if opens { Ok(()) } else { Err(refused) };
            assert_eq!(admitted, expected, "{pairs:?}");
            assert_eq!(gate.admit(Operation::Infer, &headers), Ok(()), "{pairs:?}");
        }
    }

    #[test]
    fn a_name_that_no_header_has_never_opens() {
        let lock = Arc::new(Lock::new("a b", None, secrets("x")));
        let mut gate = Gate::default();
        gate.close(Group::Health, &lock);
        let headers = headers(&[("a", "x"), ("b", "x")]);
        assert!(gate.admit(Operation::ServerLive, &headers).is_err());
    }
}
