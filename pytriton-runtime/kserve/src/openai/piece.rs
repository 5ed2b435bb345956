use pytriton_core::call::{ModelError, OutputWriter, Outputs, ResponseParts};
use pytriton_core::model::TensorDeclaration;
use pytriton_core::registry::PROMPT_TOKENS;
use pytriton_core::request::{ParameterValue, Parameters};
use pytriton_protocol::tensor::DataType;

use super::{FinishReason, Usage};

/// The output of a piece.
pub(super) const TEXT: &str = "text";

const FINISH_REASON: &str = "finish_reason";
const COMPLETION_TOKENS: &str = "completion_tokens";

/// A piece of text with optional metadata.
///
/// It is the output `text` of a model. The metadata is sent to KServe clients as response
/// parameters: `finish_reason`, `prompt_tokens` and `completion_tokens`.
///
/// # Examples
///
/// ```
/// use pytriton_kserve::openai::{FinishReason, Piece, Usage};
///
/// let piece = Piece::from(" word");
/// assert_eq!(piece.text, " word");
/// let last = Piece::default().finished(FinishReason::Length).used(Usage::new(3, 1));
/// assert_eq!(last.usage.unwrap().total_tokens(), 4);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// The text that follows the earlier pieces. It may be empty.
    pub text: String,
    /// Why the text ends after this piece. The default is [`FinishReason::Stop`].
    pub finish_reason: Option<FinishReason>,
    /// The tokens of the whole request so far, if counted. The value of the last piece is reported.
    pub usage: Option<Usage>,
}

impl Piece {
    /// Sets why the text ends here.
    #[must_use]
    pub fn finished(mut self, reason: FinishReason) -> Self {
        self.finish_reason = Some(reason);
        self
    }

    /// Sets the tokens of the whole request so far.
    #[must_use]
    pub fn used(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::default();
        if let Some(reason) = self.finish_reason {
            let reason = reason.name().to_owned();
            parameters.insert(FINISH_REASON, ParameterValue::String(reason));
        }
        if let Some(usage) = self.usage {
            let mut count =
                |name, tokens: u32| parameters.insert(name, ParameterValue::Int64(tokens.into()));
            count(PROMPT_TOKENS, usage.prompt_tokens);
            count(COMPLETION_TOKENS, usage.completion_tokens);
        }
        parameters
    }

    /// Restores a piece from its text and the parameters of a response.
    pub fn from_text(text: String, parameters: &Parameters) -> Self {
        let count = |name| {
            let count = parameters.int(name)?;
            u32::try_from(count).ok()
        };
        let (prompt, completion) = (count(PROMPT_TOKENS), count(COMPLETION_TOKENS));
        let usage = Usage {
            prompt_tokens: prompt.unwrap_or_default(),
            completion_tokens: completion.unwrap_or_default(),
        };
        Self {
            text,
            finish_reason: parameters.str(FINISH_REASON).and_then(FinishReason::named),
            usage: prompt.or(completion).map(|_| usage),
        }
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

#[diagnostic::do_not_recommend]
impl Outputs for Piece {
    const DECLARATIONS: &'static [TensorDeclaration] = &[TensorDeclaration {
        name: TEXT,
        datatype: DataType::Bytes,
        rank: None,
        shape: Some(&[1]),
        optional: false,
        description: "",
        example: &[],
        labels: "",
    }];

    fn into_parts(self, mut writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        let parameters = self.parameters();
        let shape = vec![1; 1 + usize::from(writer.model().batching())];
        writer.write(ndarray::ArrayD::from_elem(shape, self.text));
        let mut parts = writer.finish()?;
        parts.parameters = parameters;
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::call::WithParameters;
    use pytriton_core::model::{ModelSpec, Surface};
    use pytriton_core::testing::IDENTITY;

    use super::*;

    #[test]
    fn parameter_with_the_name_of_the_text_is_refused() {
        let mut spec = IDENTITY.spec().unwrap();
        let output = spec.outputs[0].name.clone();
        let convert = |spec: &ModelSpec, name: &str| {
            let mut outputs = WithParameters::<Piece>::default();
            outputs.parameters.insert(name, ParameterValue::Int64(1));
            let parts = outputs.into_parts(OutputWriter::new(spec, None));
            parts.map_err(|error| error.to_string())
        };
        spec.openai = Some(Surface::Completions);
        let error = convert(&spec, &output).unwrap_err();
        assert!(
            error.ends_with("a parameter has the name of output 'OUTPUT_1'"),
            "{error}"
        );
    }
}
