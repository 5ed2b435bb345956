use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

use crate::shm::{Control, Futex, Lease, Segment, View, hung_up, receive, send};
use crate::wire::WireError;

use super::door::length;
use super::{ChannelError, Doorbell, State, Welcome, data_start};

/// The worker's side of a channel.
#[derive(Debug)]
pub struct Desk {
    socket: UnixStream,
    control: Control,
    /// Lent to the batch that is being served; gone when somebody kept it.
    input: Option<View>,
    output: Segment,
}

/// A batch that was asked.
#[derive(Debug)]
pub struct Asked {
    /// Its description, copied out of shared memory.
    pub description: Vec<u8>,
    /// The bytes of its tensors.
    pub data: Lease,
}

impl Desk {
    /// Takes a guest whose greeting has been read.
    ///
    /// # Errors
    ///
    /// A [`ChannelError`] when the guest does not send what a door sends, or there is no shared memory.
    pub fn open(mut socket: UnixStream, welcome: &Welcome) -> Result<Self, ChannelError> {
        let [control, input] = receive(&socket)?;
        let control = Control::open(control)?;
        let input = View::new(input)?;
        let mut output = Segment::new(c"pytriton-output")?;
        // Room to say that there is no room.
        output.commit(1)?;
        welcome.send(&mut socket)?;
        send(&socket, &[output.as_fd()])?;
        Ok(Self {
            socket,
            control,
            input: Some(input),
            output,
        })
    }

    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// [`ChannelError::HungUp`] when there will be none, [`ChannelError::Protocol`] when it is none.
    pub fn wait(&mut self) -> Result<Asked, ChannelError> {
        let numbers = self.control.numbers();
        let bell = Doorbell::new(&numbers.bell, Futex);
        bell.wait(State::Asked, || hung_up(&self.socket))
            .map_err(|_| ChannelError::HungUp)?;
        let input = match self.input.take() {
            Some(input) => input,
            // The door has sent another one before it asked.
            None => {
                let [input] = receive(&self.socket)?;
                View::new(input)?
            }
        };
        let description = length(numbers.batch.load(Ordering::Relaxed))?;
        let data = length(numbers.batch_data.load(Ordering::Relaxed))?;
        let start = data_start(description).ok_or(WireError::Bounds)?;
        let bytes = input.bytes(0, description).ok_or(WireError::Bounds)?;
        let description = bytes.to_vec();
        let data = Lease::new(input, start, data).ok_or(WireError::Bounds)?;
        Ok(Asked { description, data })
    }

    /// The segment for the answer, with room for `len` bytes.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Memory`] when there is none.
    pub fn output(&mut self, len: usize) -> Result<&mut Segment, ChannelError> {
        self.output.relax();
        self.output.commit(len)?;
        Ok(&mut self.output)
    }

    /// Hands the answer in the output segment over.
    pub fn answer(&mut self, asked: Lease, description: usize, data: usize) {
        let numbers = self.control.numbers();
        numbers.answer.store(description as u64, Ordering::Relaxed);
        numbers.answer_data.store(data as u64, Ordering::Relaxed);
        self.input = asked.end();
        if self.input.is_none() {
            numbers.kept.fetch_add(1, Ordering::Relaxed);
        }
        Doorbell::new(&numbers.bell, Futex).answer();
    }

    /// What ends the desk from another thread: a batch that was asked is still served.
    ///
    /// # Errors
    ///
    /// [`ChannelError::Io`] when the process has no descriptor left.
    pub fn closer(&self) -> Result<Closer, ChannelError> {
        let control = self.control.as_fd().try_clone_to_owned()?;
        Ok(Closer(Control::open(control)?))
    }
}

/// Ends a [`Desk`].
#[derive(Debug)]
pub struct Closer(Control);

impl Closer {
    /// Says that no further batch is taken.
    pub fn close(&self) {
        Doorbell::new(&self.0.numbers().bell, Futex).close();
    }
}
