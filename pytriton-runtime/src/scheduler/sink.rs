use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::{swap, take};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::Cancelled;
use crate::request::Response;

use super::message::Outcome;

/// How many answers may wait for whoever hears them.
const ROOM: usize = 16;

/// While those that wait have fewer bytes than that, others may join them whatever their number, and they are taken together.
const SMALL: usize = 32 << 10;

/// What an answer takes besides its tensors.
const ENVELOPE: usize = 256;

/// Where the answers to one request go, any number of them, until it is finished.
///
/// Who drops it unfinished has lost the request.
#[derive(Debug)]
pub(crate) struct ReplySink(Arc<Channel>);

/// Whether anybody hears the answers to one request.
#[derive(Debug)]
pub(super) struct Listening(Arc<Channel>);

/// The answers to one request, in their order.
#[derive(Debug)]
pub(crate) struct Answers {
    channel: Arc<Channel>,
    /// Small ones that were taken together, and left their room to others.
    taken: VecDeque<Outcome>,
}

#[derive(Debug, Default)]
struct Channel(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    answers: VecDeque<Outcome>,
    /// The bytes of these.
    bytes: usize,
    /// The last one.
    last: Option<Outcome>,
    /// Whether whoever answers has said that there is no more.
    finished: bool,
    ended: bool,
    unheard: bool,
    hearer: Option<Waker>,
    /// Those who wait for room.
    speakers: Vec<Waker>,
    /// Those who wait until nobody hears.
    watchers: Vec<Waker>,
}

/// A way for the answers to one request.
pub(crate) fn reply() -> (ReplySink, Answers) {
    let channel = Arc::new(Channel::default());
    let answers = Answers {
        channel: Arc::clone(&channel),
        taken: VecDeque::new(),
    };
    (ReplySink(channel), answers)
}

impl ReplySink {
    /// Waits until there is room for an answer.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]: the answers to come need not be made.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<Result<(), Cancelled>> {
        let mut state = self.0.lock();
        if state.unheard {
            return Poll::Ready(Err(Cancelled));
        }
        if state.is_full() {
            wait(&mut state.speakers, context);
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    /// Gives an answer behind which others come.
    pub(crate) fn part(&self, answer: Outcome) {
        let mut state = self.0.lock();
        // Whoever has gone meanwhile hears nothing.
        if state.unheard {
            return;
        }
        state.bytes += bytes(&answer);
        state.answers.push_back(answer);
        let hearer = state.hearer.take();
        drop(state);
        wake(hearer);
    }

    /// Whether nobody hears what is said here.
    pub(crate) fn is_unheard(&self) -> bool {
        self.0.lock().unheard
    }

    /// Waits until nobody hears what is said here.
    pub(super) fn poll_unheard(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        if state.unheard {
            return Poll::Ready(());
        }
        wait(&mut state.watchers, context);
        Poll::Pending
    }

    /// What says so when this has gone.
    pub(super) fn listening(&self) -> Listening {
        Listening(Arc::clone(&self.0))
    }

    /// Gives the last answer.
    pub(crate) fn finish(self, last: Outcome) {
        let mut state = self.0.lock();
        state.last = Some(last);
        state.finished = true;
    }

    /// There is no answer behind those that were given.
    pub(crate) fn end(self) {
        self.0.lock().finished = true;
    }
}

impl Listening {
    pub(super) fn goes_on(&self) -> bool {
        !self.0.lock().unheard
    }
}

impl Drop for ReplySink {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        let hearer = state.hearer.take();
        let waiting = state.waiting();
        drop(state);
        wake(hearer);
        wake(waiting);
    }
}

impl Answers {
    /// The next answer; `None` behind the last one.
    ///
    /// # Cancel safety
    ///
    /// No answer is lost when the future is dropped.
    pub(crate) async fn next(&mut self) -> Option<Outcome> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// The next answer, if it is there.
    pub(super) fn try_next(&mut self) -> Option<Outcome> {
        if let Some(answer) = self.taken.pop_front() {
            return Some(answer);
        }
        let (answer, speakers) = self.channel.lock().take(&mut self.taken);
        wake(speakers);
        answer
    }

