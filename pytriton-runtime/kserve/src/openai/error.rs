use std::sync::Arc;
use std::time::Duration;

use http::Method;
use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::model::Surface;
use pytriton_core::status::Status;
use pytriton_core::text::{excerpt, for_client};
use thiserror::Error;

use crate::json::{JsonWriter, ReadError};

/// Why a request to an OpenAI route failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenAiError {
    /// The body is not a JSON object.
    #[error("we could not parse the JSON body of your request: {message}")]
    Json {
        /// The message of the parser.
        message: String,
    },
    /// A required member is missing.
    #[error("Missing required parameter: '{member}'.")]
    Missing {
        /// The member.
        member: String,
    },
    /// The value of a member is invalid.
    #[error("Invalid value for '{member}': {what}.")]
    Invalid {
        /// The member.
        member: String,
        /// A description of the error.
        what: String,
    },
    /// The model does not support the member, and ignoring it would change the response.
    #[error("Unsupported parameter: '{member}' is not supported with this model.")]
    Unsupported {
        /// The member.
        member: String,
    },
    /// The model does not exist or has no OpenAI route.
    #[error("The model '{model}' does not exist")]
    UnknownModel {
        /// The name in the request.
        model: String,
    },
    /// The model is served on the other route.
    #[error("The model '{model}' is not served over {}. Did you mean to use {}?", asked.path(), served.path())]
    OtherSurface {
        /// The model.
        model: Arc<str>,
        /// The requested route.
        asked: Surface,
        /// The route of the model.
        served: Surface,
    },
    /// The path belongs to a restricted group.
    #[error(
        "Incorrect API key provided: this API is restricted, expecting header '{header}' or the same as the API key"
    )]
    Restricted {
        /// The name of the header.
        header: String,
    },
    /// The path does not exist.
    #[error("Unknown request URL: {method} {path}")]
    UnknownUrl {
        /// The method of the request.
        method: String,
        /// The path of the request.
        path: String,
    },
    /// The path does not support the method.
    #[error("Not allowed to {method} on {path}")]
    Method {
        /// The method of the request.
        method: String,
        /// The path of the request.
        path: String,
        /// The methods that the path supports.
        allowed: &'static [Method],
    },
    /// The output of the model is not text.
    #[error("model '{model}' returned an output that is not text")]
    NoText {
        /// The model.
        model: Arc<str>,
    },
    /// The first output of a model for `/v1/embeddings` does not contain one vector of finite
    /// numbers per text.
    #[error("model '{model}' returned an output that is not vectors of finite numbers")]
    NoVectors {
        /// The model.
        model: Arc<str>,
    },
    /// Another layer has refused the request or failed.
    #[error("{message}")]
    Failed {
        /// The HTTP status code.
        status: u16,
        /// The message of that layer.
        message: String,
        /// How long the client should wait before it retries.
        retry_after: Option<Duration>,
    },
}

impl From<MemoryBudgetError> for OpenAiError {
    fn from(error: MemoryBudgetError) -> Self {
        Self::Failed {
            status: Status::Exhausted.http(),
            message: for_client(&error),
            retry_after: None,
        }
    }
}

impl From<ReadError> for OpenAiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Budget(error) => error.into(),
            ReadError::Json(error) => Self::Json {
                message: excerpt(&error),
            },
        }
    }
}

