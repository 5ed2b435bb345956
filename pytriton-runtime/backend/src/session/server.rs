use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use crate::arena::{Region, align};
use crate::ring::{Consumer, PushError};
use crate::shm::{
    Allocated, Control, Lender, Registration, State, View, Views, Watch, Watched, Window, receive,
    send,
};
use crate::sync::Mutex;
use crate::wire::{Answer, Down, Up, WireError};

use super::end::{End, Side, lock};
use super::outgoing::{Outgoing, Sent};
use super::{SessionError, Welcome};

/// The worker's side of a session.
#[derive(Debug)]
pub struct Server {
    // Before the end that it watches.
    registration: Registration,
    worker: Arc<Worker>,
    incoming: Mutex<Incoming>,
    /// Requests that their clients have taken back, of batches that are not finished.
    cancelled: Mutex<Vec<(u64, u32)>>,
}

/// What those have, too, that keep tensors.
#[derive(Debug)]
struct Worker {
    end: Arc<End>,
    returned: Mutex<Returned>,
}

#[derive(Debug, Default)]
struct Incoming {
    consumer: Consumer,
    views: Views,
}

/// Which batches nobody reads any more.
#[derive(Debug, Default)]
struct Returned {
    /// Batches that were taken and are not answered: tritonserver hears of their return with their last answer.
    open: Vec<u64>,
    /// Batches that were returned and of which tritonserver has not heard.
    unsaid: Vec<u64>,
}

/// A batch that was asked.
#[derive(Debug)]
pub struct Asked {
    /// Its number.
    pub batch: u64,
    /// Its description, copied out of shared memory.
    pub description: Vec<u8>,
    /// The bytes of its tensors.
    pub data: Window,
}

/// Answers to be written: the bytes of their descriptions one behind the other, and how many bytes of tensors they have
/// together.
#[derive(Debug, Default)]
pub struct Answers {
    /// The descriptions.
    pub descriptions: Vec<u8>,
    /// For each answer the request's position, and where its description ends.
    pub ends: Vec<(u32, usize)>,
    /// The bytes of all tensors.
    pub data: usize,
}

/// As long as more than so many bytes of answers wait for tritonserver, no more are written.
const UNDER_WAY: usize = 256 << 20;

impl Server {
    /// Takes a session whose greeting has been read; `on_close` is called once, when it has ended.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is no memory, or the other side does not listen.
    pub fn open(
        mut socket: UnixStream,
        welcome: &Welcome,
        on_close: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, SessionError> {
        let watch = Watch::current()?;
        let control = Control::new(welcome.slots)?;
        welcome.send(&mut socket)?;
        send(&socket, &[control.as_fd()])?;
        let end = Arc::new(End::new(Side::Server, control, socket, Box::new(on_close)));
        let watched: Arc<dyn Watched> = Arc::<End>::clone(&end);
        let registration = watch.register(end.socket.as_fd(), watched)?;
        let worker = Worker {
            end,
            returned: Mutex::default(),
        };
        Ok(Self {
            registration,
            worker: Arc::new(worker),
            incoming: Mutex::default(),
            cancelled: Mutex::default(),
        })
    }

    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// [`SessionError::Closed`] when there will be none, [`SessionError::Protocol`] when it is none.
    pub fn take(&self) -> Result<Asked, SessionError> {
        let end = &self.worker.end;
        let mut incoming = lock(&self.incoming);
        loop {
            if end.is_closed() {
                return Err(SessionError::Closed);
            }
            if let Some(asked) = self.next(&mut incoming)? {
                return Ok(asked);
            }
            let ring = end.incoming();
            incoming.consumer.wait(&ring, &end.ending, None)?;
        }
    }

    /// A batch that waits already.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn try_take(&self) -> Result<Option<Asked>, SessionError> {
        self.next(&mut lock(&self.incoming))
    }

    /// Whether a client has taken a request of a batch back, as far as is known.
    pub fn is_cancelled(&self, batch: u64, request: u32) -> bool {
        lock(&self.cancelled).contains(&(batch, request))
    }

