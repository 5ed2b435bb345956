use pytriton_protocol::typed::{Returned, Tensors};

use crate::model::{TensorDeclaration, TensorSpec};
use crate::request::{Parameters, SmallVec};
#[cfg(test)]
use crate::tensor::Tensor;
use crate::tensor::TensorError;
use crate::tracked_tensor::TrackedTensor;

use super::{ModelError, OutputWriter, Outputs, RowFailure};

/// One response of a function: the outputs, whose memory is reserved, and response parameters.
#[derive(Debug, Clone, Default)]
pub struct ResponseParts {
    /// The tensor of each output, in the order of the model; `None` if the response omits it.
    pub(super) tensors: SmallVec<Option<TrackedTensor>>,
    /// The parameters of the response.
    pub parameters: Parameters,
    /// The rows that cannot be sent, sorted by row. Only their requests fail.
    pub(super) failures: Vec<RowFailure>,
}

#[cfg(test)]
impl From<Vec<Tensor>> for ResponseParts {
    fn from(tensors: Vec<Tensor>) -> Self {
        let tensors = tensors.into_iter();
        Self {
            tensors: tensors.map(|tensor| Some(tensor.into())).collect(),
            ..Self::default()
        }
    }
}

/// Outputs with response parameters.
///
/// It can be used in place of plain outputs: as a return value, as an item of an iterator or
/// stream, and with `Responses`. Both engines send the parameters to clients over HTTP and gRPC. If
/// one response is for several requests, each of them receives the parameters.
///
/// # Examples
///
/// ```
/// use ndarray::{Array2, array};
/// use pytriton_core::call::WithParameters;
/// use pytriton_core::request::{ParameterValue, Parameters};
///
/// fn count() -> impl Iterator<Item = WithParameters<Array2<i32>>> {
///     (0..3).map(|number| {
///         let mut parameters = Parameters::default();
///         parameters.insert("last", ParameterValue::Bool(number == 2));
///         WithParameters { outputs: array![[number]], parameters }
///     })
/// }
/// assert_eq!(count().filter(|answer| answer.parameters.bool("last") == Some(true)).count(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WithParameters<O> {
    /// The outputs.
    pub outputs: O,
    /// The response parameters.
    pub parameters: Parameters,
}

#[diagnostic::do_not_recommend]
impl<O: Outputs> Outputs for WithParameters<O> {
    const DECLARATIONS: &'static [TensorDeclaration] = O::DECLARATIONS;

    fn into_parts(self, writer: OutputWriter<'_>) -> Result<ResponseParts, ModelError> {
        self.parts(writer, Outputs::into_parts)
    }
}

impl<O> WithParameters<O> {
    /// Converts the outputs with a function of their type, and adds the parameters.
    pub(crate) fn parts(
        self,
        writer: OutputWriter<'_>,
        convert: impl FnOnce(O, OutputWriter<'_>) -> Result<ResponseParts, ModelError>,
    ) -> Result<ResponseParts, ModelError> {
        let model = writer.model();
        let named = |output: &&TensorSpec| self.parameters.get(&output.name).is_some();
        // tritonserver represents a text output as a parameter with its name, so the name would be
        // ambiguous.
        if model.openai.is_some()
            && let Some(output) = model.outputs.iter().find(named)
        {
            let message = format_args!("a parameter has the name of output '{}'", output.name);
            return Err(ModelError::internal(model, &message));
        }
        let mut parts = convert(self.outputs, writer)?;
        parts.parameters.extend(self.parameters);
        Ok(parts)
    }
}

/// Typed clients receive the plain outputs.
#[diagnostic::do_not_recommend]
impl<O: Returned> Returned for WithParameters<O> {
    type Typed = O::Typed;

    fn read(tensors: &mut Tensors<'_>) -> Result<O::Typed, TensorError> {
        O::read(tensors)
    }
}
