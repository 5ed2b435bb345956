use pytriton_backend::Code;
use pytriton_backend::arena::place;
use pytriton_backend::protocol::{OutputPart, Parameter, ProtocolError, ResponseWriter, Span};
use pytriton_backend::session::{EncodedResponses, Server, SessionError};
use pytriton_core::request::Response;
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::text::for_client;

use crate::backend_batch::{code, parameter};

/// The result of a request, or one of its responses.
type Outcome = Result<Response, SchedulerError>;

/// Sends the results of the requests of a batch, given as its number and start time.
pub(super) fn respond(
    server: &Server,
    batch: (u64, u64),
    results: &[Outcome],
) -> Result<(), SessionError> {
    let mut responses = server.responses();
    for (request, result) in (0..).zip(results) {
        describe(&mut responses, result)?;
        responses.end_only(request);
    }
    let written = write(server, batch, &responses, results);
    match written {
        Err(error @ SessionError::Memory(_)) => {
            let message = for_client(&error);
            let mut refused = EncodedResponses::default();
            for request in 0..u32::try_from(results.len()).unwrap_or(u32::MAX) {
                refuse(&mut refused, &message);
                refused.end_only(request);
            }
            server.respond(batch, &refused, |_| Ok(()))
        }
        written => {
            server.keep_responses(responses);
            written
        }
    }
}

/// Sends one of any number of responses to a request immediately. `sequence` is its number within
/// the request; `last` marks the final one.
///
/// Returns [`SessionError::Memory`] if there is no memory for it. The client receives that as its
/// final response.
pub(super) fn respond_once(
    server: &Server,
    batch: (u64, u64),
    (request, sequence): (usize, u32),
    (outcome, last): (&Outcome, bool),
) -> Result<(), SessionError> {
    let request = u32::try_from(request).map_err(|_| ProtocolError::Number)?;
    let mut responses = server.responses();
    describe(&mut responses, outcome)?;
    responses.end((request, sequence), last);
    let written = write(server, batch, &responses, std::slice::from_ref(outcome));
    if let Err(error @ SessionError::Memory(_)) = &written {
        responses.clear();
        refuse(&mut responses, &for_client(error));
        responses.end((request, sequence), true);
        if let Err(error) = server.respond(batch, &responses, |_| Ok(())) {
            // Otherwise the client would wait forever.
            server.close();
            return Err(error);
        }
    }
    server.keep_responses(responses);
    server.publish();
    written
}

/// Describes a response for which there is no memory.
fn refuse(responses: &mut EncodedResponses, message: &str) {
    ResponseWriter::new(&mut responses.descriptions).failed(Code::Unavailable, message);
}

fn describe(responses: &mut EncodedResponses, outcome: &Outcome) -> Result<(), ProtocolError> {
    let mut writer = ResponseWriter::new(&mut responses.descriptions);
    let response = match outcome {
        Ok(response) => response,
        Err(error) => {
            writer.failed(code(error.status()), &for_client(error));
            return Ok(());
        }
    };
    writer.parameters(response.parameters.len());
    for (name, value) in response.parameters.iter() {
        match parameter(value) {
            Ok(value) => writer.parameter(name, value),
            Err(text) => writer.parameter(name, Parameter::String(&text)),
        }
    }
    writer.outputs(response.outputs.len());
    for (output, tensor) in &response.outputs {
        let len = tensor.data().len();
        let offset = place(&mut responses.data, len).ok_or(ProtocolError::Bounds)?;
        let output_part = OutputPart {
            output: *output,
            span: Span { offset, len },
        };
        let dims = tensor.shape().iter();
        let dims = dims.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
        writer.output(output_part, dims);
    }
    Ok(())
}

/// Writes responses that are already described.
fn write(
    server: &Server,
    batch: (u64, u64),
    responses: &EncodedResponses,
    outcomes: &[Outcome],
) -> Result<(), SessionError> {
    server.respond(batch, responses, |unanswered| {
        let mut used = 0;
        for response in outcomes.iter().flatten() {
            for (_, tensor) in &response.outputs {
                let offset = place(&mut used, tensor.data().len()).ok_or(ProtocolError::Bounds)?;
                unanswered.write(offset, tensor.data())?;
            }
        }
        Ok(())
    })
}