    fn next(&self, incoming: &mut Incoming) -> Result<Option<Asked>, SessionError> {
        let end = &self.worker.end;
        let ring = end.incoming();
        while let Some(message) = incoming.consumer.pop(&ring)? {
            // What a message speaks of is returned by another one.
            incoming.consumer.release(&ring);
            match Down::read(&message)? {
                Down::Batch {
                    batch,
                    region,
                    description,
                    data,
                } => {
                    let view = match incoming.views.get(region.segment, region.len) {
                        Ok(view) => view.ok_or(WireError::Bounds)?,
                        Err(_) => {
                            self.refuse(batch)?;
                            continue;
                        }
                    };
                    let asked = self.asked(batch, view, region, (description, data));
                    return Ok(Some(asked.ok_or(WireError::Bounds)?));
                }
                Down::Cancel { batch, request } => {
                    // One that was answered meanwhile is nobody's concern any more.
                    if lock(&self.worker.returned).open.contains(&batch) {
                        lock(&self.cancelled).push((batch, request));
                    }
                }
                Down::Segment(number) => {
                    let [segment] = receive(&end.socket)?;
                    incoming.views.insert(number, segment);
                }
                Down::Retired(number) => incoming.views.remove(number),
            }
        }
        Ok(None)
    }

    /// Says that a batch cannot be read.
    fn refuse(&self, batch: u64) -> Result<(), SessionError> {
        let mut outgoing = lock(&self.worker.end.outgoing);
        self.push(&mut outgoing, Up::Returned { batch })?;
        self.push(&mut outgoing, Up::Refused { batch })?;
        outgoing.producer.publish(&self.worker.end.out());
        Ok(())
    }

    fn asked(
        &self,
        batch: u64,
        view: &Arc<View>,
        region: Region,
        (description, data): (usize, usize),
    ) -> Option<Asked> {
        let start = align(description)?;
        let end = start.checked_add(data)?;
        if end > region.len {
            return None;
        }
        let bytes = view.bytes(region.offset, description)?.to_vec();
        let offset = region.offset.checked_add(start)?;
        let lender: Arc<dyn Lender> = Arc::<Worker>::clone(&self.worker);
        let window = Window::new(Arc::clone(view), (offset, data), batch, lender)?;
        lock(&self.worker.returned).open.push(batch);
        Some(Asked {
            batch,
            description: bytes,
            data: window,
        })
    }

    /// Writes answers to requests of a batch, each the only one and the last; `fill` writes their tensors. They are seen
    /// when the batch is [finished](Self::finish).
    ///
    /// Waits as long as tritonserver has too much to read.
    ///
    /// # Errors
    ///
    /// [`SessionError::Memory`] when there is no room for them; then others may find some.
    pub fn answer(
        &self,
        (batch, begun): (u64, u64),
        answers: &Answers,
        fill: impl FnOnce(&mut Unanswered) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        let descriptions = answers.descriptions.len();
        let start = align(descriptions).ok_or(WireError::Bounds)?;
        let len = start.checked_add(answers.data).ok_or(WireError::Bounds)?;
        let end = &self.worker.end;
        let mut outgoing = lock(&end.outgoing);
        self.make_room(&mut outgoing, len)?;
        let announce = |number| Up::Segment(number).to_message();
        let allocated = end.allocate(&mut outgoing, len, announce)?;
        let mut unanswered = Unanswered { allocated, start };
        let written = unanswered.describe(&answers.descriptions);
        if let Err(error) = written.and_then(|()| fill(&mut unanswered)) {
            let region = unanswered.allocated.hand_over();
            outgoing.arena.free(region);
            return Err(error);
        }
        if End::is_large(&outgoing) {
            self.registration.arm(End::IDLE);
        }
        let region = unanswered.allocated.hand_over();
        let mut begin = 0;
        for &(request, ends) in &answers.ends {
            let answer = Answer {
                batch,
                request,
                sequence: 0,
                last: true,
                description: Region {
                    segment: region.segment,
                    offset: region.offset + begin,
                    len: ends - begin,
                },
                data: (region.offset + start, answers.data),
                begun,
            };
            self.push(&mut outgoing, Up::Answer(answer))?;
            begin = ends;
        }
        let written = outgoing.producer.written();
        outgoing.sent.push_back(Sent { written, region });
        Ok(())
    }

