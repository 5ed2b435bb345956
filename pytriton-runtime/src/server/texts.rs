use std::net::SocketAddr;
#[cfg(feature = "embedded")]
use std::sync::Arc;

use tokio::time::Instant;

#[cfg(feature = "embedded")]
use crate::http::{Beside, Relay, Upstream, Written, is_asked};
use crate::registry::Registry;
#[cfg(feature = "embedded")]
use crate::tls::TlsPlan;
use crate::triton::TritonEngine;

#[cfg(feature = "embedded")]
use super::descriptors::connections_beside_others;
#[cfg(feature = "embedded")]
use super::{Addresses, Server, TlsPorts, checked::has_text_models, serve::told};
use super::{Options, ServerError};

/// The ports of OpenAI's routes and of the page beside tritonserver, which has neither.
#[derive(Debug, Default)]
pub(super) struct Texts {
    #[cfg(feature = "embedded")]
    server: Option<(Server, Arc<Beside>)>,
}

impl Texts {
    /// Opens that of OpenAI's routes where a model has them, and that of the page where it is allowed.
    #[cfg(feature = "embedded")]
    pub(super) async fn start(
        registry: &Registry,
        options: &Options,
        engine: &TritonEngine,
    ) -> Result<Self, ServerError> {
        let theirs = engine.endpoints();
        let texts = has_text_models(&registry.served());
        let page = options.allow_docs && theirs.http.is_some();
        if !texts && !page {
            return Ok(Self::default());
        }
        let access = engine.access();
        let http = theirs.http.ok_or(ServerError::NoHttp)?;
        let beside = Beside::new(http, Arc::clone(access), connections_beside_others());
        let beside = Arc::new(beside);
        let upstream = texts.then(|| {
            let (models, claims) = (engine.hosted(), Arc::clone(engine.claims()));
            Upstream::new(Arc::clone(&beside), models, claims)
        });
        let kept = Arc::clone(&beside);
        let tls = TlsPorts {
            grpc: TlsPlan::new(&options.tls, &options.triton.flags)?
                .grpc
                .is_some(),
            ..TlsPorts::default()
        };
        let addresses = Addresses {
            http: theirs.http,
            grpc: theirs.grpc,
            tls,
            ..Addresses::default()
        };
        let doors = told(options, access, Some(&addresses));
        let relay = page.then(|| Relay {
            beside,
            metrics: theirs.metrics,
            models: engine.hosted(),
            written: Written::new(doors.answering(is_asked)),
        });
        let server = Server::beside_tritonserver((upstream, relay), options, access).await?;
        Ok(Self {
            server: Some((server, kept)),
        })
    }

    /// Refuses models that have these routes: what serves them is not in this binary.
    #[cfg(not(feature = "embedded"))]
    pub(super) async fn start(
        registry: &Registry,
        _: &Options,
        _: &TritonEngine,
    ) -> Result<Self, ServerError> {
        match registry.iter().any(|spec| spec.openai.is_some()) {
            true => Err(ServerError::NoTexts),
            false => Ok(Self::default()),
        }
    }

    /// Where OpenAI's routes are.
    #[cfg(feature = "embedded")]
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.server.as_ref()?.0.addresses().openai
    }

    /// Where the page is.
    #[cfg(feature = "embedded")]
    pub(super) fn docs(&self) -> Option<SocketAddr> {
        self.server.as_ref()?.0.addresses().docs
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn docs(&self) -> Option<SocketAddr> {
        None
    }

    /// Whether those have TLS.
    #[cfg(feature = "embedded")]
    pub(super) fn has_tls(&self) -> bool {
        let server = self.server.as_ref();
        server.is_some_and(|(server, _)| server.addresses().tls.openai)
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn has_tls(&self) -> bool {
        false
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn address(&self) -> Option<SocketAddr> {
        None
    }

    /// Connects to tritonserver for the requests that have been accepted here but not yet sent, before it stops accepting
    /// connections. Returns the addresses of this side.
    #[cfg(feature = "embedded")]
    pub(super) fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        let beside = self.server.as_ref().map(|(_, beside)| Arc::clone(beside));
        async move {
            match beside {
                Some(beside) => beside.prepare_to_stop().await,
                None => Vec::new(),
            }
        }
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) fn prepare_to_stop(&self) -> impl Future<Output = Vec<SocketAddr>> + Send + use<> {
        std::future::ready(Vec::new())
    }

    /// Closes the ports at once, and waits until all that was accepted is answered; returns whether it was by `deadline`.
    #[cfg(feature = "embedded")]
    pub(super) async fn stop(self, deadline: Instant) -> bool {
        let Some((server, beside)) = self.server else {
            return true;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let answered = server.stop(left).await;
        beside.stopped();
        answered
    }

    #[cfg(not(feature = "embedded"))]
    pub(super) async fn stop(self, _: Instant) -> bool {
        true
    }
}
