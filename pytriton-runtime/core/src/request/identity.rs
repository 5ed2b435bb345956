use std::sync::Arc;

/// The identity of the client that sent a request, as the server has verified it.
///
/// The server sets it from the connection and from headers that the operator has chosen. A
/// parameter, an input or any other header of the request never changes it. A client that the
/// server cannot identify is anonymous: all fields are `None`.
///
/// Requests that the server creates itself, such as warm-up calls, are anonymous. A call of another
/// model inherits the identity of the request, except from raw functions and from functions with
/// `#[batch]` that do not take `&Identity`.
///
/// # Examples
///
/// A test creates the identity that it passes to a function:
///
/// ```
/// use pytriton_core::request::Identity;
///
/// let identity = Identity::default().with_token("alice");
/// assert_eq!(identity.token(), Some("alice"));
/// assert_eq!(identity.header(), None);
/// assert!(Identity::default().is_anonymous());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Identity(Option<Arc<Fields>>);

/// The fields of a client that is not anonymous.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Fields {
    token: Option<Arc<str>>,
    certificate_subject: Option<Arc<str>>,
    header: Option<Arc<str>>,
}

impl Identity {
    /// A client that is not identified.
    pub const ANONYMOUS: Self = Self(None);

    /// Returns the name of the access token with which the request was admitted.
    ///
    /// `None` if the group `inference` is not restricted, if a custom header restricts it, or if
    /// the file of `--access-token-file` contains the token without a name.
    pub fn token(&self) -> Option<&str> {
        self.fields()?.token.as_deref()
    }

    /// Returns the subject of the client's certificate in the form of RFC 4514, such as
    /// `CN=alice,O=Example`.
    ///
    /// The certificate is that of the TLS connection, which the server has verified. `None` if the
    /// port does not require client certificates, or if the subject is empty, for example because
    /// the certificate contains only alternative names. Compare the whole text: a part of it, such
    /// as `CN=alice`, can occur within other subjects. It does not contain the issuer: each
    /// authority that the server trusts can issue the same subject.
    pub fn certificate_subject(&self) -> Option<&str> {
        self.fields()?.certificate_subject.as_deref()
    }

    /// Returns the value of the header that the option `--identity-header` names, which a proxy
    /// sets.
    ///
    /// `None` without the option, and if the header is missing, empty, not ASCII, or occurs more
    /// than once. Some proxies join the values of several headers with a comma, so compare the
    /// whole value.
    pub fn header(&self) -> Option<&str> {
        self.fields()?.header.as_deref()
    }

    /// Returns whether nothing is known about the client.
    pub fn is_anonymous(&self) -> bool {
        self.0.is_none()
    }

    /// Sets the name of the access token.
    #[must_use]
    pub fn with_token(self, name: impl Into<Arc<str>>) -> Self {
        self.with(|fields| fields.token = Some(name.into()))
    }

    /// Sets the subject of the client's certificate.
    #[must_use]
    pub fn with_certificate_subject(self, subject: impl Into<Arc<str>>) -> Self {
        self.with(|fields| fields.certificate_subject = Some(subject.into()))
    }

    /// Sets the value of the identity header.
    #[must_use]
    pub fn with_header(self, value: impl Into<Arc<str>>) -> Self {
        self.with(|fields| fields.header = Some(value.into()))
    }

    /// Returns the approximate memory of the identity in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.fields().map_or(0, |fields| {
            let texts = [&fields.token, &fields.certificate_subject, &fields.header];
            let texts = texts.into_iter().flatten().map(|text| text.len());
            texts.sum::<usize>() + size_of::<Fields>()
        })
    }

    fn fields(&self) -> Option<&Fields> {
        self.0.as_deref()
    }

    fn with(self, set: impl FnOnce(&mut Fields)) -> Self {
        let mut fields = self.0.unwrap_or_default();
        set(Arc::make_mut(&mut fields));
        Self(Some(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_distinguishes_clients() {
        let anonymous = Identity::default();
        let all = [
            anonymous.clone(),
            anonymous.clone().with_token("a"),
            anonymous.clone().with_token("b"),
            anonymous.clone().with_certificate_subject("a"),
            anonymous.clone().with_header("a"),
            anonymous.clone().with_token("a").with_header("a"),
        ];
        for (index, one) in all.iter().enumerate() {
            for (other_index, other) in all.iter().enumerate() {
                assert_eq!(one == other, index == other_index, "{one:?} {other:?}");
            }
            assert_eq!(one.is_anonymous(), index == 0);
        }
        assert_eq!(anonymous, Identity::ANONYMOUS);
        let changed = all[1].clone().with_token("c");
        assert_eq!((all[1].token(), changed.token()), (Some("a"), Some("c")));
    }

    #[test]
    fn texts_count_as_memory() {
        assert_eq!(Identity::ANONYMOUS.bytes(), 0);
        let long = Identity::default().with_header("x".repeat(1000));
        assert!(long.bytes() > 1000);
    }
}
