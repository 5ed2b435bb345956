use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::request::Model;
use crate::servers::Servers;
use crate::shared_memory::Pool;
use crate::transport::Link;
use crate::url::shown;
use crate::{Address, ClientError, ModelConfig, Tls};

use super::core::Core;
use super::pipelined::Bounds;
use super::retry_policy::RetryPolicy;

/// The options of a client.
#[derive(Clone)]
#[must_use = "a builder does nothing until the client is created"]
pub struct Builder<C> {
    url: String,
    model: Model,
    retry_policy: RetryPolicy,
    access_token: Option<String>,
    tls: Tls,
    config: Option<Arc<ModelConfig>>,
    gzip: bool,
    shared_memory: Option<usize>,
    pub(super) bounds: Bounds,
    kind: PhantomData<fn() -> C>,
}

impl<C> Builder<C> {
    pub(super) fn new(url: &str, model: &str) -> Self {
        Self {
            url: url.to_owned(),
            model: Model {
                name: model.to_owned(),
                version: String::new(),
            },
            retry_policy: RetryPolicy {
                init: Duration::from_secs(300),
                inference: Duration::from_secs(60),
                retries: 0,
            },
            access_token: None,
            tls: Tls::new(),
            config: None,
            gzip: false,
            shared_memory: None,
            bounds: Bounds::default(),
            kind: PhantomData,
        }
    }

    /// Sets the version of the model; the default is the latest. It is a number for pytriton and
    /// Triton, and can be any text for other servers.
    pub fn version(mut self, version: impl fmt::Display) -> Self {
        self.model.version = version.to_string();
        self
    }

    /// Sets the time until the server and the model must be ready; the default is 300 seconds.
    pub fn init_timeout(mut self, timeout: Duration) -> Self {
        self.retry_policy.init = timeout;
        self
    }

    /// Sets the time limit of an inference; the default is 60 seconds. Connecting takes at most 10
    /// seconds of it, or less with several servers. If the server's machine disappears, the client
    /// notices within 40 seconds ([`ClientError::Lost`]), independently of this limit.
    pub fn inference_timeout(mut self, timeout: Duration) -> Self {
        self.retry_policy.inference = timeout;
        self
    }

    /// Sets the number of retries for requests that no server has received because no connection
    /// could be made. Other requests are never retried. The delay starts at 50 ms and doubles; the
    /// request's time limit includes all retries.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retry_policy.retries = retries;
        self
    }

    /// Sets the token for routes with restricted access. The client sends it with every request.
    pub fn access_token(mut self, token: impl Into<String>) -> Self {
        self.access_token = Some(token.into());
        self
    }

    /// Sets the TLS options for `https://` and `grpcs://`.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    /// Compresses inference requests and responses with gzip, for slow networks. A response may
    /// decompress to at most 2 GiB, the maximum size of a protobuf message.
    pub fn gzip(mut self) -> Self {
        self.gzip = true;
        self
    }

    /// Uses up to `bytes` of shared memory, for a server on the same machine.
    ///
    /// Inputs of 64 KiB or more are written there. Outputs of this size are read from there if
    /// their size is known from the model's configuration, or from the request
    /// ([`InferOptions::shared_output`](crate::InferOptions::shared_output), required for `BYTES`).
    ///
    /// Tensors that do not fit are sent over the network. The responses of streaming models are
    /// too, because each would overwrite the previous one. A server refuses the request if it runs
    /// on another machine or if its shared-memory routes are restricted.
    pub fn shared_memory(mut self, bytes: usize) -> Self {
        self.shared_memory = Some(bytes);
        self
    }

    /// Sets the model's configuration, if it is known. The client then neither requests it nor
    /// waits for the model.
    pub fn model_config(mut self, config: impl Into<Arc<ModelConfig>>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// Converts the options for another kind of client.
    pub(super) fn of<Other>(self) -> Builder<Other> {
        Builder {
            url: self.url,
            model: self.model,
            retry_policy: self.retry_policy,
            access_token: self.access_token,
            tls: self.tls,
            config: self.config,
            gzip: self.gzip,
            shared_memory: self.shared_memory,
            bounds: self.bounds,
            kind: PhantomData,
        }
    }

    pub(super) fn addresses(&self) -> Result<Vec<Address>, ClientError> {
        Address::list(&self.url)
    }

    pub(super) fn core(self) -> Result<Core, ClientError> {
        let addresses = self.addresses()?;
        let link = Link {
            tls: self.tls,
            access_token: self.access_token,
            connect_timeout: self.retry_policy.connect(addresses.len()),
            gzip: self.gzip,
        };
        let servers = Servers::new(&addresses, &link)?;
        let memory = self.shared_memory.map(Pool::new).map(Arc::new);
        Ok(Core::new(
            servers,
            self.model,
            self.retry_policy,
            self.config,
            memory,
        ))
    }
}

/// Does not print the token.
impl<C> fmt::Debug for Builder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("url", &shown(&self.url))
            .field("model", &self.model)
            .field("patience", &self.retry_policy)
            .field("access_token", &self.access_token.is_some())
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_match_pytriton() {
        let builder = Builder::<()>::new("localhost", "m");
        let RetryPolicy {
            init,
            inference,
            retries,
        } = builder.retry_policy;
        let seconds = [init, inference].map(|time| time.as_secs());
        assert_eq!((seconds, retries), ([300, 60], 0));
        let Bounds { in_flight, queue } = builder.bounds;
        assert_eq!((in_flight, queue), (128, 128));
        assert!(builder.model.version.is_empty() && builder.access_token.is_none());
    }
}
