use std::os::unix::net::UnixStream;

use bytes::Bytes;
use pytriton_backend::channel::{Asked, ChannelError, Desk};
use pytriton_backend::wire::Batch;

use crate::Error;
use crate::handover::{Handover, handover, names};
use crate::host::Host;
use crate::model::{ModelError, ModelSpec, Response};

use super::answer::Answer;
use super::lobby::Lobby;

/// What became of the requests of a batch.
type Results = Vec<Result<Response, ModelError>>;

/// Serves the batches of one guest until it leaves.
pub(super) fn serve(host: &Host, lobby: &Lobby, guest: UnixStream) -> Result<(), ChannelError> {
    let mut desk = Desk::open(guest, &names(&lobby.spec))?;
    let Some(ticket) = lobby.serve(desk.closer()?) else {
        return Ok(());
    };
    let served = batches(host, lobby, &mut desk);
    lobby.part(ticket);
    match served {
        Err(ChannelError::HungUp) => Ok(()),
        other => other,
    }
}

fn batches(host: &Host, lobby: &Lobby, desk: &mut Desk) -> Result<(), ChannelError> {
    let mut answer = Answer::default();
    loop {
        let asked = desk.wait(0)?;
        let results = execute(host, &lobby.spec, &asked)?;
        let (len, data) = match answer.write(desk, &results) {
            Err(error @ ChannelError::Memory(_)) => answer.refuse(desk, results.len(), &error)?,
            written => written?,
        };
        // What shares the batch's memory must be gone before it is given back.
        drop(results);
        desk.answer(asked.data, len, data);
    }
}

fn execute(
    host: &Host,
    spec: &std::sync::Arc<ModelSpec>,
    asked: &Asked,
) -> Result<Vec<Result<Response, Error>>, ChannelError> {
    let data = Bytes::from_owner(asked.data.window());
    let (inputs, outputs) = (spec.inputs.len(), spec.outputs.len());
    let batch = Batch::read(&asked.description, data.len(), inputs, outputs)?;
    let results = match handover(spec, &batch, &data) {
        Ok(handed) => run(host, &handed),
        Err(error) => vec![Err(error); batch.requests.len()],
    };
    let results = results.into_iter();
    Ok(results.map(|result| result.map_err(Error::from)).collect())
}

fn run(host: &Host, handed: &Handover) -> Results {
    let Handover { requests, stacked } = handed;
    if requests.len() < 2 || !stacked.is_empty() {
        return host.execute(requests, stacked).results;
    }
    // tritonserver gathers requests of one shape; where it has no need to look, they may still differ.
    let alike = requests.chunk_by(|one, two| one.stacks_with(two));
    alike
        .flat_map(|requests| host.execute(requests, &[]).results)
        .collect()
}
