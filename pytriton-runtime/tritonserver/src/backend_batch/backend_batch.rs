use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use pytriton_backend::protocol::{
    Batch, BatchReader, BatchRequest, Correlation, Parameter, ProtocolError, Span,
};
use pytriton_core::call::{Executed, Instance, Loss, ModelError, ResponseSink};
use pytriton_core::instance::Runner;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::{CallMode, ModelSpec};
use pytriton_core::request::{
    InferRequest, InputError, ParameterValue, Parameters, Request, Requested, Response, Sequence,
    SequenceId, SmallVec,
};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_core::uncounted::Uncounted;
use pytriton_engine::trace::{TRACEPARENT, TRACESTATE, Trace, TraceContext, identified};
use pytriton_protocol::tensor::{Tensor, TensorError, element_count, shape_text, stack_in_place};

/// The results of the requests of a batch, in order.
pub(crate) type Results = SmallVec<Result<Response, SchedulerError>>;

/// Requests whose tensors are in the memory into which Triton's backend has gathered them.
#[derive(Debug, Default)]
pub(crate) struct BackendBatch {
    pub(crate) requests: SmallVec<Request>,
    /// For each input of the model, the rows of all requests as one tensor. Empty if the function
    /// does not take stacked inputs.
    pub(crate) stacked: Vec<Option<TrackedTensor>>,
}

impl BackendBatch {
    /// Converts a description and the bytes of its tensors into requests. A malformed request keeps
    /// its position, and fails alone when the batch runs.
    ///
    /// tritonserver has validated the requests against the model's configuration, but not every
    /// element. Releases up to 24.04 do not validate `BYTES` elements, and no release validates
    /// `BOOL` bytes or UTF-8.
    pub(crate) fn read(
        spec: &Arc<ModelSpec>,
        reader: &mut BatchReader,
        description: &[u8],
        data: &Bytes,
    ) -> Result<Self, ProtocolError> {
        let (inputs, outputs) = (spec.inputs.len(), spec.outputs.len());
        let batch = reader.read(description, data.len(), inputs, outputs)?;
        Ok(Self::new(spec, batch, data))
    }

