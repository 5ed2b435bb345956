use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use pytriton_kserve::openapi::ServedRoutes;

use crate::flags::Flags;

use super::temp_token_file::TempTokenFile;
use super::token::{VARIABLE, generate, parse, read};
use super::token_watcher::{POLL_INTERVAL, TokenWatcher};
use super::{
    AccessError, AccessOptions, Endpoints, Follow, Group, IdentityHeader, Protocol, Restriction,
    Secret, Secrets,
};

/// The header name of the token, as in PyTriton.
const KEY: &str = "triton-access-token";

/// Which groups are restricted over which protocol, and the secrets that open them.
#[derive(Debug, Default)]
pub struct Access {
    http: Vec<Closed>,
    grpc: Vec<Closed>,
    token: Option<Token>,
    identity_header: Option<IdentityHeader>,
}

/// Groups that one header opens.
#[derive(Debug)]
pub struct Closed {
    /// The groups.
    pub groups: Vec<Group>,
    /// The key of the header in tritonserver's option.
    pub key: String,
    /// The secrets that open the groups.
    pub secrets: Arc<Secrets>,
}

/// Returns the routes of a server that is started without options.
pub fn default_routes() -> ServedRoutes {
    ServedRoutes::new([Closed::default_groups().restricted()], false)
}

impl Closed {
    /// Returns the header and its groups, as they are over HTTP.
    pub fn restricted(&self) -> (&str, &[Group]) {
        (&self.key, &self.groups)
    }

    /// Returns the groups that the token restricts by default, without a valid secret.
    fn default_groups() -> Self {
        Self {
            groups: Endpoints::default_groups(),
            key: KEY.to_owned(),
            secrets: Arc::new(Secrets::new(Vec::new())),
        }
    }
}

/// The token and its source.
#[derive(Debug)]
struct Token {
    secrets: Arc<Secrets>,
    source: TokenSource,
    _watcher: Option<TokenWatcher>,
}

/// Where the token comes from.
#[derive(Debug)]
enum TokenSource {
    /// The file of the option.
    File(PathBuf),
    /// The environment variable.
    Variable,
    /// This process, which removes the file at its end.
    Generated(Option<TempTokenFile>),
}

impl Access {
    /// Restricts the groups that the options name. If the user restricts a group over a protocol
    /// with another header, the token does not apply to it there.
    ///
    /// # Errors
    ///
    /// Returns an [`AccessError`] that names the option, the file or the variable.
    pub fn new(
        options: &AccessOptions,
        flags: &Flags,
        follow: Follow,
    ) -> Result<Self, AccessError> {
        let of = |protocol| closed(protocol, flags);
        let (http, grpc) = (of(Protocol::Http)?, of(Protocol::Grpc)?);
        let mut access = Self {
            http,
            grpc,
            token: None,
            identity_header: options.identity_header.clone(),
        };
        options.warn_if_open();
        let wanted = &options.restricted_endpoints.0;
        let left = Protocol::ALL.map(|protocol| access.left(protocol, wanted));
        if left.iter().all(Vec::is_empty) {
            if let Some(file) = &options.access_token_file {
                read(file)?;
                tracing::warn!(
                    file = %file.display(),
                    "--access-token-file has no effect, because no group of routes requires the access token (--restricted-endpoints)"
                );
            }
            return Ok(access);
        }
        let token = Token::new(options, follow)?;
        for (protocol, groups) in Protocol::ALL.into_iter().zip(left) {
            if !groups.is_empty() {
                access.of(protocol).push(Closed {
                    groups,
                    key: KEY.to_owned(),
                    secrets: Arc::clone(&token.secrets),
                });
            }
        }
        access.token = Some(token);
        Ok(access)
    }

    /// Returns the header in which a proxy sends the name of the client.
    pub fn identity_header(&self) -> Option<&IdentityHeader> {
        self.identity_header.as_ref()
    }

    /// Returns the restrictions of a protocol.
    pub fn closed(&self, protocol: Protocol) -> &[Closed] {
        match protocol {
            Protocol::Http => &self.http,
            Protocol::Grpc => &self.grpc,
        }
    }

    fn of(&mut self, protocol: Protocol) -> &mut Vec<Closed> {
        match protocol {
            Protocol::Http => &mut self.http,
            Protocol::Grpc => &mut self.grpc,
        }
    }

    /// Returns the groups that are not restricted yet.
    fn left(&self, protocol: Protocol, wanted: &[Group]) -> Vec<Group> {
        let taken = |group: &&Group| {
            let mut closed = self.closed(protocol).iter();
            closed.any(|closed| closed.groups.contains(group))
        };
        wanted
            .iter()
            .filter(|group| !taken(group))
            .copied()
            .collect()
    }

    /// Returns the header and the value that open a group, if it is restricted.
    pub fn key(&self, protocol: Protocol, group: Group) -> Option<(String, Secret)> {
        let mut closed = self.closed(protocol).iter();
        let closed = closed.find(|closed| closed.groups.contains(&group))?;
        Some((protocol.header(&closed.key), closed.secrets.first()?))
    }

