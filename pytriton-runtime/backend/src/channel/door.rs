use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::shm::{Control, Futex, Segment, View, hung_up, receive, send};
use crate::wire::WireError;

use super::{ChannelError, Doorbell, Guest, State, Welcome, data_start};

/// tritonserver's side of a channel.
#[derive(Debug)]
pub struct Door {
    socket: UnixStream,
    control: Control,
    input: Segment,
    output: View,
    kept: u32,
    /// The bytes of the last batch.
    used: usize,
}

/// What the worker answered, until the next batch is asked.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The description of the answer.
    pub description: &'a [u8],
    /// The bytes of its tensors.
    pub data: &'a [u8],
}

/// How long the worker may take to load nothing and say yes or no.
const PATIENCE: Duration = Duration::from_secs(10);

impl Door {
    /// Knocks at the worker's socket.
    ///
    /// # Errors
    ///
    /// A [`ChannelError`] when nobody opens, or the guest is refused.
    pub fn knock(path: &Path, guest: &Guest) -> Result<(Self, Welcome), ChannelError> {
        let mut socket = UnixStream::connect(path)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let control = Control::new()?;
        let input = input()?;
        guest.send(&mut socket)?;
        // A worker that refuses the guest does not wait for its files, but what it says of it can still be read.
        let sent = send(&socket, &[control.as_fd(), input.as_fd()]);
        let welcome = Welcome::receive(&mut socket);
        if !matches!(welcome, Err(ChannelError::Refused(_))) {
            sent?;
        }
        let welcome = welcome?;
        let [output]: [OwnedFd; 1] = receive(&socket)?;
        let output = View::new(output)?;
        let door = Self {
            socket,
            control,
            input,
            output,
            kept: 0,
            used: 0,
        };
        Ok((door, welcome))
    }

    /// The input segment with room for `len` bytes.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Memory`] when there is none.
    pub fn input(&mut self, len: usize) -> Result<&mut Segment, ChannelError> {
        let kept = self.control.numbers().kept.load(Ordering::Relaxed);
        if kept != self.kept {
            // Somebody in the worker holds tensors of the last batch: they stay as they are, in their segment, which
            // needs no more than them.
            let input = input()?;
            self.input.trim(self.used);
            send(&self.socket, &[input.as_fd()])?;
            self.input = input;
            self.kept = kept;
        }
        self.input.relax();
        self.input.commit(len)?;
        self.used = len;
        Ok(&mut self.input)
    }

    /// Hands the batch in the input segment over and waits for its answer.
    ///
    /// # Errors
    ///
    /// [`ChannelError::HungUp`] when the worker is gone, [`ChannelError::Protocol`] when its answer is none.
    pub fn ask(&mut self, description: usize, data: usize) -> Result<Answered<'_>, ChannelError> {
        let numbers = self.control.numbers();
        numbers.batch.store(description as u64, Ordering::Relaxed);
        numbers.batch_data.store(data as u64, Ordering::Relaxed);
        let bell = Doorbell::new(&numbers.bell, Futex);
        bell.ask().map_err(|_| ChannelError::HungUp)?;
        bell.wait(State::Answered, || hung_up(&self.socket))
            .map_err(|_| ChannelError::HungUp)?;
        let description = length(numbers.answer.load(Ordering::Relaxed))?;
        let data = length(numbers.answer_data.load(Ordering::Relaxed))?;
        let start = data_start(description).ok_or(WireError::Bounds)?;
        let bytes = |offset, len| self.output.bytes(offset, len).ok_or(WireError::Bounds);
        Ok(Answered {
            description: bytes(0, description)?,
            data: bytes(start, data)?,
        })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // The desk learns of it at once, not only when it looks at the socket.
        Doorbell::new(&self.control.numbers().bell, Futex).close();
    }
}

fn input() -> Result<Segment, ChannelError> {
    Ok(Segment::new(c"pytriton-input")?)
}

pub(super) fn length(number: u64) -> Result<usize, WireError> {
    usize::try_from(number).map_err(|_| WireError::Bounds)
}
