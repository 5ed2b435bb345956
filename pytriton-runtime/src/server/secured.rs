use tokio::task::JoinSet;

use crate::tls::{Certificates, TlsError, TlsFiles, TlsPlan};

use super::addresses::shared;
use super::connection::Protocol;
use super::{Options, TlsPorts};

/// The certificates of the ports, and what keeps them fresh.
#[derive(Debug, Default)]
pub(super) struct Secured {
    pub(super) http: Option<Certificates>,
    pub(super) grpc: Option<Certificates>,
    pub(super) metrics: Option<Certificates>,
    pub(super) openai: Option<Certificates>,
    /// Whether gRPC has the port for HTTP.
    shared: bool,
    /// Ends when it is dropped.
    keepers: JoinSet<()>,
}

impl Secured {
    /// Those of the ports that the options open; that of OpenAI's routes where they have one.
    pub(super) fn new(options: &Options, openai: bool) -> Result<Self, TlsError> {
        let plan = TlsPlan::new(&options.tls, &options.triton.flags)?;
        let shared = shared(options);
        if shared && plan.http != plan.grpc {
            return Err(TlsError::Shared);
        }
        let mut secured = Self {
            shared,
            ..Self::default()
        };
        secured.http = secured.load("http", Protocol::Both, plan.http, options.allow_http)?;
        let own_grpc = options.allow_grpc && !shared;
        secured.grpc = secured.load("grpc", Protocol::Http2, plan.grpc, own_grpc)?;
        let allowed = options.allow_metrics;
        secured.metrics = secured.load("metrics", Protocol::Both, plan.metrics, allowed)?;
        let own = openai && options.openai_port.is_some();
        secured.openai = secured.load("openai", Protocol::Both, plan.openai, own)?;
        Ok(secured)
    }

    /// That of the port of OpenAI's routes alone.
    #[cfg(tritonserver)]
    pub(super) fn openai(options: &Options) -> Result<Self, TlsError> {
        let plan = TlsPlan::new(&options.tls, &options.triton.flags)?;
        let mut secured = Self::default();
        secured.openai = secured.load("openai", Protocol::Both, plan.openai, true)?;
        Ok(secured)
    }

    /// Which ports have one.
    pub(super) fn ports(&self) -> TlsPorts {
        TlsPorts {
            http: self.http.is_some(),
            // Where it has no port of its own it has that for HTTP.
            grpc: self.grpc.is_some() || self.shared && self.http.is_some(),
            metrics: self.metrics.is_some(),
            openai: self.openai.is_some(),
        }
    }

    /// All of them.
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
