use std::env;
use std::path::{Path, PathBuf};

use crate::channel::{Answered, ChannelError, Door, Guest, TensorNames, Token, data_start};
use crate::failure::{Code, Failure};
use crate::ffi::{Executed, Executor, Instance, Request, Requests, Responses, now};
use crate::gather::Gathering;
use crate::wire::{AnswerReader, Outcome, WireError};

/// The environment variable that names the worker's socket.
pub const SOCKET_VARIABLE: &str = "PYTRITON_WORKER_SOCKET";
/// The environment variable that carries the token.
pub const TOKEN_VARIABLE: &str = "PYTRITON_WORKER_TOKEN";

/// A lane of an instance in tritonserver whose function runs in the worker.
#[derive(Debug)]
pub struct Proxy {
    door: Door,
    names: TensorNames,
    gathering: Gathering,
    description: Vec<u8>,
    dims: Vec<i64>,
}

impl Executor for Proxy {
    fn start(instance: &Instance) -> Result<Vec<Self>, Failure> {
        let variable = |name: &str| {
            env::var(name).map_err(|error| Failure::internal(format!("{name}: {error}")))
        };
        let path = PathBuf::from(variable(SOCKET_VARIABLE)?);
        let token = Token::from_text(&variable(TOKEN_VARIABLE)?);
        let guest = Guest {
            token: token.ok_or_else(|| Failure::internal("the worker's token is none"))?,
            model: instance.model.clone(),
            version: instance.version,
        };
        let (first, in_flight) = Self::knock(&path, &guest)?;
        let mut lanes = vec![first];
        for _ in 1..in_flight {
            lanes.push(Self::knock(&path, &guest)?.0);
        }
        Ok(lanes)
    }

    fn execute(
        &mut self,
        requests: Requests<'_>,
        responses: &mut Responses,
    ) -> Result<Executed, Failure> {
        self.gathering.plan(requests, &self.names)?;
        let len = self.gathering.description().len();
        let data = self.gathering.data();
        self.put(requests, len, data)?;
        let gathered = now();
        let rows = self.gathering.rows();
        let answered = self.door.ask(len, data);
        let answered = answered.map_err(|error| failure(&error))?;
        let computed = now();
        self.description.clear();
        self.description.extend_from_slice(answered.description);
        let mut reply = Reply {
            reader: AnswerReader::new(
                &self.description,
                answered.data.len(),
                self.names.outputs.len(),
            ),
            names: &self.names,
            dims: &mut self.dims,
            answered,
        };
        for (index, request) in requests.iter().enumerate() {
            if let Err(failure) = reply.respond(index, request, responses) {
                responses.fail(index, failure);
            }
        }
        Ok(Executed {
            gathered,
            computed,
            rows,
        })
    }
}

impl Proxy {
    /// Opens a channel to the worker, which says how many it wants.
    fn knock(path: &Path, guest: &Guest) -> Result<(Self, u32), Failure> {
        let (door, welcome) = Door::knock(path, guest).map_err(|error| failure(&error))?;
        let proxy = Self {
            door,
            names: welcome.names,
            gathering: Gathering::default(),
            description: Vec::new(),
            dims: Vec::new(),
        };
        Ok((proxy, welcome.batches_in_flight))
    }

    /// Copies the batch into shared memory.
    fn put(&mut self, requests: Requests<'_>, len: usize, data: usize) -> Result<(), Failure> {
        let start = data_start(len).and_then(|start| Some((start, start.checked_add(data)?)));
        let (start, end) = start.ok_or_else(|| Failure::internal("the batch is too large"))?;
        let input = self.door.input(end).map_err(|error| failure(&error))?;
        let memory = |error| failure(&ChannelError::Memory(error));
        input
            .write(0, self.gathering.description())
            .map_err(memory)?;
        self.gathering
            .gather(requests, &self.names, |offset, bytes| {
                input.write(start + offset, bytes).map_err(memory)
            })
    }
}

/// An answer that is being passed on.
struct Reply<'a> {
    reader: AnswerReader<'a>,
    names: &'a TensorNames,
    dims: &'a mut Vec<i64>,
    answered: Answered<'a>,
}

impl Reply<'_> {
    fn respond(
        &mut self,
        index: usize,
        request: Request<'_>,
        responses: &mut Responses,
    ) -> Result<(), Failure> {
        let outputs = match self.reader.outcome().map_err(protocol)? {
            Outcome::Failed(failure) => return Err(failure),
            Outcome::Outputs(outputs) => outputs,
        };
        responses.begin(index, request)?;
        for _ in 0..outputs {
            let part = self.reader.output(self.dims).map_err(protocol)?;
            let end = part.region.offset + part.region.len;
            let data = &self.answered.data[part.region.offset..end];
            let (name, datatype) = &self.names.outputs[part.output];
            responses.output(index, (name, *datatype), self.dims, data)?;
        }
        Ok(())
    }
}

fn failure(error: &ChannelError) -> Failure {
    let code = match error {
        ChannelError::HungUp | ChannelError::Memory(_) | ChannelError::Io(_) => Code::Unavailable,
        ChannelError::Protocol(_) | ChannelError::Refused(_) => Code::Internal,
    };
    Failure::new(code, error.to_string())
}

fn protocol(error: WireError) -> Failure {
    failure(&ChannelError::Protocol(error))
}