    /// Whether the request was answered to its end; otherwise whoever should have answered it is gone.
    pub(crate) fn are_finished(&self) -> bool {
        self.channel.lock().finished
    }

    /// Whether there is no answer behind those that were taken, and will be none.
    pub(crate) fn are_over(&self) -> bool {
        let state = self.channel.lock();
        let is_empty = self.taken.is_empty() && state.answers.is_empty();
        state.finished && is_empty && state.last.is_none()
    }

    /// As [`next`](Self::next).
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        if let Some(answer) = self.taken.pop_front() {
            return Poll::Ready(Some(answer));
        }
        let mut state = self.channel.lock();
        let (answer, speakers) = state.take(&mut self.taken);
        if answer.is_some() {
            drop(state);
            wake(speakers);
            return Poll::Ready(answer);
        }
        if state.ended {
            return Poll::Ready(None);
        }
        match &mut state.hearer {
            Some(hearer) => hearer.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        let mut state = self.channel.lock();
        state.unheard = true;
        let unheard = (take(&mut state.answers), state.last.take());
        let waiting = state.waiting();
        drop(state);
        // What they hold may take its time to go.
        drop(unheard);
        wake(waiting);
    }
}

/// Wakes whoever waits, never under the lock: a task that is woken may be dropped instead, with what it holds.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

impl Channel {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock panics half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.answers.len() >= ROOM && self.bytes >= SMALL
    }

    /// Whether there is room for so many answers that it is worth waking whoever makes them.
    fn is_low(&self) -> bool {
        self.answers.len() <= ROOM / 2 || self.bytes <= SMALL / 2
    }

    /// The next answer, and who have waited for the room that is left. Where all are small, those behind it go to `others`.
    fn take(&mut self, others: &mut VecDeque<Outcome>) -> (Option<Outcome>, Vec<Waker>) {
        let Some(answer) = self.answers.pop_front() else {
            return (self.last.take(), Vec::new());
        };
        if self.bytes <= SMALL {
            swap(&mut self.answers, others);
            self.bytes = 0;
        } else {
            self.bytes -= bytes(&answer);
        }
        let speakers = match self.is_low() {
            true => take(&mut self.speakers),
            false => Vec::new(),
        };
        (Some(answer), speakers)
    }

    /// All who wait on the side of the function.
    fn waiting(&mut self) -> Vec<Waker> {
        let mut waiting = take(&mut self.speakers);
        waiting.append(&mut self.watchers);
        waiting
    }
}

/// Notes who waits.
fn wait(waiting: &mut Vec<Waker>, context: &Context<'_>) {
    let waker = context.waker();
    if !waiting.iter().any(|other| other.will_wake(waker)) {
        waiting.push(waker.clone());
    }
}

