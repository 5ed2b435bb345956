//! Both ends of a response channel.

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

/// A response of this size in bytes.
fn sized(bytes: usize) -> Response {
    let tensor = Tensor::new(DataType::Uint8, vec![bytes], vec![7; bytes].into()).unwrap();
    Response::new(vec![(0, tensor)].into())
}

/// Sends responses until the channel is full, and returns their number.
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
