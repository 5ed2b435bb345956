//! The clients of inference requests.

use std::sync::Arc;

use axum::http::{Extensions, HeaderMap, HeaderName};
use pytriton_core::request::Identity;
use pytriton_net::tls::ClientCertificate;

use super::AccessControl;
use super::operation::Operation;

impl AccessControl {
    /// Returns the client of an admitted inference request.
    ///
    /// This is the only place that identifies clients. It reads nothing else that a client sends:
    /// the secret with which the request was admitted, the certificate of its connection, which net
    /// has verified and added to the extensions, and the header that the operator trusts.
    pub(crate) fn identify(
        &self,
        operation: Operation,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Identity {
        let mut identity = Identity::ANONYMOUS;
        let lock = self.locks[operation.group() as usize].as_ref();
        if let Some(name) = lock.and_then(|lock| lock.name_of(operation, headers)) {
            identity = identity.with_token(name);
        }
        let certificate: Option<&ClientCertificate> = extensions.get();
        if let Some(subject) = certificate.and_then(ClientCertificate::subject) {
            identity = identity.with_certificate_subject(Arc::clone(subject));
        }
        if let Some(value) = self
            .identity_header
            .as_ref()
            .and_then(|name| only(name, headers))
        {
            identity = identity.with_header(value);
        }
        identity
    }
}

/// Returns the value of a header that occurs once. If it occurs more often, the client may have
/// sent one of the values.
fn only<'a>(name: &HeaderName, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let (value, None) = (values.next()?.to_str().ok()?, values.next()) else {
        return None;
    };
    (!value.trim().is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use pytriton_engine::access::{Access, Follow, Protocol};
    use pytriton_engine::options::Options;

    use super::super::access_control::tests::headers;
    use super::*;

    /// Returns the token, the certificate and the header of a client.
    fn fields(identity: &Identity) -> [Option<&str>; 3] {
        [
            identity.token(),
            identity.certificate_subject(),
            identity.header(),
        ]
    }

    #[test]
    fn clients_are_identified_only_by_what_the_operator_has_configured() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "alice: token-of-alice-1\ntoken-without-name\n").unwrap();
        let file = format!("--access-token-file={}", file.path().display());
        let options = |arguments: &[&str]| {
            let arguments = arguments.iter().copied().chain([&*file]);
            Options::parse(arguments).unwrap()
        };
        let control = |arguments: &[&str]| {
            let options = options(arguments);
            let access = Access::new(&options.access, &options.triton.flags, Follow::Log);
            AccessControl::new(&access.unwrap(), Protocol::Http)
        };
        let open = control(&[]);
        let closed = control(&["--restricted-endpoints=inference"]);
        let own = control(&["--http-restricted-api=inference:k=alice-the-value"]);
        let trusting = control(&["--identity-header=X-User"]);
        let infer = Operation::Infer;
        let token = ("triton-access-token", "token-of-alice-1");
        let key = ("authorization", "Bearer token-of-alice-1");
        let user = ("x-user", "bob");
        let header = |value| [None, None, Some(value)];
        let alice = [Some("alice"), None, None];
        type Row<'a> = (
            &'a AccessControl,
            Operation,
            &'a [(&'a str, &'a str)],
            [Option<&'a str>; 3],
        );
        let table: [Row<'_>; 17] = [
            (&open, infer, &[], [None; 3]),
            (&open, infer, &[token, user, key], [None; 3]),
            (&closed, infer, &[token, user], alice),
            (
                &closed,
                infer,
                &[("triton-access-token", "alice")],
                [None; 3],
            ),
            (
                &closed,
                infer,
                &[("triton-access-token", "token-without-name")],
                [None; 3],
            ),
            (
                &closed,
                infer,
                &[("triton-access-token", "no"), token],
                [None; 3],
            ),
            (&closed, infer, &[key], [None; 3]),
            (&closed, Operation::Complete, &[key], alice),
            (&closed, Operation::Complete, &[token], alice),
            (
                &closed,
                Operation::Complete,
                &[("authorization", "token-of-alice-1")],
                [None; 3],
            ),
            (&own, infer, &[("k", "alice-the-value"), token], [None; 3]),
            (&trusting, infer, &[user], header("bob")),
            (&trusting, infer, &[("x-user", " ")], [None; 3]),
            (&trusting, infer, &[user, user], [None; 3]),
            (&trusting, infer, &[("x-user", "")], [None; 3]),
            (&trusting, infer, &[("x-users", "bob"), token], [None; 3]),
            (&trusting, infer, &[("x-user", "b\u{f6}b")], [None; 3]),
        ];
        let extensions = Extensions::default();
        for (control, operation, pairs, expected) in table {
            let identity = control.identify(operation, &headers(pairs), &extensions);
            assert_eq!(fields(&identity), expected, "{operation:?} {pairs:?}");
        }
    }

    #[test]
    fn certificate_is_that_of_the_connection() {
        let mut extensions = Extensions::default();
        let other = headers(&[("x-ssl-client-s-dn", "CN=root")]);
        let control = AccessControl::default();
        let unread = ClientCertificate::read(b"");
        extensions.insert(unread);
        let identity = control.identify(Operation::Infer, &other, &extensions);
        assert!(identity.is_anonymous());
    }
}
