use bytes::Bytes;
use pytriton_backend::channel::{ChannelError, Desk};

use crate::handover::{Run, refuse, run};
use crate::scheduler::SchedulerError;

use super::answer::Answer;
use super::lobby::Lobby;

/// Serves the batches of one guest until it leaves.
pub(super) fn serve(host: &impl Run, lobby: &Lobby, mut desk: Desk) -> Result<(), ChannelError> {
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

fn batches(host: &impl Run, lobby: &Lobby, desk: &mut Desk) -> Result<(), ChannelError> {
    let mut answer = Answer::default();
    loop {
        let asked = desk.wait()?;
        let working = lobby.working();
        let data = Bytes::from_owner(asked.data.window());
        let results = match working {
            Some(_) => run(host, &lobby.spec, &asked.description, &data)?,
            None => {
                let stopping = SchedulerError::Stopping.into();
                refuse(&lobby.spec, &asked.description, &data, &stopping)?
            }
        };
        let (len, size) = match answer.write(desk, &results) {
            Err(error @ ChannelError::Memory(_)) => answer.refuse(desk, results.len(), &error)?,
            written => written?,
        };
        // What shares the batch's memory must be gone before it is given back.
        drop((results, data));
        desk.answer(asked.data, len, size);
    }
}
