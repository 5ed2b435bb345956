//! Both ends of a response channel.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Wake;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::memory_budget::MemoryBudget;
use crate::request::Response;
use crate::tensor::{DataType, Tensor};
use crate::testing::fp32;

use super::super::SchedulerError;
use super::super::channel_state::{MAX_WAITING, SMALL_BYTES};
use super::super::waiting_memory::{ENVELOPE_BYTES, MAX_UNRESERVED_BYTES};
use super::*;

fn answer(number: u16) -> Response {
    let data = fp32(&[f32::from(number)]);
    let tensor = Tensor::new(DataType::Fp32, vec![1], data).unwrap();
    Response::new(vec![(0, tensor.into())].into())
}

async fn send(sink: &ResponseSender, answer: Response) -> Result<(), Cancelled> {
    poll_fn(|context| sink.poll_ready(context)).await?;
    sink.send(Ok(answer)).unwrap();
    Ok(())
}

async fn received(answers: &mut ResponseReceiver) -> Vec<Outcome> {
    let mut received = Vec::new();
    while let Some(answer) = answers.next().await {
        received.push(answer);
    }
    received
}

#[tokio::test]
async fn all_responses_arrive_in_order_and_the_last_one_ends_them() {
    for (parts, last) in [
        (0, Ok(answer(99))),
        (1, Ok(answer(99))),
        (2, Err(SchedulerError::Stopping)),
        (200, Ok(answer(99))),
    ] {
        let (sink, mut answers) = response_channel();
        let mut expected: Vec<Outcome> = (0..parts).map(|number| Ok(answer(number))).collect();
        expected.push(last.clone());
        let sends = async {
            for number in 0..parts {
                send(&sink, answer(number)).await.unwrap();
            }
            sink.finish(last);
        };
        let (received, ()) = tokio::join!(received(&mut answers), sends);
        assert_eq!(received, expected);
        assert_eq!(answers.next().await, None);
    }
}

/// A response of this size in bytes.
fn sized(bytes: usize) -> Response {
    let tensor = Tensor::new(DataType::Uint8, vec![bytes], vec![7; bytes].into()).unwrap();
    Response::new(vec![(0, tensor.into())].into())
}

/// Sends responses until the channel is full, and returns their number.
fn fill(sink: &ResponseSender, bytes: usize) -> usize {
    let mut context = Context::from_waker(Waker::noop());
    let mut given = 0;
    while sink.poll_ready(&mut context).is_ready() {
        sink.send(Ok(sized(bytes))).unwrap();
        given += 1;
    }
    given
}

#[test]
fn the_number_of_waiting_responses_is_limited_unless_they_are_small() {
    for (bytes, count, behind_the_first) in [
        (0, 128, 128),
        (ENVELOPE_BYTES, 64, 64),
        (
            SMALL_BYTES / MAX_WAITING - ENVELOPE_BYTES,
            MAX_WAITING,
            MAX_WAITING,
        ),
        (SMALL_BYTES, MAX_WAITING, 1),
    ] {
        let (sink, mut answers) = response_channel();
        assert_eq!(fill(&sink, bytes), count);
        assert_eq!(answers.try_next(), Some(Ok(sized(bytes))));
        assert_eq!(fill(&sink, bytes), behind_the_first);
    }
}

#[test]
fn a_sender_that_waits_is_woken_when_half_is_taken_and_when_the_receiver_is_dropped() {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let (sink, mut answers) = response_channel();
    fill(&sink, SMALL_BYTES);
    assert!(sink.poll_ready(&mut context).is_pending());
    let taken = (1..=MAX_WAITING).find(|_| {
        answers.try_next().unwrap().unwrap();
        woken.0.swap(false, Ordering::SeqCst)
    });
    assert_eq!(taken, Some(MAX_WAITING / 2));
    fill(&sink, SMALL_BYTES);
    assert!(sink.poll_ready(&mut context).is_pending());
    drop(answers);
    assert!(woken.0.load(Ordering::SeqCst));
    assert_eq!(sink.poll_ready(&mut context), Poll::Ready(Err(Cancelled)));
}

#[test]
fn a_task_that_waits_for_the_end_is_not_woken_by_responses() {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let (sink, mut answers) = response_channel();
    assert!(sink.poll_closed(&mut context).is_pending());
    sink.send(Ok(answer(0))).unwrap();
    assert_eq!(answers.try_next(), Some(Ok(answer(0))));
    assert!(!woken.0.load(Ordering::SeqCst));
    drop(answers);
    assert!(woken.0.load(Ordering::SeqCst));
    assert!(sink.poll_closed(&mut context).is_ready());
}

