use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::request::Model;
use crate::server::Link;
use crate::servers::Servers;
use crate::shared_memory::Pool;
use crate::url::shown;
use crate::{Address, ClientError, ModelConfig, Tls};

use super::core::Core;
use super::patience::Patience;
use super::pipelined::Bounds;

/// What a client is told before it is made.
#[derive(Clone)]
#[must_use = "a builder makes a client when it is told to"]
pub struct Builder<C> {
    url: String,
    model: Model,
    patience: Patience,
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
            patience: Patience {
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

    /// The version of the model; the latest where none is named.
    pub fn version(mut self, version: &str) -> Self {
        self.model.version = version.to_owned();
        self
    }

    /// How long the server and the model may take to be ready; 300 seconds otherwise.
    pub fn init_timeout(mut self, timeout: Duration) -> Self {
        self.patience.init = timeout;
        self
    }

    /// How long an inference may take; 60 seconds otherwise. Of that a connection may take ten, and where there are several servers no more
    /// than leaves time for the others. Where the server's machine vanishes without a word, that is noticed within 40 seconds
    /// ([`ClientError::Lost`]), however long this is.
    pub fn inference_timeout(mut self, timeout: Duration) -> Self {
        self.patience.inference = timeout;
        self
    }

    /// How often a request is sent again where no connection was to be had, so that no server has seen it; never otherwise.
    /// Pauses between attempts begin with 50 ms and double; all of them are within the request's own time.
    pub fn retries(mut self, retries: u32) -> Self {
        self.patience.retries = retries;
        self
    }

    /// What opens the routes of the server that are closed. Every request has it.
    pub fn access_token(mut self, token: impl Into<String>) -> Self {
        self.access_token = Some(token.into());
        self
    }

    /// Whom the client trusts and what it shows, for `https://` and `grpcs://`.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = tls;
        self
    }

    /// Compresses inferences and their answers with gzip: for networks that are slower than that. An answer may
    /// grow to 2 GiB, as no message of protobuf is larger.
    pub fn gzip(mut self) -> Self {
        self.gzip = true;
        self
    }

    /// Up to so many bytes of shared memory, for a server on the same machine: inputs of 64 KiB and more are written there, and outputs of
    /// as much whose size follows from the model's configuration come from there, or those of which a request says how large they may be
    /// ([`InferOptions::shared_output`](crate::InferOptions::shared_output)), as of texts it must. What finds no room goes over the network, and
    /// so do the answers of a model that gives any number: each would stand in the place of the one before. A server that does not take it, because it is elsewhere or its group is closed, refuses the request.
    pub fn shared_memory(mut self, bytes: usize) -> Self {
        self.shared_memory = Some(bytes);
        self
    }

    /// What the server says of the model, where that is known already: the client neither asks for it nor waits for the model.
    pub fn model_config(mut self, config: impl Into<Arc<ModelConfig>>) -> Self {
        self.config = Some(config.into());
        self
    }

    /// The same for another kind of client.
    pub(super) fn of<Other>(self) -> Builder<Other> {
        Builder {
            url: self.url,
            model: self.model,
            patience: self.patience,
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
            connect_timeout: self.patience.connect(addresses.len()),
            gzip: self.gzip,
        };
        let servers = Servers::new(&addresses, &link)?;
        let memory = self.shared_memory.map(Pool::new).map(Arc::new);
        Ok(Core::new(
            servers,
            self.model,
            self.patience,
            self.config,
            memory,
        ))
    }
}

/// The token is nobody's business.
impl<C> fmt::Debug for Builder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("url", &shown(&self.url))
            .field("model", &self.model)
            .field("patience", &self.patience)
            .field("access_token", &self.access_token.is_some())
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_pytriton() {
        let builder = Builder::<()>::new("localhost", "m");
        let Patience {
            init,
            inference,
            retries,
        } = builder.patience;
        let seconds = [init, inference].map(|time| time.as_secs());
        assert_eq!((seconds, retries), ([300, 60], 0));
        let Bounds { under_way, queue } = builder.bounds;
        assert_eq!((under_way, queue), (128, 128));
        assert!(builder.model.version.is_empty() && builder.access_token.is_none());
    }
}
