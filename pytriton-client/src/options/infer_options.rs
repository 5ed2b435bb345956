use std::time::Duration;

use super::{ParameterValue, SequenceId, SequenceStep};

/// What a request says besides its inputs.
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
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A parameter, which takes the place of another one of the same name.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<ParameterValue>) -> Self {
        let (name, value) = (name.into(), value.into());
        self.parameters.retain(|(other, _)| *other != name);
        self.parameters.push((name, value));
        self
    }

    /// A header of HTTP, or one of the metadata of gRPC.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// An output that is asked for; all of the model's are where none is named.
    pub fn output(mut self, name: impl Into<String>) -> Self {
        self.outputs.push(name.into());
        self
    }

    /// How many bytes an output may have that is to come through shared memory, where the client has some
    /// ([`Builder::shared_memory`](crate::Builder::shared_memory)): to be said for those whose size the model's configuration does not
    /// say, such as texts. Where it has more, the server refuses the request; and the client, where there is no such output, or the model
    /// answers any number of times.
    pub fn shared_output(mut self, name: impl Into<String>, bytes: usize) -> Self {
        self.shared_outputs.push((name.into(), bytes));
        self
    }

    /// The id of the request, which the answer has too; a number that counts from 0 otherwise.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The level at which the server queues the request; 1 goes first.
    pub fn priority(self, level: u32) -> Self {
        self.parameter("priority", level)
    }

    /// The sequence that the request belongs to.
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

    /// How long the request may take, in place of the client's own time for an inference; for the first one that is also how long
    /// the model may take to be ready.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long the request may wait in the server's queue, where the model allows a request to say so.
    pub fn queue_timeout(self, timeout: Duration) -> Self {
        let microseconds = i64::try_from(timeout.as_micros()).unwrap_or(i64::MAX);
        self.parameter("timeout", microseconds)
    }
}
