use super::protocol::is_header;

/// Headers with secrets, which functions must not receive.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "triton-access-token",
];

/// The name of the header in which a proxy sends the name of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityHeader(Box<str>);

impl IdentityHeader {
    /// Parses the name of a header.
    ///
    /// # Errors
    ///
    /// Returns a message if no header can have this name, or if the header contains a secret or, in
    /// gRPC, binary data.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_engine::access::IdentityHeader;
    /// assert_eq!(IdentityHeader::parse("X-User").unwrap().name(), "x-user");
    /// assert!(IdentityHeader::parse("X User").is_err());
    /// assert!(IdentityHeader::parse("").is_err());
    /// assert!(IdentityHeader::parse("Authorization").is_err());
    /// assert!(IdentityHeader::parse("user-bin").is_err());
    /// ```
    pub fn parse(name: &str) -> Result<Self, String> {
        let name = name.to_ascii_lowercase();
        if name.is_empty() || !is_header(&name) {
            return Err("expected the name of a header, such as X-User".to_owned());
        }
        if SECRET.contains(&&*name) {
            return Err(format!(
                "{name} contains a secret: expected a header with the name of the client, such as X-User"
            ));
        }
        if name.ends_with("-bin") {
            return Err(format!(
                "{name} is binary in gRPC: expected a header without `-bin`, such as X-User"
            ));
        }
        Ok(Self(name.into()))
    }

    /// Returns the name in lower case.
    pub fn name(&self) -> &str {
        &self.0
    }
}
