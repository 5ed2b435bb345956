use std::sync::{Arc, Weak};

use pytriton_protocol::signature::ModelSignature;
use pytriton_protocol::typed::Model;

use crate::error::{CallError, Error};
use crate::local_models::{LocalModel, LocalModels};
use crate::memory_budget::{MemoryBudgetError, MemoryPermit};
use crate::model::{ModelSpec, microseconds};
use crate::request::{InferRequest, Parameters, Request, RequestError, Sequence};
use crate::tensor::{Tensor, TensorError};
use crate::trace::Trace;

use super::call_record::CallRecord;
use super::inherited::Inherited;
use super::result_reader::ResultReader;
use super::{Call, inputs};

/// A call whose request has not been created yet.
#[derive(Debug)]
pub struct UnsentCall {
    signature: Arc<ModelSignature>,
    models: Option<Weak<dyn LocalModels>>,
    inherited: Inherited,
    parameters: Parameters,
    sequence: Option<Sequence>,
    /// One value for each input, in order; empty if their memory could not be reserved.
    arguments: Vec<Argument>,
    /// The memory of arguments that were copied or encoded.
    memory: Result<MemoryPermit, MemoryBudgetError>,
}

/// The value of an input.
type Argument = Result<Option<Tensor>, TensorError>;

/// A request for a model, and what is needed to read its result.
pub(super) struct QueuedCall {
    pub(super) model: Arc<dyn LocalModel>,
    pub(super) request: Request,
    pub(super) record: CallRecord,
    pub(super) reader: ResultReader,
}

impl<M: Model, A> Call<M, A> {
    /// Creates a call. `convert` returns one value for each input, in order, and allocates at most
    /// `bytes` for them. That memory is reserved first.
    pub(super) fn unsent<const N: usize>(
        &self,
        bytes: [usize; N],
        convert: impl FnOnce() -> [Argument; N],
    ) -> UnsentCall {
        let mut memory = self.reserve(bytes.into_iter().fold(0, usize::saturating_add));
        let mut arguments = Vec::new();
        if let Ok(memory) = &mut memory {
            arguments.extend(convert());
            // Copies of texts are dropped when they are encoded.
            let tensors = arguments.iter().flatten().flatten();
            memory.shrink_to(tensors.map(|tensor| tensor.data().len()).sum());
        }
        UnsentCall {
            signature: Arc::clone(&self.signature),
            models: self.models.clone(),
            inherited: self.inherited.clone(),
            parameters: self.parameters.clone(),
            sequence: self.sequence.clone(),
            arguments,
            memory,
        }
    }

    fn reserve(&self, bytes: usize) -> Result<MemoryPermit, MemoryBudgetError> {
        match self.models.as_ref().and_then(Weak::upgrade) {
            Some(models) => models.budget().permit(bytes),
            // `queued` reports that there is no server; this error is not shown.
            None => Err(MemoryBudgetError { bytes, limit: 0 }),
        }
    }
}

impl UnsentCall {
    /// Finds the model and creates the request.
    pub(super) fn queued(self) -> Result<QueuedCall, CallError> {
        let name = Arc::from(self.signature.name.as_str());
        let models = match &self.models {
            None => Err(Error::unavailable("no models are served here")),
            Some(models) => models
                .upgrade()
                .ok_or_else(|| Error::unavailable("the server has stopped")),
        };
        let models = models.map_err(|error| CallError::new(&name, error))?;
        let mut record = CallRecord::new(&self.inherited, &name, models.call_graph());
        match self.request(&*models) {
            Ok((model, request, reader)) => Ok(QueuedCall {
                model,
                request,
                record,
                reader,
            }),
            Err(error) => Err(record.failed(error)),
        }
    }

    fn request(
        self,
        models: &dyn LocalModels,
    ) -> Result<(Arc<dyn LocalModel>, Request, ResultReader), Error> {
        let model = models.find(&self.signature.name);
        let model = model.ok_or_else(|| Error::unavailable("the model is not loaded"))?;
        if !self.inherited.is_of_model() {
            model.check_open()?;
        }
        let spec = Arc::clone(model.spec());
        if spec.decoupled && !self.signature.decoupled {
            let message = "the model streams its responses, unlike the type of the call";
            return Err(Error::internal(message));
        }
        let mut memory = self.memory.map_err(Error::unavailable)?;
        let inputs = inputs::named(&self.signature, &spec, self.arguments, &mut memory)?;
        let request = InferRequest {
            inputs,
            parameters: self.parameters,
            identity: self.inherited.identity,
            priority: self.inherited.priority,
            timeout_microseconds: self.inherited.timeout.map_or(0, microseconds),
            sequence: self.sequence,
            trace: Trace::nested(&spec),
            ..InferRequest::new(memory)
        };
        let request = Request::check(&spec, request);
        let request = request.map_err(|error| refused(&self.signature, &spec, error))?;
        let results = self.inherited.results;
        let reader = ResultReader::new(self.signature, spec, models.budget(), results);
        Ok((model, request, reader))
    }
}

/// Returns the error for arguments that the model refuses: a client error, an internal error if the
/// model differs from the type of the call, or `Unavailable` if their memory cannot be reserved.
fn refused(expected: &ModelSignature, spec: &ModelSpec, error: RequestError) -> Error {
    if let RequestError::Budget(error) = error {
        return Error::unavailable(error);
    }
    let mut found = spec.signature();
    found.max_batch_size = expected.max_batch_size;
    match expected
        .changes(&found)
        .iter()
        .any(|change| change.breaking)
    {
        true => Error::internal(format!(
            "the loaded model differs from the type of the call: {error}"
        )),
        false => Error::invalid_argument(error),
    }
}
