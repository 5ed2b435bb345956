use std::sync::Arc;

use axum::http::Method;
use thiserror::Error;

use crate::kserve::JsonWriter;
use crate::model::Surface;
use crate::text::for_client;

/// Why a request of OpenAI's form is not answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpenAiError {
    /// The body is no JSON object.
    #[error("we could not parse the JSON body of your request: {message}")]
    Json {
        /// The parser's words.
        message: String,
    },
    /// A member that must be there.
    #[error("Missing required parameter: '{member}'.")]
    Missing {
        /// The member.
        member: String,
    },
    /// A member that is not what it must be.
    #[error("Invalid value for '{member}': {what}.")]
    Invalid {
        /// The member.
        member: String,
        /// What is wrong with it.
        what: String,
    },
    /// A member that the model does not take, and without which the answer would be another one.
    #[error("Unsupported parameter: '{member}' is not supported with this model.")]
    Unsupported {
        /// The member.
        member: String,
    },
    /// There is no such model, or none that is served over these routes.
    #[error("The model '{model}' does not exist")]
    UnknownModel {
        /// The name in the request.
        model: String,
    },
    /// A model that answers otherwise.
    #[error("The model '{model}' is not served over {}. Did you mean to use {}?", asked.path(), served.path())]
    OtherSurface {
        /// The model.
        model: Arc<str>,
        /// What was asked for.
        asked: Surface,
        /// What there is.
        served: Surface,
    },
    /// The path is in a group that is closed.
    #[error(
        "Incorrect API key provided: this API is restricted, expecting header '{header}' or the same as the API key"
    )]
    Restricted {
        /// The name of the header.
        header: String,
    },
    /// There is nothing at that path.
    #[error("Unknown request URL: {method} {path}")]
    UnknownUrl {
        /// The method of the request.
        method: String,
        /// The path of the request.
        path: String,
    },
    /// The path does not answer that method.
    #[error("Not allowed to {method} on {path}")]
    Method {
        /// The method of the request.
        method: String,
        /// The path of the request.
        path: String,
        /// The methods that the path supports.
        allowed: &'static [Method],
    },
    /// What came from the model is no text.
    #[error("model '{model}' answered with what is no text")]
    NoText {
        /// The model.
        model: Arc<str>,
    },
    /// Another room has refused the request, or failed.
    #[error("{message}")]
    Failed {
        /// The HTTP status code.
        status: u16,
        /// Its words.
        message: String,
    },
}

impl OpenAiError {
    /// The HTTP status code.
    pub fn status(&self) -> u16 {
        match self {
            Self::UnknownModel { .. } | Self::OtherSurface { .. } | Self::UnknownUrl { .. } => 404,
            Self::Restricted { .. } => 401,
            Self::Method { .. } => 405,
            Self::NoText { .. } => 500,
            Self::Failed { status, .. } => *status,
            _ => 400,
        }
    }

    /// Whether the same request may be answered if it comes again.
    pub fn passes(&self) -> bool {
        matches!(self.status(), 429 | 503)
    }

    /// The body of the answer, or of an event.
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
    fn errors_have_openai_s_form() {
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
                OpenAiError::Failed {
                    status: 503,
                    message: "full".to_owned(),
                },
                503,
                r#"{"error":{"message":"full","type":"server_error","param":null,"code":null}}"#,
            ),
        ];
        for (error, status, json) in table {
            assert_eq!(error.status(), status);
            assert_eq!(String::from_utf8(error.to_json()).unwrap(), json);
            assert_eq!(error.passes(), status == 503);
        }
    }
}