    fn new(spec: &Arc<ModelSpec>, batch: Batch<'_>, data: &Bytes) -> Self {
        let each = batch.requests();
        let each = each.map(|described| request(spec, described, data));
        let requests: SmallVec<Request> = match batch.len() {
            1 => each.collect(),
            count => {
                let mut requests = Vec::with_capacity(count);
                requests.extend(each);
                requests.into()
            }
        };
        let alike = requests
            .windows(2)
            .all(|pair| pair[0].stacks_with(&pair[1]));
        let valid = requests.iter().all(|request| request.flaw().is_none());
        let stacked = match spec.call {
            CallMode::Batch if requests.len() > 1 && alike && valid => {
                // Rows that are not contiguous are copied when the function is called.
                stacked(spec, batch, &requests, data).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        Self { requests, stacked }
    }

    /// Runs the requests on an instance and passes their results to `finish`.
    ///
    /// If a call exceeds its time limit, `finish` is called on another thread while the function
    /// may still hold the requests. The responses of a decoupled model go to `sink`.
    pub(crate) async fn run<I: Instance + ?Sized>(
        self,
        runner: &Runner<I>,
        sink: Option<&Arc<dyn ResponseSink>>,
        finish: impl FnOnce(Results) + Send + 'static,
    ) {
        let Self { requests, stacked } = self;
        let finish = |executed: Executed| {
            let results = executed.results.into_iter();
            finish(results.map(|result| result.map_err(failed)).collect());
        };
        if runner.is_supervised() {
            return runner.serve(&requests, &stacked, sink, finish).await;
        }
        let executed = runner.execute(&requests, &stacked, sink).await;
        // Values that share the batch's memory are dropped before the results are sent, so that it
        // is released together with them.
        drop((requests, stacked));
        finish(executed);
    }

    /// Removes requests, and returns their positions in order.
    pub(crate) fn remove(&mut self, is_removed: impl Fn(usize) -> bool) -> Vec<usize> {
        let out: Vec<usize> = (0..self.requests.len())
            .filter(|&index| is_removed(index))
            .collect();
        if !out.is_empty() {
            // The remaining rows are not contiguous.
            self.stacked.clear();
            let mut left_out = out.iter().peekable();
            let requests = mem::take(&mut self.requests).into_iter().enumerate();
            let requests = requests.filter(|(index, _)| left_out.next_if_eq(&index).is_none());
            self.requests = requests.map(|(_, request)| request).collect();
        }
        out
    }
}

fn failed(error: ModelError) -> SchedulerError {
    match error {
        // Same as in the embedded engine, whose queue ends the sequences of a stalled instance.
        ModelError::SequenceLost {
            model,
            sequence,
            loss: Loss::Stalled,
        } => SchedulerError::SequenceNotStarted { sequence, model },
        error => error.into(),
    }
}

fn request(spec: &Arc<ModelSpec>, described: BatchRequest<'_>, data: &Bytes) -> Request {
    let mut requested = Requested::default();
    for &output in described.outputs {
        requested.insert(output, spec.outputs.len());
    }
    let parameters = parameters(described);
    let context = || {
        // Present if the operator forwards these headers.
        let values = |name| parameters.str(name).into_iter();
        TraceContext::read(values(TRACEPARENT), || values(TRACESTATE))
    };
    let trace = Trace::begin(spec, context);
    let head = InferRequest {
        id: described.id.to_owned(),
        timeout_microseconds: described.timeout,
        sequence: sequence(described),
        trace: identified(trace, described.id),
        parameters,
        ..InferRequest::new(MemoryPermit::uncounted(Uncounted::NoBudget))
    };
    let of = |inputs, rows| Request::gathered(spec, head, inputs, requested, rows);
    match inputs(spec, described, data) {
        Ok((inputs, rows)) => of(inputs, rows).with_checked_elements(),
        Err(flaw) => {
            let inputs = spec.inputs.iter().map(|_| None).collect();
            of(inputs, 1).flawed(flaw)
        }
    }
}

/// Returns the inputs of a request in the order of the model's inputs, and their number of rows.
fn inputs(
    spec: &ModelSpec,
    described: BatchRequest<'_>,
    data: &Bytes,
) -> Result<(SmallVec<Option<TrackedTensor>>, usize), InputError> {
    let mut inputs: SmallVec<_> = spec.inputs.iter().map(|_| None).collect();
    let mut batch_size = None;
    for part in described.inputs() {
        let error = |source| input_error(spec, part.input, source);
        let datatype = spec.inputs[part.input].datatype;
        let rows = match (spec.batching(), part.dims.first()) {
            (false, _) => 1,
            (true, Some(&rows)) => rows,
            (true, None) => return Err(error(no_batch_axis(part.dims))),
        };
        if *batch_size.get_or_insert(rows) != rows {
            return Err(error(no_batch_axis(part.dims)));
        }
        let tensor = Tensor::new(datatype, part.dims, slice(data, part.span));
        inputs[part.input] = Some(of_session(tensor.map_err(error)?));
    }
    Ok((inputs, batch_size.unwrap_or(1)))
}

fn sequence(described: BatchRequest<'_>) -> Option<Sequence> {
    let described = described.sequence?;
    let id = match described.id {
        Correlation::Number(number) => SequenceId::Number(number),
        Correlation::Text(text) => SequenceId::Text(text.into()),
    };
    let sequence = Sequence::new(id)?;
    Some(sequence.start(described.start).end(described.end))
}

fn parameters(described: BatchRequest<'_>) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, value) in described.parameters() {
        let value = match value {
            Parameter::String(text) => ParameterValue::String(text.to_owned()),
            Parameter::Int64(value) => ParameterValue::Int64(value),
            Parameter::Bool(value) => ParameterValue::Bool(value),
            Parameter::Double(value) => ParameterValue::Double(value),
        };
        parameters.insert(name, value);
    }
    parameters
}

/// Returns all rows of each input, which are contiguous.
fn stacked(
    spec: &ModelSpec,
    batch: Batch<'_>,
    requests: &[Request],
    data: &Bytes,
) -> Result<Vec<Option<TrackedTensor>>, InputError> {
    let inputs = batch.spans().iter().enumerate();
    let stacked = inputs.map(|(index, &span)| {
        let mut parts: Vec<&Tensor> = Vec::with_capacity(requests.len());
        let inputs = requests.iter().map(|request| &request.inputs()[index]);
        parts.extend(inputs.flatten().map(|input| &**input));
        if parts.len() < requests.len() {
            return Ok(None);
        }
        if spec.is_ragged(index) {
            let values = joined(spec, index, &parts, slice(data, span));
            return values.map(|tensor| Some(of_session(tensor)));
        }
        stack_in_place(&parts, &slice(data, span))
            .map(|tensor| Some(of_session(tensor)))
            .map_err(|source| input_error(spec, index, source))
    });
    stacked.collect()
}

/// Returns the values of a ragged input, which are contiguous, in one dimension.
fn joined(
    spec: &ModelSpec,
    input: usize,
    parts: &[&Tensor],
    data: Bytes,
) -> Result<Tensor, InputError> {
    let mut values = parts.iter().map(|part| element_count(part.shape()));
    let values = values.try_fold(0_usize, |sum, count| Ok(sum.saturating_add(count?)));
    let joined = values
        .and_then(|values| Tensor::new(spec.inputs[input].datatype, [values].as_slice(), data));
    joined.map_err(|source| input_error(spec, input, source))
}

/// Returns a slice of the data. The description's reader has checked its bounds.
fn slice(data: &Bytes, span: Span) -> Bytes {
    data.slice(span.offset..span.offset + span.len)
}

/// Returns a tensor in the shared memory of the session, which Triton's backend has allocated.
fn of_session(tensor: Tensor) -> TrackedTensor {
    TrackedTensor::uncounted(tensor, Uncounted::NoBudget)
}

fn no_batch_axis(dims: &[usize]) -> TensorError {
    TensorError::Rank {
        expected: dims.len().max(1),
        shape: shape_text(dims),
    }
}

fn input_error(spec: &ModelSpec, input: usize, source: TensorError) -> InputError {
    match source {
        TensorError::TruncatedElement {
            length, available, ..
        } => InputError::Element {
            input: spec.inputs[input].name.clone(),
            length,
            available,
        },
        source => InputError::new(spec, input, source),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pytriton_backend::arena::place;
    use pytriton_backend::protocol::BatchWriter;
    use pytriton_core::testing::{IDENTITY, fp32};

    use super::*;

    /// Describes requests with rows of one column.
    fn described(rows: &[&[f32]]) -> (Vec<u8>, Bytes) {
        let mut description = Vec::new();
        let mut writer = BatchWriter::new(&mut description, 1);
        for (index, rows) in rows.iter().enumerate() {
            writer.request(&index.to_string(), 7, None);
            writer.count(1);
            writer.parameter("beams", Parameter::Int64(4));
            writer.count(1);
            writer.output(0);
            writer.count(1);
            writer.input(0, rows.len() * 4, &[i64::try_from(rows.len()).unwrap(), 1]);
        }
        let data = fp32(&rows.concat());
        let mut used = 0;
        let offset = place(&mut used, data.len()).unwrap();
        let len = data.len();
        writer.span(0, Span { offset, len });
        writer.finish(rows.len());
        (description, data)
    }

    #[test]
    fn stacked_rows_are_shared_by_requests_and_batch_without_a_copy() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let (description, data) = described(&[&[1.0, 2.0], &[3.0]]);
        let gathered =
            BackendBatch::read(&spec, &mut BatchReader::default(), &description, &data).unwrap();
        let BackendBatch { requests, stacked } = gathered;
        assert_eq!(requests[0].id(), "0");
        assert_eq!(requests[0].parameters().int("beams"), Some(4));
        assert_eq!(requests[0].timeout(), Some(Duration::from_micros(7)));
        assert_eq!(requests[1].batch_size(), 1);
        let last = requests[1].tensor("INPUT_1").unwrap();
        assert_eq!(last.elements::<f32>().unwrap(), vec![3.0]);
        let all = stacked[0].as_ref().unwrap();
        assert_eq!(all.shape(), [3, 1]);
        assert_eq!(all.data().as_ptr(), data.as_ptr());
    }

    #[test]
    fn removing_requests_keeps_the_others() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        let (description, data) = described(&[&[1.0], &[2.0], &[3.0], &[4.0]]);
        for out in [&[][..], &[0], &[1, 2], &[3], &[0, 1, 2, 3]] {
            let mut gathered =
                BackendBatch::read(&spec, &mut BatchReader::default(), &description, &data)
                    .unwrap();
            assert_eq!(gathered.remove(|index| out.contains(&index)), out);
            let ids: Vec<_> = gathered.requests.iter().map(Request::id).collect();
            let expected = (0..4).filter(|index| !out.contains(index));
            let expected: Vec<_> = expected.map(|index| index.to_string()).collect();
            assert_eq!(ids, expected);
            assert_eq!(gathered.stacked.is_empty(), !out.is_empty());
        }
    }