impl OpenAiError {
    /// Returns the HTTP status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::UnknownModel { .. } | Self::OtherSurface { .. } | Self::UnknownUrl { .. } => 404,
            Self::Restricted { .. } => 401,
            Self::Method { .. } => 405,
            Self::NoText { .. } | Self::NoVectors { .. } => 500,
            Self::Failed { status, .. } => *status,
            _ => 400,
        }
    }

    /// Returns whether the same request may succeed if it is retried.
    pub fn passes(&self) -> bool {
        matches!(self.status(), 429 | 503)
    }

    /// Returns the body of the response, or of an event.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = JsonWriter::default();
        json.object(|json| {
            json.name("error").object(|json| {
                json.name("message").text(&for_client(self));
                json.name("type").text(self.kind());
                optional(json.name("param"), self.member());
                optional(json.name("code"), self.code());
            });
        });
        json.finish()
    }

    fn kind(&self) -> &'static str {
        match self.status() {
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        }
    }

    fn member(&self) -> Option<&str> {
        match self {
            Self::Missing { member }
            | Self::Invalid { member, .. }
            | Self::Unsupported { member } => Some(member),
            Self::UnknownModel { .. } | Self::OtherSurface { .. } => Some("model"),
            _ => None,
        }
    }

    fn code(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => Some("missing_required_parameter"),
            Self::Invalid { .. } => Some("invalid_value"),
            Self::Unsupported { .. } => Some("unsupported_parameter"),
            Self::UnknownModel { .. } => Some("model_not_found"),
            Self::UnknownUrl { .. } => Some("unknown_url"),
            Self::Restricted { .. } => Some("invalid_api_key"),
            _ => None,
        }
    }
}

fn optional(json: &mut JsonWriter, text: Option<&str>) {
    match text {
        Some(text) => json.text(text),
        None => json.written(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_openai_format() {
        let member = || "stop".to_owned();
        let table = [
            (
                OpenAiError::Invalid {
                    member: member(),
                    what: "expected \"x\"".to_owned(),
                },
                400,
                r#"{"error":{"message":"Invalid value for 'stop': expected \"x\".","type":"invalid_request_error","param":"stop","code":"invalid_value"}}"#,
            ),
            (
                OpenAiError::UnknownModel {
                    model: "x".to_owned(),
                },
                404,
                r#"{"error":{"message":"The model 'x' does not exist","type":"invalid_request_error","param":"model","code":"model_not_found"}}"#,
            ),
            (
                OpenAiError::Missing { member: member() },
                400,
                r#"{"error":{"message":"Missing required parameter: 'stop'.","type":"invalid_request_error","param":"stop","code":"missing_required_parameter"}}"#,
            ),
            (
                OpenAiError::Unsupported { member: member() },
                400,
                r#"{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","type":"invalid_request_error","param":"stop","code":"unsupported_parameter"}}"#,
            ),
            (
                OpenAiError::UnknownUrl {
                    method: "GET".to_owned(),
                    path: "/x".to_owned(),
                },
                404,
                r#"{"error":{"message":"Unknown request URL: GET /x","type":"invalid_request_error","param":null,"code":"unknown_url"}}"#,
            ),
            (
                OpenAiError::Method {
                    method: "GET".to_owned(),
                    path: "/x".to_owned(),
                    allowed: &[],
                },
                405,
                r#"{"error":{"message":"Not allowed to GET on /x","type":"invalid_request_error","param":null,"code":null}}"#,
            ),
            (
                OpenAiError::Restricted {
                    header: "k".to_owned(),
                },
                401,
                r#"{"error":{"message":"Incorrect API key provided: this API is restricted, expecting header 'k' or the same as the API key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
            ),
            (
                OpenAiError::NoText { model: "m".into() },
                500,
                r#"{"error":{"message":"model 'm' returned an output that is not text","type":"server_error","param":null,"code":null}}"#,
            ),
            (
                OpenAiError::NoVectors { model: "m".into() },
                500,
                r#"{"error":{"message":"model 'm' returned an output that is not vectors of finite numbers","type":"server_error","param":null,"code":null}}"#,
            ),
            (
                OpenAiError::Failed {
                    status: 429,
                    message: "busy".to_owned(),
                    retry_after: None,
                },
                429,
                r#"{"error":{"message":"busy","type":"rate_limit_error","param":null,"code":null}}"#,
            ),
            (
                OpenAiError::Failed {
                    status: 503,
                    message: "full".to_owned(),
                    retry_after: None,
                },
                503,
                r#"{"error":{"message":"full","type":"server_error","param":null,"code":null}}"#,
            ),
        ];
        for (error, status, json) in table {
            assert_eq!(error.status(), status);
            assert_eq!(String::from_utf8(error.to_json()).unwrap(), json);
            assert_eq!(error.passes(), [429, 503].contains(&status));
        }
    }
}