fn bytes(answer: &Outcome) -> usize {
    ENVELOPE + answer.as_ref().map_or(0, Response::bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Wake;
    use std::time::Duration;

    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use crate::scheduler::SchedulerError;
    use crate::tensor::{DataType, Tensor};
    use crate::testing::fp32;

    use super::*;

    fn answer(number: u16) -> Response {
        let data = fp32(&[f32::from(number)]);
        let tensor = Tensor::new(DataType::Fp32, vec![1], data).unwrap();
        Response::new(vec![(0, tensor)].into())
    }

    async fn part(sink: &ReplySink, answer: Response) -> Result<(), Cancelled> {
        poll_fn(|context| sink.poll_room(context)).await?;
        sink.part(Ok(answer));
        Ok(())
    }

    async fn heard(answers: &mut Answers) -> Vec<Outcome> {
        let mut heard = Vec::new();
        while let Some(answer) = answers.next().await {
            heard.push(answer);
        }
        heard
    }

    #[tokio::test]
    async fn any_number_of_answers_comes_in_order_and_the_last_ends_them() {
        for (parts, last) in [
            (0, Ok(answer(99))),
            (1, Ok(answer(99))),
            (2, Err(SchedulerError::Stopping)),
            (200, Ok(answer(99))),
        ] {
            let (sink, mut answers) = reply();
            let mut expected: Vec<Outcome> = (0..parts).map(|number| Ok(answer(number))).collect();
            expected.push(last.clone());
            let speaks = async {
                for number in 0..parts {
                    part(&sink, answer(number)).await.unwrap();
                }
                sink.finish(last);
            };
            let (heard, ()) = tokio::join!(heard(&mut answers), speaks);
            assert_eq!(heard, expected);
            assert_eq!(answers.next().await, None);
        }
    }

    /// An answer of so many bytes.
    fn sized(bytes: usize) -> Response {
        let tensor = Tensor::new(DataType::Uint8, vec![bytes], vec![7; bytes].into()).unwrap();
        Response::new(vec![(0, tensor)].into())
    }

    /// Gives answers until there is no room, and says how many there was room for.
    fn fill(sink: &ReplySink, bytes: usize) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut given = 0;
        while sink.poll_room(&mut context).is_ready() {
            sink.part(Ok(sized(bytes)));
            given += 1;
        }
        given
    }

    #[test]
    fn no_more_wait_than_there_is_room_for() {
        for (bytes, room, behind_the_first) in [
            (0, 128, 128),
            (ENVELOPE, 64, 64),
            (SMALL / ROOM - ENVELOPE, ROOM, ROOM),
            (SMALL, ROOM, 1),
        ] {
            let (sink, mut answers) = reply();
            assert_eq!(fill(&sink, bytes), room);
            assert_eq!(answers.try_next(), Some(Ok(sized(bytes))));
            assert_eq!(fill(&sink, bytes), behind_the_first);
        }
    }

    #[test]
    fn whoever_waits_for_room_is_woken_when_half_is_taken_and_when_nobody_hears() {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let (sink, mut answers) = reply();
        fill(&sink, SMALL);
        assert!(sink.poll_room(&mut context).is_pending());
        let taken = (1..=ROOM).find(|_| {
            answers.try_next().unwrap().unwrap();
            woken.0.swap(false, Ordering::SeqCst)
        });
        assert_eq!(taken, Some(ROOM / 2));
        fill(&sink, SMALL);
        assert!(sink.poll_room(&mut context).is_pending());
        drop(answers);
        assert!(woken.0.load(Ordering::SeqCst));
        assert_eq!(sink.poll_room(&mut context), Poll::Ready(Err(Cancelled)));
    }

    #[test]
    fn whoever_waits_for_the_end_is_not_woken_by_answers() {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let (sink, mut answers) = reply();
        assert!(sink.poll_unheard(&mut context).is_pending());
        sink.part(Ok(answer(0)));
        assert_eq!(answers.try_next(), Some(Ok(answer(0))));
        assert!(!woken.0.load(Ordering::SeqCst));
        drop(answers);
        assert!(woken.0.load(Ordering::SeqCst));
        assert!(sink.poll_unheard(&mut context).is_ready());
    }

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    #[tokio::test]
    async fn whoever_waits_for_an_answer_hears_that_none_will_come() {
        let (sink, mut answers) = reply();
        let waits = tokio::spawn(async move { answers.next().await });
        tokio::task::yield_now().await;
        drop(sink);
        let patience = Duration::from_secs(10);
        assert_eq!(timeout(patience, waits).await.unwrap().unwrap(), None);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_is_lost_between_threads() {
        let mut tasks = JoinSet::new();
        for _ in 0..50 {
            let (sink, mut answers) = reply();
            tasks.spawn(async move {
                for number in 0..100 {
                    part(&sink, answer(number)).await.unwrap();
                }
                sink.finish(Ok(answer(100)));
            });
            tasks.spawn(async move {
                let expected: Vec<Outcome> = (0..=100).map(|number| Ok(answer(number))).collect();
                assert_eq!(heard(&mut answers).await, expected);
            });
        }
        let all = async { while tasks.join_next().await.transpose().unwrap().is_some() {} };
        timeout(Duration::from_secs(20), all).await.unwrap();
    }
}
