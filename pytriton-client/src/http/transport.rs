use std::sync::OnceLock;

use bytes::Bytes;
use hyper::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderValue,
};
use hyper::{Method, Request, Uri};
use serde_json::{Map, Value, json};

use crate::config::ModelConfig;
use crate::request::{InferRequest, Load, Model};
use crate::statistics::ModelStatistics;
use crate::transport::{Channel, Link};
use crate::{Address, ClientError, Outputs, Status, gzip};

use super::base64::base64;
use super::body::{Pieces, read};
use super::head::{HEADER_LENGTH, encoded, headers, with_all};
use super::{request, response};

const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// An HTTP server.
#[derive(Debug, Clone)]
pub(crate) struct HttpTransport {
    channel: Channel<Pieces>,
    /// The headers of all requests.
    headers: HeaderMap,
    /// The headers of inferences.
    inference: HeaderMap,
    /// The URI of a model's inferences; a client has one model.
    to: OnceLock<(Model, Uri)>,
    gzip: bool,
}

pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) header_length: Option<usize>,
    pub(super) body: Bytes,
}

impl HttpTransport {
    pub(crate) fn new(address: &Address, link: &Link) -> Result<Self, ClientError> {
        let token = link
            .access_token
            .as_ref()
            .map(|token| ("triton-access-token".to_owned(), token.clone()));
        let mut headers = headers(&token.into_iter().collect::<Vec<_>>())?;
        for value in headers.values_mut() {
            value.set_sensitive(true);
        }
        let host = HeaderValue::from_str(&address.authority());
        let host = host.map_err(|error| ClientError::InvalidUrl {
            url: address.to_string(),
            reason: error.to_string(),
        })?;
        headers.insert(HOST, host);
        let channel = Channel::new(address, &link.tls, link.connect_timeout)?;
        let gzip = link.gzip;
        let octets = HeaderValue::from_static("application/octet-stream");
        let mut inference = headers.clone();
        inference.insert(CONTENT_TYPE, octets);
        if gzip {
            inference.insert(CONTENT_ENCODING, GZIP);
            inference.insert(ACCEPT_ENCODING, GZIP);
        }
        Ok(Self {
            channel,
            headers,
            inference,
            to: OnceLock::new(),
            gzip,
        })
    }

