use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::arena::{Region, align};
use crate::ring::{Consumer, PushError};
use crate::shm::{
    Control, Lender, Registration, State, View, Views, Watch, Watched, Window, receive, send,
};
use crate::sync::Mutex;
use crate::wire::{Answer, Down, Up, WireError};

use super::end::{End, Side, lock};
use super::lending::Lending;
use super::outgoing::{Outgoing, Sent};
use super::spare::Spare;
use super::{Answers, SessionError, Unanswered, Welcome};

/// The worker's side of a session.
#[derive(Debug)]
pub struct Server {
    // Before the end that it watches.
    registration: Registration,
    lending: Arc<Lending>,
    incoming: Mutex<Incoming>,
    /// Requests that their clients have taken back, of batches that are not finished.
    cancelled: Mutex<Vec<(u64, u32)>>,
    spare: Mutex<Spare>,
}

#[derive(Debug, Default)]
struct Incoming {
    consumer: Consumer,
    views: Views,
    /// Batches that were found by who looked for something else.
    found: VecDeque<Asked>,
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
        Ok(Self {
            registration,
            lending: Arc::new(Lending::new(end)),
            incoming: Mutex::default(),
            cancelled: Mutex::default(),
            spare: Mutex::default(),
        })
    }

    /// Waits for a batch.
    ///
    /// # Errors
    ///
    /// [`SessionError::Closed`] when there will be none, [`SessionError::Protocol`] when it is none.
    pub fn take(&self) -> Result<Asked, SessionError> {
        loop {
            if let Some(asked) = self.take_within(None)? {
                return Ok(asked);
            }
        }
    }

    /// The same, but `None` where there is none by then.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn take_until(&self, deadline: Instant) -> Result<Option<Asked>, SessionError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.take_within(Some(left))? {
                None if left.is_zero() => return Ok(None),
                None => {}
                asked => return Ok(asked),
            }
        }
    }

    /// The next batch, if there is one; otherwise waits for one, at most so long.
    fn take_within(&self, at_most: Option<Duration>) -> Result<Option<Asked>, SessionError> {
        let end = &self.lending.end;
        let mut incoming = lock(&self.incoming);
        if end.is_closed() {
            return Err(SessionError::Closed);
        }
        let asked = self.next(&mut incoming)?;
        if asked.is_none() && at_most.is_none_or(|most| !most.is_zero()) {
            let ring = end.incoming();
            incoming.consumer.wait(&ring, &end.ending, at_most)?;
        }
        Ok(asked)
    }

    /// A batch that waits already.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub fn try_take(&self) -> Result<Option<Asked>, SessionError> {
        self.next(&mut lock(&self.incoming))
    }

    /// Whether nobody waits for the answers to a request of a batch any more: its client has taken it back, or the session
    /// has ended.
    pub fn is_cancelled(&self, batch: u64, request: u32) -> bool {
        // Somebody else has it only to hear the same.
        if let Ok(mut incoming) = self.incoming.try_lock() {
            match self.hear(&mut incoming) {
                Ok(Some(asked)) => incoming.found.push_back(asked),
                Ok(None) => {}
                // What was said cannot be heard again.
                Err(_) => self.close(),
            }
        }
        self.lending.end.is_closed() || lock(&self.cancelled).contains(&(batch, request))
    }

    fn next(&self, incoming: &mut Incoming) -> Result<Option<Asked>, SessionError> {
        match incoming.found.pop_front() {
            Some(asked) => Ok(Some(asked)),
            None => self.hear(incoming),
        }
    }

    /// Reads messages up to the next batch.
    fn hear(&self, incoming: &mut Incoming) -> Result<Option<Asked>, SessionError> {
        let end = &self.lending.end;
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
                    if self.lending.is_open(batch) {
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
        let mut outgoing = lock(&self.lending.end.outgoing);
        self.push(&mut outgoing, Up::Returned { batch })?;
        self.push(&mut outgoing, Up::Refused { batch })?;
        outgoing.producer.publish(&self.lending.end.out());
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
        let description = view.bytes(region.offset, description)?;
        let mut bytes = lock(&self.spare).description();
        bytes.extend_from_slice(description);
        let offset = region.offset.checked_add(start)?;
        let lender: Arc<dyn Lender> = Arc::<Lending>::clone(&self.lending);
        let window = Window::new(Arc::clone(view), (offset, data), batch, lender)?;
        self.lending.open(batch);
        Some(Asked {
            batch,
            description: bytes,
            data: window,
        })
    }

    /// Keeps the memory of a description for the next one.
    pub fn keep_description(&self, description: Vec<u8>) {
        lock(&self.spare).keep_description(description);
    }

    /// Answers of which none is written down, in memory of earlier ones.
    pub fn answers(&self) -> Answers {
        lock(&self.spare).answers()
    }

    /// Keeps the memory of answers for the next ones.
    pub fn keep_answers(&self, answers: Answers) {
        lock(&self.spare).keep_answers(answers);
    }

    /// Writes answers to requests of a batch; `fill` writes their tensors. They are seen when they are
    /// [published](Self::publish), or when the batch is [finished](Self::finish).
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
        let (start, len) = answers.place().ok_or(WireError::Bounds)?;
        let end = &self.lending.end;
        if end.is_closed() {
            // What is written may still be read, although nobody shall wait for it.
            return Err(SessionError::Closed);
        }
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
        for message in answers.messages((batch, begun), region, start) {
            self.push(&mut outgoing, message)?;
        }
        let written = outgoing.producer.written();
        outgoing.sent.push_back(Sent { written, region });
        Ok(())
    }

    /// Lets tritonserver see what was written.
    pub fn publish(&self) {
        let end = &self.lending.end;
        lock(&end.outgoing).producer.publish(&end.out());
    }

    /// Says that a request of a batch has had another answer than the so many before, which went another way. It takes no
    /// memory.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is nobody to hear it.
    pub fn count(&self, batch: (u64, u64), place: (u32, u32)) -> Result<(), SessionError> {
        self.say(batch, place, false)
    }

    /// Says that a request of a batch has no more answers than the so many that it has had.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is nobody to hear it.
    pub fn end_request(&self, batch: (u64, u64), place: (u32, u32)) -> Result<(), SessionError> {
        self.say(batch, place, true)
    }

    fn say(
        &self,
        (batch, begun): (u64, u64),
        (request, sequence): (u32, u32),
        last: bool,
    ) -> Result<(), SessionError> {
        let said = Answer {
            batch,
            request,
            sequence,
            last,
            description: Region::default(),
            data: (0, 0),
            begun,
        };
        if self.lending.end.is_closed() {
            // As in `answer`.
            return Err(SessionError::Closed);
        }
        let mut outgoing = lock(&self.lending.end.outgoing);
        self.push(&mut outgoing, Up::Answer(said))?;
        outgoing.producer.publish(&self.lending.end.out());
        Ok(())
    }

    /// Lets tritonserver see the answers of a batch, which has no more of them.
    ///
    /// # Errors
    ///
    /// A [`SessionError`] when there is nobody to see them.
    pub fn finish(&self, batch: u64) -> Result<(), SessionError> {
        let end = &self.lending.end;
        let mut outgoing = self.lending.finish(batch, |returned| {
            let mut outgoing = lock(&end.outgoing);
            for batch in returned {
                self.push(&mut outgoing, Up::Returned { batch })?;
            }
            Ok::<_, SessionError>(outgoing)
        })?;
        outgoing.producer.publish(&end.out());
        drop(outgoing);
        lock(&self.cancelled).retain(|(other, _)| *other != batch);
        Ok(())
    }

    /// Says whether the instances behind the session can serve.
    pub fn set_state(&self, state: State) {
        self.lending.end.control.set_state(state);
    }

    /// Takes no further batches than those that wait already.
    pub fn end(&self) {
        self.lending.end.end();
    }

    /// Ends the session at once.
    pub fn close(&self) {
        self.lending.end.close();
    }

    /// Frees what tritonserver has read, and waits where it has too much to read, or no slot is free in which it could be
    /// told of another segment.
    fn make_room(&self, outgoing: &mut Outgoing, len: usize) -> Result<(), SessionError> {
        let ring = self.lending.end.out();
        loop {
            let done = outgoing.collect(&ring)?;
            let live = outgoing.arena.live();
            let fits = live == 0 || live.saturating_add(len) <= UNDER_WAY;
            if fits && outgoing.producer.has_room(&ring)? {
                return Ok(());
            }
            self.wait(outgoing, done)?;
        }
    }

    /// Writes a message, and waits for a free slot where there is none.
    fn push(&self, outgoing: &mut Outgoing, message: Up) -> Result<(), SessionError> {
        let ring = self.lending.end.out();
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
        let end = &self.lending.end;
        let ring = end.out();
        // What is waited for is that these are read.
        outgoing.producer.publish(&ring);
        Ok(outgoing.producer.wait(&ring, seen, end.closed())?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lending.end.close();
    }
}