    /// Describes the groups that the token opens, and where the token is.
    pub fn token_notice(&self) -> Option<String> {
        let token = self.token.as_ref()?;
        let place = match &token.source {
            TokenSource::File(file) => file.display().to_string(),
            TokenSource::Variable => VARIABLE.to_owned(),
            TokenSource::Generated(Some(file)) => file.path().display().to_string(),
            TokenSource::Generated(None) => return None,
        };
        let closed = self.http.iter().chain(&self.grpc);
        let opened = closed.filter(|closed| Arc::ptr_eq(&closed.secrets, &token.secrets));
        let mut groups = Vec::new();
        for group in opened.flat_map(|closed| &closed.groups) {
            if !groups.contains(&group.name()) {
                groups.push(group.name());
            }
        }
        Some(format!("{}; token in {place}", groups.join(", ")))
    }

    /// Returns the token if this process has generated it. It is valid until the process ends.
    pub fn generated_token(&self) -> Option<Secret> {
        let token = self.token.as_ref()?;
        match token.source {
            TokenSource::Generated(_) => token.secrets.first(),
            TokenSource::File(_) | TokenSource::Variable => None,
        }
    }

    /// Returns tritonserver's options (without dashes) for the same restrictions, with their
    /// values.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let of = |protocol: Protocol| {
            self.closed(protocol).iter().filter_map(move |closed| {
                let restriction = Restriction {
                    groups: closed.groups.clone(),
                    key: closed.key.clone(),
                    value: closed.secrets.first()?,
                };
                Some((protocol.option(), restriction.text()))
            })
        };
        of(Protocol::Http).chain(of(Protocol::Grpc)).collect()
    }

    /// Reads the token again, for the next start of tritonserver. A new token takes effect after
    /// two identical reads.
    pub async fn reload(&self) {
        let Some(token) = &self.token else {
            return;
        };
        let TokenSource::File(file) = &token.source else {
            return;
        };
        let first = match read(file) {
            Ok(tokens) if token.secrets.are(&tokens) => return,
            first => first,
        };
        tokio::time::sleep(POLL_INTERVAL).await;
        match read(file) {
            Ok(tokens) if first.is_ok_and(|first| first == tokens) => {
                token.secrets.replace(tokens);
            }
            Ok(_) => tracing::warn!(
                file = %file.display(),
                "the access token file is incomplete; the previous token remains valid"
            ),
            Err(error) => tracing::warn!("{error}; the previous token remains valid"),
        }
    }
}

impl Token {
    fn new(options: &AccessOptions, follow: Follow) -> Result<Self, AccessError> {
        if let Some(file) = &options.access_token_file {
            let tokens = read(file)?;
            if tokens.len() > 1 && follow == Follow::Log {
                tracing::warn!(
                    file = %file.display(),
                    "tritonserver supports only one access token: using the first token in the file"
                );
            }
            let secrets = Arc::new(Secrets::new(tokens));
            let watcher = TokenWatcher::start(file.clone(), Arc::clone(&secrets), follow);
            return Ok(Self {
                secrets,
                source: TokenSource::File(file.clone()),
                _watcher: watcher,
            });
        }
        let (tokens, source) = match env::var_os(VARIABLE) {
            Some(token) => (
                parse(token.as_encoded_bytes(), || VARIABLE.to_owned())?,
                TokenSource::Variable,
            ),
            None => {
                let token = generate().map_err(AccessError::Random)?;
                let file = TempTokenFile::write(&token);
                match &file {
                    Ok(file) => tracing::info!(
                        "generated an access token for the restricted groups; it is in {}",
                        file.path().display()
                    ),
                    Err(error) => tracing::warn!(
                        %error,
                        "cannot write the generated access token to a file, so no client can use the restricted groups (--access-token-file, --restricted-endpoints)"
                    ),
                }
                (vec![token], TokenSource::Generated(file.ok()))
            }
        };
        Ok(Self {
            secrets: Arc::new(Secrets::new(tokens)),
            source,
            _watcher: None,
        })
    }
}

/// Returns the user's own restrictions of a protocol.
fn closed(protocol: Protocol, flags: &Flags) -> Result<Vec<Closed>, AccessError> {
    let values: Vec<_> = flags
        .values(protocol.option())
        .map(|value| value.to_string_lossy())
        .collect();
    let restrictions = Restriction::parse_all(protocol, values.iter().map(|value| &**value))?;
    let closed = restrictions.into_iter().map(|restriction| {
        if let Some(reason) = protocol.unusable(&restriction.key) {
            tracing::warn!(
                key = restriction.key,
                "{reason}, so no client can send this key of --{}",
                protocol.option()
            );
        }
        Closed {
            groups: restriction.groups,
            key: restriction.key,
            secrets: Arc::new(Secrets::new(vec![restriction.value])),
        }
    });
    Ok(closed.collect())
}