    #[test]
    fn a_truncated_string_has_the_error_of_the_embedded_engine() {
        let spec = IDENTITY.spec().unwrap();
        let source = TensorError::TruncatedElement {
            index: 2,
            length: 3,
            available: 1,
        };
        let expected = "incomplete string data for inference input 'INPUT_1', expecting string of length 3 but only 1 bytes available";
        assert_eq!(input_error(&spec, 0, source).to_string(), expected);
    }

    #[test]
    fn a_shape_that_does_not_match_its_bytes_is_refused() {
        let spec = Arc::new(IDENTITY.spec().unwrap());
        for (dims, len) in [(&[2, 1][..], 4), (&[1, 2], 4), (&[], 4), (&[1, 1], 8)] {
            let mut description = Vec::new();
            let mut writer = BatchWriter::new(&mut description, 1);
            writer.request("", 0, None);
            writer.count(0);
            writer.count(0);
            writer.count(1);
            writer.input(0, len, dims);
            writer.span(0, Span { offset: 0, len });
            writer.finish(1);
            let data = Bytes::from(vec![0; len]);
            let gathered =
                BackendBatch::read(&spec, &mut BatchReader::default(), &description, &data)
                    .unwrap();
            let flaw = gathered.requests[0].flaw();
            assert!(flaw.is_some(), "{dims:?} {len}");
        }
    }
}