    /// Returns a transport to the same server with new connections.
    pub(crate) fn with_new_connections(&self) -> Self {
        Self {
            channel: self.channel.with_new_connections(),
            ..self.clone()
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.channel.address()
    }

    /// Returns whether a route returns 200, as health routes do; an error if access is denied.
    pub(crate) async fn is(&self, path: &str) -> Result<bool, ClientError> {
        let response = self
            .ask(Method::GET, path, HeaderMap::new(), Pieces::default())
            .await?;
        match response.status {
            401 | 403 => Err(failed("", &response)),
            status => Ok(status == 200),
        }
    }

    pub(crate) async fn is_model_ready(&self, model: &Model) -> Result<bool, ClientError> {
        self.is(&format!("{}/ready", path(model))).await
    }

    pub(crate) async fn config(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        let words = model.to_string();
        let config = self.get(&words, &format!("{}/config", path(model))).await;
        match config {
            Ok(config) => ModelConfig::from_json(&config),
            // The route is an extension by Triton.
            Err(ClientError::Server {
                status: Status::Http(404 | 405 | 501),
                ..
            }) => self.metadata(&words, &path(model)).await,
            Err(error) => Err(error),
        }
    }

    async fn metadata(&self, model: &str, path: &str) -> Result<ModelConfig, ClientError> {
        let mut config = ModelConfig::from_metadata_json(&self.get(model, path).await?)?;
        let server = self.get("", "/v2").await?;
        let mut extensions = server["extensions"].as_array().into_iter().flatten();
        config.as_json = !extensions.any(|extension| extension == "binary_tensor_data");
        Ok(config)
    }

    pub(crate) async fn statistics(
        &self,
        model: &Model,
    ) -> Result<Vec<ModelStatistics>, ClientError> {
        let response = self
            .get(&model.to_string(), &format!("{}/stats", path(model)))
            .await?;
        let entries = response["model_stats"].as_array().into_iter().flatten();
        Ok(entries.map(ModelStatistics::from_json).collect())
    }

    pub(crate) async fn load(&self, model: &Model, load: &Load) -> Result<(), ClientError> {
        let mut parameters = Map::new();
        if let Some(config) = &load.config {
            parameters.insert("config".to_owned(), Value::from(config.as_str()));
        }
        for (name, contents) in &load.files {
            parameters.insert(name.clone(), Value::from(base64(contents)));
        }
        self.repository(model, "load", json!({"parameters": parameters}))
            .await
    }

    pub(crate) async fn unload(&self, model: &Model) -> Result<(), ClientError> {
        let body = json!({"parameters": {"unload_dependents": false}});
        self.repository(model, "unload", body).await
    }

    pub(crate) async fn infer(&self, request: &InferRequest) -> Result<Outputs, ClientError> {
        let (length, mut pieces) = request::encode(request);
        if self.gzip {
            pieces = vec![gzip::compress(pieces).await?];
        }
        let mut headers = with_all(headers(&request.options.headers)?, &self.inference);
        headers.insert(&HEADER_LENGTH, HeaderValue::from(length));
        let (body, to) = (Pieces::new(pieces), self.to(&request.model)?);
        let response = self.send(Method::POST, to, headers, body).await?;
        match response.status {
            200 => response::decode(&response.body, response.header_length),
            _ => Err(failed(&request.model.to_string(), &response)),
        }
    }

    /// Returns the URI of a model's inferences.
    fn to(&self, model: &Model) -> Result<Uri, ClientError> {
        if let Some((known, uri)) = self.to.get()
            && known == model
        {
            return Ok(uri.clone());
        }
        let uri = self.uri(&format!("{}/infer", path(model)))?;
        // If another model's URI is already stored, it stays.
        let _ = self.to.set((model.clone(), uri.clone()));
        Ok(uri)
    }

    /// Returns a URI of the server.
    fn uri(&self, path: &str) -> Result<Uri, ClientError> {
        let origin = self.channel.origin().to_string();
        let uri = format!("{}{path}", origin.trim_end_matches('/')).parse();
        uri.map_err(|error| ClientError::inputs(format!("cannot build the request: {error}")))
    }

    async fn repository(&self, model: &Model, what: &str, body: Value) -> Result<(), ClientError> {
        let path = format!("/v2/repository/models/{}/{what}", encoded(&model.name));
        let body = Pieces::new([Bytes::from(body.to_string())]);
        let response = self
            .ask(Method::POST, &path, HeaderMap::new(), body)
            .await?;
        match response.status {
            200 => Ok(()),
            _ => Err(failed(&model.to_string(), &response)),
        }
    }

    pub(super) async fn get(&self, model: &str, path: &str) -> Result<Value, ClientError> {
        let response = self
            .ask(Method::GET, path, HeaderMap::new(), Pieces::default())
            .await?;
        if response.status != 200 {
            return Err(failed(model, &response));
        }
        serde_json::from_slice(&response.body)
            .map_err(|error| ClientError::protocol(format!("it is not valid JSON: {error}")))
    }

    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Pieces,
    ) -> Result<HttpResponse, ClientError> {
        let headers = with_all(headers, &self.headers);
        self.send(method, self.uri(path)?, headers, body).await
    }

    async fn send(
        &self,
        method: Method,
        to: Uri,
        headers: HeaderMap,
        body: Pieces,
    ) -> Result<HttpResponse, ClientError> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = to;
        *request.headers_mut() = headers;
        let response = self.channel.send(request).await.map_err(|error| error.0)?;
        let status = response.status().as_u16();
        let header_length = response.headers().get(&HEADER_LENGTH);
        let header_length = header_length.and_then(|length| length.to_str().ok()?.parse().ok());
        let compressed = response.headers().get(CONTENT_ENCODING) == Some(&GZIP);
        let aligned_at = header_length.unwrap_or_default();
        let body = read(response.into_body(), aligned_at)
            .await
            .map_err(|error| error.0)?;
        Ok(HttpResponse {
            status,
            header_length,
            body: match compressed {
                true => gzip::decompress(body, aligned_at).await?,
                false => body,
            },
        })
    }
}

pub(super) fn path(model: &Model) -> String {
    let name = encoded(&model.name);
    match model.version.as_str() {
        "" => format!("/v2/models/{name}"),
        version => format!("/v2/models/{name}/versions/{}", encoded(version)),
    }
}

/// Returns the error in a response: the member `error` of its JSON, or its body.
pub(super) fn failed(model: &str, response: &HttpResponse) -> ClientError {
    let json: Option<Value> = serde_json::from_slice(&response.body).ok();
    let words = json.and_then(|json| json["error"].as_str().map(str::to_owned));
    let words = words.unwrap_or_else(|| String::from_utf8_lossy(&response.body).into_owned());
    ClientError::server(model, Status::Http(response.status), words)
}
