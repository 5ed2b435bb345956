use pytriton_core::request::{InferRequest, ParameterValue, Parameters, Sequence, SequenceId};

/// The prefix of reserved names.
const RESERVED: &str = "triton_";

/// The parameters that a function receives, separated from those that the scheduler reads.
#[derive(Debug, Default)]
pub(crate) struct RequestParameters {
    parameters: Parameters,
    timeout_microseconds: u64,
    priority: u64,
    sequence_id: SequenceId,
    sequence_start: bool,
    sequence_end: bool,
}

/// A parameter of a request in JSON or protobuf. Its methods return the errors of the protocol for
/// a value of the wrong type.
pub(crate) trait RequestParameter: Sized {
    type Error;

    fn sequence_id(self) -> Result<SequenceId, Self::Error>;

    fn boolean(self) -> Result<bool, Self::Error>;

    fn priority(self) -> Result<u64, Self::Error>;

    /// Returns the queue timeout in microseconds.
    fn timeout(self) -> Result<u64, Self::Error>;

    /// Returns the value for the function.
    fn value(self) -> Result<ParameterValue, Self::Error>;

    /// Returns the error of a reserved name.
    fn reserved() -> Self::Error;
}

impl RequestParameters {
    /// Adds a parameter.
    pub(crate) fn insert<P: RequestParameter>(
        &mut self,
        name: &str,
        parameter: P,
    ) -> Result<(), P::Error> {
        match name {
            "sequence_id" => self.sequence_id = parameter.sequence_id()?,
            "sequence_start" => self.sequence_start = parameter.boolean()?,
            "sequence_end" => self.sequence_end = parameter.boolean()?,
            "priority" => self.priority = parameter.priority()?,
            "timeout" => self.timeout_microseconds = parameter.timeout()?,
            reserved if reserved.starts_with(RESERVED) => return Err(P::reserved()),
            name => {
                self.parameters.insert(name, parameter.value()?);
            }
        }
        Ok(())
    }

    /// Sets the parameters of a request.
    pub(crate) fn apply(self, request: &mut InferRequest) {
        let Self {
            parameters,
            timeout_microseconds,
            priority,
            sequence_id,
            sequence_start,
            sequence_end,
        } = self;
        request.parameters = parameters;
        request.timeout_microseconds = timeout_microseconds;
        request.priority = priority;
        request.sequence = Sequence::new(sequence_id)
            .map(|sequence| sequence.start(sequence_start).end(sequence_end));
    }
}
