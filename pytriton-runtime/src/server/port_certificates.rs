use tokio::task::JoinSet;

use crate::net::Protocol;
use crate::tls::{Certificates, TlsError, TlsFiles, TlsPlan};

use super::addresses::shared;
use super::{Options, TlsPorts};

/// The certificates of the ports, and the tasks that reload them.
#[derive(Debug, Default)]
pub(super) struct PortCertificates {
    pub(super) http: Option<Certificates>,
    pub(super) grpc: Option<Certificates>,
    pub(super) metrics: Option<Certificates>,
    pub(super) openai: Option<Certificates>,
    /// Whether gRPC shares the HTTP port.
    shared: bool,
    /// The reload tasks. They end when this is dropped.
    keepers: JoinSet<()>,
}

impl PortCertificates {
    /// Loads the certificates of the ports that the options open, including a separate port of the
    /// OpenAI routes. Platforms and the docs page use the certificate of HTTP.
    pub(super) fn new(options: &Options, openai: bool, platforms: bool) -> Result<Self, TlsError> {
        let plan = TlsPlan::new(&options.tls, &options.triton.flags)?;
        let shared = shared(options);
        if shared && plan.http != plan.grpc {
            return Err(TlsError::Shared);
        }
        let own = options.openai_port.is_some();
        if openai && !own && plan.openai.is_some() && plan.openai != plan.http {
            return Err(TlsError::NoPort);
        }
        let mut certificates = Self {
            shared,
            ..Self::default()
        };
        let docs = options.allow_docs && options.docs_port.is_some();
        let http = options.allow_http || platforms || docs;
        certificates.http = certificates.load("http", Protocol::Both, plan.http, http)?;
        let own_grpc = options.allow_grpc && !shared;
        certificates.grpc = certificates.load("grpc", Protocol::Http2, plan.grpc, own_grpc)?;
        let allowed = options.allow_metrics;
        certificates.metrics =
            certificates.load("metrics", Protocol::Both, plan.metrics, allowed)?;
        certificates.openai =
            certificates.load("openai", Protocol::Both, plan.openai, openai && own)?;
        Ok(certificates)
    }

    /// Loads only the certificate for the port of the OpenAI routes, if that port is opened.
    #[cfg(tritonserver)]
    pub(super) fn openai(options: &Options, opened: bool) -> Result<Self, TlsError> {
        let plan = TlsPlan::new(&options.tls, &options.triton.flags)?;
        let mut certificates = Self::default();
        certificates.openai = certificates.load("openai", Protocol::Both, plan.openai, opened)?;
        Ok(certificates)
    }

    /// Returns which ports use TLS.
    pub(super) fn ports(&self) -> TlsPorts {
        TlsPorts {
            http: self.http.is_some(),
            // gRPC uses the certificate of HTTP if it shares the port.
            grpc: self.grpc.is_some() || self.shared && self.http.is_some(),
            metrics: self.metrics.is_some(),
            openai: self.openai.is_some(),
            docs: false,
        }
    }

    /// Returns all certificates.
    pub(super) fn all(&self) -> Vec<Certificates> {
        let all = [&self.http, &self.grpc, &self.metrics, &self.openai];
        all.into_iter().flatten().cloned().collect()
    }

    fn load(
        &mut self,
        port: &'static str,
        protocol: Protocol,
        files: Option<TlsFiles>,
        allowed: bool,
    ) -> Result<Option<Certificates>, TlsError> {
        let Some(files) = files.filter(|_| allowed) else {
            return Ok(None);
        };
        let (certificates, fresh) = Certificates::new(port, files, protocol.names())?;
        self.keepers.spawn(fresh);
        Ok(Some(certificates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error for these options, whose files do not exist.
    fn refused(arguments: &[&str], openai: bool, platforms: bool) -> String {
        let options = Options::parse(arguments).unwrap();
        let certificates = PortCertificates::new(&options, openai, platforms);
        certificates
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn platforms_have_the_certificate_of_http_without_http_too() {
        let arguments = [
            "--allow-http=false",
            "--http-use-ssl=true",
            "--http-server-cert=/nonexistent/c",
            "--http-server-key=/nonexistent/k",
        ];
        assert_eq!(refused(&arguments, false, false), "");
        let error = refused(&arguments, false, true);
        assert!(error.contains("/nonexistent/c"), "{error}");
    }

    #[test]
    fn the_page_has_the_certificate_of_http_without_http_too() {
        let arguments = [
            "--allow-http=false",
            "--docs-port=0",
            "--http-use-ssl=true",
            "--http-server-cert=/nonexistent/c",
            "--http-server-key=/nonexistent/k",
        ];
        let error = refused(&arguments, false, false);
        assert!(error.contains("/nonexistent/c"), "{error}");
        let without = [&arguments[..], &["--allow-docs=false"]].concat();
        assert_eq!(refused(&without, false, false), "");
    }

    #[test]
    fn openai_s_routes_without_a_port_have_no_tls_of_their_own() {
        let own = [
            "--openai-use-ssl=true",
            "--openai-server-cert=c",
            "--openai-server-key=k",
        ];
        let error = refused(&own, true, false);
        assert!(error.contains("--openai-port"), "{error}");
        assert_eq!(refused(&own, false, false), "");
        let both = [
            "--http-use-ssl=true",
            "--http-server-cert=/nonexistent/c",
            "--http-server-key=k",
        ];
        let same = [&both[..], &["--openai-use-ssl=true"]].concat();
        assert!(refused(&same, true, false).contains("/nonexistent/c"));
        let more = [
            &both[..],
            &["--openai-use-ssl-mutual=true", "--openai-root-cert=r"],
        ]
        .concat();
        assert!(refused(&more, true, false).contains("--openai-port"));
    }
}
