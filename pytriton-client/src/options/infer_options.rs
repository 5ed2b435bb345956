use std::time::Duration;

use super::{ParameterValue, SequenceId, SequenceStep};

/// The options of a request.
///
/// # Examples
///
/// ```
/// # use std::time::Duration;
/// # use pytriton_client::{InferOptions, SequenceStep};
/// let options = InferOptions::new()
///     .parameter("temperature", 0.5)
///     .header("x-user", "ada")
///     .output("y")
///     .sequence(SequenceStep::new(7).start())
///     .timeout(Duration::from_secs(1));
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InferOptions {
    pub(crate) parameters: Vec<(String, ParameterValue)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) outputs: Vec<String>,
    pub(crate) shared_outputs: Vec<(String, usize)>,
    pub(crate) id: Option<String>,
    pub(crate) sequence: Option<SequenceId>,
    pub(crate) timeout: Option<Duration>,
}

impl InferOptions {
    /// Creates empty options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a parameter; replaces an earlier one of the same name.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<ParameterValue>) -> Self {
        let (name, value) = (name.into(), value.into());
        self.parameters.retain(|(other, _)| *other != name);
        self.parameters.push((name, value));
        self
    }

    /// Adds an HTTP header or a gRPC metadata entry.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Requests an output; by default all outputs are returned.
    pub fn output(mut self, name: impl Into<String>) -> Self {
        self.outputs.push(name.into());
        self
    }

    /// Sets the maximum size in bytes of an output that is returned through shared memory
    /// ([`Builder::shared_memory`](crate::Builder::shared_memory)).
    ///
    /// Required for outputs whose size is not known from the model's configuration, such as
    /// `BYTES`. If the output is larger, the server refuses the request. If the output does not
    /// exist, or if the model streams its responses, the client refuses it.
    pub fn shared_output(mut self, name: impl Into<String>, bytes: usize) -> Self {
        self.shared_outputs.push((name.into(), bytes));
        self
    }

    /// Sets the request ID, which the response repeats; the default is a counter that starts at 0.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the priority level in the server's queue; level 1 is served first.
    pub fn priority(self, level: u64) -> Self {
        self.parameter("priority", level)
    }

    /// Sets the sequence that the request belongs to.
    pub fn sequence(mut self, step: SequenceStep) -> Self {
        self.sequence = Some(step.id.clone());
        let id = match step.id {
            SequenceId::Number(number) => ParameterValue::Uint64(number),
            SequenceId::Text(text) => text.into(),
        };
        self.parameter("sequence_id", id)
            .parameter("sequence_start", step.start)
            .parameter("sequence_end", step.end)
    }

    /// Sets the time limit of the request, instead of the client's inference timeout. For the first
    /// request it also limits the time until the model is ready.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the maximum time in the server's queue, if the model allows requests to set it. It is
    /// rounded up to microseconds and is at least one, because 0 means the time of the model.
    pub fn queue_timeout(self, timeout: Duration) -> Self {
        let microseconds = timeout.as_nanos().div_ceil(1000).max(1);
        let microseconds = i64::try_from(microseconds).unwrap_or(i64::MAX);
        self.parameter("timeout", microseconds)
    }
}
