use pytriton_backend::Code;
use pytriton_backend::arena::place;
use pytriton_backend::session::{Answers, Server, SessionError};
use pytriton_backend::wire::{AnswerWriter, Part, Span, WireError};

use crate::gathered::code;
use crate::request::Response;
use crate::scheduler::SchedulerError;
use crate::text::for_client;

/// Answers the requests of a batch, which was begun at a time, with what became of them.
pub(super) fn answer(
    server: &Server,
    (batch, begun): (u64, u64),
    results: &[Result<Response, SchedulerError>],
) -> Result<(), SessionError> {
    let answers = describe(server.answers(), results)?;
    let written = server.answer((batch, begun), &answers, |unanswered| {
        let mut used = 0;
        for response in results.iter().flatten() {
            for (_, tensor) in &response.outputs {
                let offset = place(&mut used, tensor.data().len()).ok_or(WireError::Bounds)?;
                unanswered.write(offset, tensor.data())?;
            }
        }
        Ok(())
    });
    match written {
        Err(error @ SessionError::Memory(_)) => {
            let message = for_client(&error);
            let refused = failed(results.len(), Code::Unavailable, &message);
            server.answer((batch, begun), &refused, |_| Ok(()))
        }
        written => {
            server.keep_answers(answers);
            written
        }
    }
}

/// The same failure of so many requests.
fn failed(requests: usize, code: Code, message: &str) -> Answers {
    let mut answers = Answers::default();
    for request in 0..u32::try_from(requests).unwrap_or(u32::MAX) {
        AnswerWriter::new(&mut answers.descriptions).failed(code, message);
        answers.ends.push((request, answers.descriptions.len()));
    }
    answers
}

fn describe(
    mut answers: Answers,
    results: &[Result<Response, SchedulerError>],
) -> Result<Answers, WireError> {
    for (request, result) in (0..).zip(results) {
        let mut writer = AnswerWriter::new(&mut answers.descriptions);
        match result {
            Err(error) => writer.failed(code(error.status()), &for_client(error)),
            Ok(response) => {
                writer.parameters(0);
                writer.outputs(response.outputs.len());
                for (output, tensor) in &response.outputs {
                    let len = tensor.data().len();
                    let offset = place(&mut answers.data, len).ok_or(WireError::Bounds)?;
                    let part = Part {
                        output: *output,
                        span: Span { offset, len },
                    };
                    let dims = tensor.shape().iter();
                    let dims = dims.map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
                    writer.output(part, dims);
                }
            }
        }
        answers.ends.push((request, answers.descriptions.len()));
    }
    Ok(answers)
}
