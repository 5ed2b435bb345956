use crate::arena::Region;
use crate::ring::PushError;
use crate::wire::{Answer, Up, WireError};

use super::end::{End, lock};
use super::outgoing::{Outgoing, Sent};
use super::{Answers, Server, SessionError, Unanswered};

/// As long as more than so many bytes of answers wait for tritonserver, no more are written.
const UNDER_WAY: usize = 256 << 20;

impl Server {
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
    pub(super) fn push(&self, outgoing: &mut Outgoing, message: Up) -> Result<(), SessionError> {
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
