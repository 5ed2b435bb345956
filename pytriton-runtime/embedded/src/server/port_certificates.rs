use pytriton_engine::options::Options;
use pytriton_engine::port::{Port, PortMap};
use pytriton_engine::tls::{Certificates, TlsError, TlsFiles, plan};
use pytriton_net::Protocol;
use tokio::task::JoinSet;

/// The certificates of the ports, and the tasks that reload them.
#[derive(Debug, Default)]
pub(super) struct PortCertificates {
    certificates: PortMap<Certificates>,
    /// Whether gRPC shares the HTTP port.
    shared: bool,
    /// The reload tasks. They end when this is dropped.
    keepers: JoinSet<()>,
}

impl PortCertificates {
    /// Loads the certificates of the ports that the options open, including a separate port of the
    /// OpenAI routes.
    pub(super) fn new(options: &Options, openai: bool, platforms: bool) -> Result<Self, TlsError> {
        let plan = plan(&options.tls, &options.triton.flags)?;
        let shared = options.shares_port();
        let [http, grpc, openai_files] =
            [Port::Http, Port::Grpc, Port::OpenAi].map(|port| plan.get(port));
        if shared && http != grpc {
            return Err(TlsError::Shared);
        }
        let own = options.openai_port.is_some();
        if openai && !own && openai_files.is_some() && openai_files != http {
            return Err(TlsError::NoPort);
        }
        let docs = options.allow_docs && options.docs_port.is_some();
        let is_opened = |port| match port {
            Port::Http => options.allow_http || platforms || docs,
            Port::Grpc => options.allow_grpc && !shared,
            Port::Metrics => options.allow_metrics,
            Port::OpenAi => openai && own,
            Port::Docs | Port::VertexAi | Port::SageMaker => false,
        };
        let mut certificates = Self {
            shared,
            ..Self::default()
        };
        certificates.load(plan, is_opened)?;
        Ok(certificates)
    }

    /// Loads only the certificate for the port of the OpenAI routes, if that port is opened.
    pub(super) fn openai(options: &Options, opened: bool) -> Result<Self, TlsError> {
        let plan = plan(&options.tls, &options.triton.flags)?;
        let mut certificates = Self::default();
        certificates.load(plan, |port| opened && port == Port::OpenAi)?;
        Ok(certificates)
    }

    /// Returns the certificate of a port. Platforms, the docs page, and gRPC on a shared port use
    /// that of HTTP.
    pub(super) fn get(&self, port: Port) -> Option<&Certificates> {
        let owner = match port {
            Port::Grpc if self.shared => Port::Http,
            Port::Docs | Port::VertexAi | Port::SageMaker => Port::Http,
            _ => port,
        };
        self.certificates.get(owner)
    }

    /// Returns all certificates.
    pub(super) fn all(&self) -> Vec<Certificates> {
        let all = self.certificates.iter();
        all.map(|(_, certificates)| certificates.clone()).collect()
    }

    fn load(
        &mut self,
        plan: PortMap<TlsFiles>,
        is_opened: impl Fn(Port) -> bool,
    ) -> Result<(), TlsError> {
        for (port, files) in plan.into_entries().filter(|(port, _)| is_opened(*port)) {
            let protocol = match port {
                Port::Grpc => Protocol::Http2,
                _ => Protocol::Both,
            };
            let (certificates, reload) = Certificates::new(port.name(), files, protocol.names())?;
            self.keepers.spawn(reload);
            self.certificates.insert(port, certificates);
        }
        Ok(())
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
    fn platform_ports_use_the_http_certificate_without_http() {
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
    fn page_port_uses_the_http_certificate_without_http() {
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
    fn openai_tls_options_require_the_openai_port() {
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