    /// Lets tritonserver see the answers of a batch, which has no more of them.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is nobody to see them.
    pub fn finish(&self, batch: u64) -> Result<(), SessionError> {
        let mut returned = lock(&self.worker.returned);
        returned.open.retain(|open| *open != batch);
        let mut outgoing = lock(&self.worker.end.outgoing);
        for batch in std::mem::take(&mut returned.unsaid) {
            self.push(&mut outgoing, Up::Returned { batch })?;
        }
        drop(returned);
        outgoing.producer.publish(&self.worker.end.out());
        drop(outgoing);
        lock(&self.cancelled).retain(|(other, _)| *other != batch);
        Ok(())
    }

    /// Says whether the instances behind the session can serve.
    pub fn set_state(&self, state: State) {
        self.worker.end.control.set_state(state);
    }

    /// Takes no further batches than those that wait already.
    pub fn end(&self) {
        self.worker.end.end();
    }

    /// Ends the session at once.
    pub fn close(&self) {
        self.worker.end.close();
    }

    /// Frees what tritonserver has read, and waits where it has too much to read.
    fn make_room(&self, outgoing: &mut Outgoing, len: usize) -> Result<(), SessionError> {
        loop {
            let done = outgoing.collect(&self.worker.end.out())?;
            let live = outgoing.arena.live();
            if live == 0 || live.saturating_add(len) <= UNDER_WAY {
                return Ok(());
            }
            self.wait(outgoing, done)?;
        }
    }

    /// Writes a message, and waits for a free slot where there is none.
    fn push(&self, outgoing: &mut Outgoing, message: Up) -> Result<(), SessionError> {
        let ring = self.worker.end.out();
        loop {
            // Looked at before: a slot that becomes free after it ends the wait.
            let seen = outgoing.producer.done(&ring)?;
            match outgoing.producer.push(&ring, &message.to_message()) {
                Ok(()) => return Ok(()),
                Err(PushError::Full) => self.wait(outgoing, seen)?,
                Err(PushError::Broken) => return Err(WireError::Number.into()),
            }
        }
    }

    fn wait(&self, outgoing: &mut Outgoing, seen: u32) -> Result<(), SessionError> {
        let end = &self.worker.end;
        let ring = end.out();
        // What is waited for is that these are read.
        outgoing.producer.publish(&ring);
        Ok(outgoing.producer.wait(&ring, seen, end.closed())?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.worker.end.close();
    }
}

impl Lender for Worker {
    fn returned(&self, batch: u64) {
        let mut returned = lock(&self.returned);
        returned.unsaid.push(batch);
        if returned.open.contains(&batch) {
            return;
        }
        // Somebody kept a tensor for longer than its batch. Where it cannot be said now, it is said with the next answers.
        let Ok(mut outgoing) = self.end.outgoing.try_lock() else {
            return;
        };
        let ring = self.end.out();
        while let Some(&batch) = returned.unsaid.last() {
            let message = Up::Returned { batch }.to_message();
            if outgoing.push(&ring, &message).is_err() {
                break;
            }
            returned.unsaid.pop();
        }
        outgoing.producer.publish(&ring);
    }
}

/// Answers that are being written.
#[derive(Debug)]
pub struct Unanswered {
    allocated: Allocated,
    start: usize,
}

impl Unanswered {
    fn describe(&mut self, descriptions: &[u8]) -> Result<(), SessionError> {
        Ok(self.allocated.write(0, descriptions)?)
    }

    /// Writes bytes of the tensors.
    ///
    /// # Errors
    ///
    /// [`SessionError::Memory`] when there are more than said.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), SessionError> {
        let offset = self.start.checked_add(offset).ok_or(WireError::Bounds)?;
        Ok(self.allocated.write(offset, bytes)?)
    }
}
