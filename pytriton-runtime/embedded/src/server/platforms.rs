use std::env;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use pytriton_core::registry::Registry;
use pytriton_engine::options::{Options, OptionsError};

use crate::http::{Metrics, Ping, Platform, SageMaker, VertexAi};

use super::EmbeddedError;

/// The default port of both platforms.
const PORT: u16 = 8080;

/// The default model if SageMaker names none. No model has this name.
const UNSPECIFIED: &str = "unspecified_SAGEMAKER_TRITON_DEFAULT_MODEL_NAME";

/// The cloud platforms whose routes are served.
#[derive(Debug, Default)]
pub(super) struct Platforms {
    pub(super) vertex_ai: Option<Place<VertexAi>>,
    pub(super) sagemaker: Option<Place<SageMaker>>,
}

/// The routes of a platform and their address.
#[derive(Debug)]
pub(super) struct Place<T> {
    pub(super) address: SocketAddr,
    routes: T,
}

impl Platforms {
    /// Reads the platforms from the options and the environment.
    pub(super) fn new(options: &Options, registry: &Registry) -> Result<Self, EmbeddedError> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        Self::read(options, registry, variable)
    }

    /// Returns an error if a platform is requested, because no port is opened.
    pub(super) fn check_none(options: &Options) -> Result<(), EmbeddedError> {
        let mut asked = ["allow-vertex-ai", "allow-sagemaker"]
            .into_iter()
            .filter(|flag| is_allowed(options, flag));
        match asked.next() {
            Some(option) => Err(EmbeddedError::NoPort { option }),
            None => Ok(()),
        }
    }

    fn read(
        options: &Options,
        registry: &Registry,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, EmbeddedError> {
        let flag = |name: &str| options.triton.flags.values(name).last();
        let address = |own: Option<IpAddr>, name: &str| {
            let port = flag(name).map(|port| {
                let port = port.to_str().and_then(|port| port.parse().ok());
                port.ok_or_else(|| {
                    OptionsError::Arguments(format!(
                        "--{name} is not a port: expected a number from 0 to 65535"
                    ))
                })
            });
            let address = own.unwrap_or(options.http_address);
            Ok::<_, EmbeddedError>(SocketAddr::new(address, port.transpose()?.unwrap_or(PORT)))
        };
        let mut platforms = Self::default();
        if is_allowed(options, "allow-vertex-ai") {
            let model = flag("vertex-ai-default-model").map(|name| name.to_string_lossy());
            let route = |name: &str| {
                let missing = format!("{name} is not defined for Vertex AI endpoint");
                variable(name).ok_or(EmbeddedError::VertexAi(missing))
            };
            platforms.vertex_ai = Some(Place {
                address: address(options.vertex_ai_address, "vertex-ai-port")?,
                routes: VertexAi {
                    predict: route("AIP_PREDICT_ROUTE")?,
                    health: route("AIP_HEALTH_ROUTE")?,
                    model: default_model(model.as_deref(), registry)?,
                    metrics: None,
                },
            });
        }
        if is_allowed(options, "allow-sagemaker") {
            let address = address(options.sagemaker_address, "sagemaker-port")?;
            if let Some(range) = flag("sagemaker-safe-port-range") {
                check_range(&range.to_string_lossy(), options, address.ip())?;
            }
            let ping = match variable("SAGEMAKER_TRITON_PING_MODE").as_deref() {
                None | Some("ready") => Ping::Ready,
                Some("live") => Ping::Live,
                Some(other) => {
                    let text = format!(
                        "SAGEMAKER_TRITON_PING_MODE must be `ready` or `live`, found `{other}`"
                    );
                    return Err(EmbeddedError::SageMaker(text));
                }
            };
            let model = variable("SAGEMAKER_TRITON_DEFAULT_MODEL_NAME");
            let model = model.unwrap_or_else(|| UNSPECIFIED.to_owned());
            platforms.sagemaker = Some(Place {
                address,
                routes: SageMaker { ping, model },
            });
        }
        Ok(platforms)
    }

    /// Returns whether no platform is served.
    pub(super) fn is_empty(&self) -> bool {
        self.vertex_ai.is_none() && self.sagemaker.is_none()
    }

    /// Returns the Vertex AI routes if they are served.
    pub(super) fn vertex_ai(&mut self, metrics: Option<Arc<Metrics>>) -> Option<Platform> {
        let routes = self.vertex_ai.take()?.routes;
        Some(Platform::VertexAi(Arc::new(VertexAi { metrics, ..routes })))
    }

    /// Returns the SageMaker routes if they are served.
    pub(super) fn sagemaker(&mut self) -> Option<Platform> {
        let routes = self.sagemaker.take()?.routes;
        Some(Platform::SageMaker(Arc::new(routes)))
    }
}

fn is_allowed(options: &Options, flag: &str) -> bool {
    let value = options.triton.flags.values(flag).last();
    value.is_some_and(|value| value == "true")
}

/// Returns the model for requests that name none.
fn default_model(named: Option<&str>, registry: &Registry) -> Result<String, EmbeddedError> {
    let refused = |text: &str| Err(EmbeddedError::VertexAi(text.to_owned()));
    let served = registry.served();
    let mut models = served.iter();
    match named.filter(|name| !name.is_empty()) {
        Some(name) if models.any(|model| *model.name == *name) => Ok(name.to_owned()),
        Some(name) => refused(&format!("Expect the default model '{name}' is loaded")),
        None => match (models.next(), models.next()) {
            (Some(only), None) => Ok(only.name.to_string()),
            _ => refused(
                "Expect the model repository contains only a single model if default model is not specified",
            ),
        },
    }
}

/// Refuses a port on SageMaker's address outside the range that SageMaker allows.
fn check_range(range: &str, options: &Options, address: IpAddr) -> Result<(), EmbeddedError> {
    let parts: Vec<&str> = range.split('-').collect();
    let [first, last] = *parts else {
        let text = format!(
            "Cannot parse pair option due to incorrect number of inputs.--<pair option> argument requires format \
             <first>-<second>. Found: {range}"
        );
        return Err(OptionsError::Arguments(text).into());
    };
    let number = |text: &str| {
        text.parse::<u16>()
            .map_err(|_| OptionsError::Arguments(format!("Invalid option value. Got {text}")))
    };
    let (first, last) = (number(first)?, number(last)?);
    let endpoints = options.endpoints().into_iter();
    for (endpoint, name) in endpoints.zip(["HTTP", "GRPC", "metrics"]) {
        let Some(endpoint) = endpoint.filter(|endpoint| endpoint.ip() == address) else {
            continue;
        };
        let port = endpoint.port();
        // Port 0 is exempt, because the system selects it.
        if port != 0 && !(first..=last).contains(&port) {
            return Err(EmbeddedError::SageMaker(format!(
                "The server cannot listen to {name} requests at port {port}, allowed port range is [{first}, {last}]"
            )));
        }
    }
    Ok(())
}