#[test]
fn a_task_that_waits_after_the_last_response_is_woken_when_the_receiver_is_dropped() {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    for taken in [false, true] {
        let (sink, mut answers) = response_channel();
        let status = sink.receiver_status();
        sink.finish(Ok(answer(0)));
        assert!(status.poll_dropped(&mut context).is_pending());
        assert!(!woken.0.load(Ordering::SeqCst));
        if taken {
            assert_eq!(answers.try_next(), Some(Ok(answer(0))));
        }
        drop(answers);
        assert!(woken.0.swap(false, Ordering::SeqCst), "{taken}");
        assert!(status.poll_dropped(&mut context).is_ready());
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_receiver_that_waits_is_woken_when_the_sender_is_dropped() {
    let (sink, mut answers) = response_channel();
    let waits = tokio::spawn(async move { answers.next().await });
    tokio::task::yield_now().await;
    drop(sink);
    let deadline = Duration::from_secs(10);
    assert_eq!(timeout(deadline, waits).await.unwrap().unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_response_is_lost_between_threads() {
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let (sink, mut answers) = response_channel();
        tasks.spawn(async move {
            for number in 0..100 {
                send(&sink, answer(number)).await.unwrap();
            }
            sink.finish(Ok(answer(100)));
        });
        tasks.spawn(async move {
            let expected: Vec<Outcome> = (0..=100).map(|number| Ok(answer(number))).collect();
            assert_eq!(received(&mut answers).await, expected);
        });
    }
    let all = async { while tasks.join_next().await.transpose().unwrap().is_some() {} };
    timeout(Duration::from_secs(20), all).await.unwrap();
}

/// A response that is not counted by itself.
const SMALL: usize = 3900;

fn counted(budget: &Arc<MemoryBudget>) -> (ResponseSender, ResponseReceiver) {
    let (sink, answers) = response_channel();
    sink.count_in(budget.exact_permit());
    (sink, answers)
}

#[test]
fn small_responses_that_wait_are_reserved_until_the_receiver_returns() {
    let budget = MemoryBudget::new(1 << 20);
    let (sink, mut answers) = counted(&budget);
    let bytes = ENVELOPE_BYTES + SMALL;
    let send = || sink.send(Ok(sized(SMALL))).unwrap();
    send();
    assert_eq!(budget.reserved(), 0, "a single response is not counted");
    for number in 2..=5 {
        send();
        assert_eq!(budget.reserved(), number * bytes);
    }
    // The receiver takes all of them together, and sees each before it returns.
    for _ in 0..5 {
        assert!(answers.try_next().is_some());
        assert_eq!(budget.reserved(), 5 * bytes);
    }
    assert!(answers.try_next().is_none());
    assert_eq!(budget.reserved(), 0);
    (0..5).for_each(|_| send());
    drop(answers);
    assert_eq!(budget.reserved(), 0);
}

#[test]
fn tensors_with_a_reservation_of_their_own_are_not_counted_again() {
    let budget = MemoryBudget::new(1 << 20);
    let (sink, _answers) = counted(&budget);
    let given = fill(&sink, SMALL_BYTES);
    assert_eq!(given, MAX_WAITING);
    let more = budget.reserved();
    assert!(
        more <= MAX_WAITING * ENVELOPE_BYTES + MAX_UNRESERVED_BYTES,
        "{more}"
    );
}

#[test]
fn a_full_budget_makes_the_sender_wait_for_its_receiver() {
    let budget = MemoryBudget::new(64 << 10);
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let (sink, mut answers) = counted(&budget);
    let _all = budget.reserve(64 << 10).unwrap();
    for _ in 0..3 {
        assert!(sink.poll_ready(&mut context).is_ready());
        sink.send(Ok(sized(SMALL))).unwrap();
        assert!(sink.poll_ready(&mut context).is_pending());
        // One that does not wait is refused, and nothing else is lost.
        sink.send(Ok(sized(SMALL))).unwrap_err();
        assert!(answers.try_next().is_some());
        assert!(answers.try_next().is_none());
        assert!(woken.0.swap(false, Ordering::SeqCst));
    }
}

#[test]
fn an_empty_channel_takes_a_response_of_any_size() {
    let budget = MemoryBudget::new(0);
    let (sink, mut answers) = counted(&budget);
    // Two tensors, each too small to be counted alone.
    let mut response = sized(SMALL);
    let more = response.outputs[0].clone();
    response.outputs = [response.outputs[0].clone(), more].into_iter().collect();
    for _ in 0..3 {
        sink.send(Ok(response.clone())).unwrap();
        sink.send(Ok(response.clone())).unwrap_err();
        assert_eq!(answers.try_next(), Some(Ok(response.clone())));
        assert!(answers.try_next().is_none());
    }
}

#[tokio::test]
async fn all_responses_arrive_while_the_budget_is_exhausted() {
    const COUNT: usize = 100;
    let budget = MemoryBudget::new(64 << 10);
    let (sink, mut answers) = counted(&budget);
    // A large response needs more memory than the one that is taken with it has reserved.
    let response = |number| sized(if number % 2 == 0 { 1 } else { SMALL });
    for number in 0..2 {
        send(&sink, response(number)).await.unwrap();
    }
    let _all = budget.reserve((64 << 10) - budget.reserved()).unwrap();
    let sender = tokio::spawn(async move {
        for number in 2..COUNT {
            send(&sink, response(number)).await.unwrap();
        }
        sink.end();
    });
    // The sender runs after each response, also while others are taken but not received.
    let receive = async {
        let mut count = 0;
        while let Some(answer) = answers.next().await {
            answer.unwrap();
            count += 1;
            tokio::task::yield_now().await;
        }
        count
    };
    let count = timeout(Duration::from_secs(10), receive).await;
    assert_eq!(count, Ok(COUNT));
    sender.await.unwrap();
}
