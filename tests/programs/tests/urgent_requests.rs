//! Urgent requests overtake the others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::join_all;
use pytriton::prelude::*;

#[derive(Default)]
struct Order {
    /// The numbers of the requests in the order of their calls.
    numbers: Mutex<Vec<u32>>,
    /// Whether the call of the first request has started, and whether it may end.
    started: AtomicBool,
    may_end: AtomicBool,
}

fn wait_for(event: &AtomicBool) {
    let begun = Instant::now();
    while !event.load(Ordering::Acquire) {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[pytriton::model(
    name = "Ordered",
    client = Ordered,
    max_batch_size = 4,
    priority_levels = 2,
    default_priority_level = 2
)]
fn ordered(number: ArrayView2<u32>, order: &Arc<Order>) -> Array2<u32> {
    if number[[0, 0]] == 0 {
        order.started.store(true, Ordering::Release);
        wait_for(&order.may_end);
    }
    order.numbers.lock().unwrap().push(number[[0, 0]]);
    number.to_owned()
}

#[test]
fn urgent_requests_are_first() {
    let order = Arc::new(Order::default());
    let shared = Arc::clone(&order);
    let loaded = pytriton::testing::load_registered_with(|server| server.state(shared)).unwrap();
    let model = loaded.call::<Ordered>().unwrap();
    let mut calls = [2, 2, 2, 2, 1, 1]
        .into_iter()
        .zip(0..)
        .map(|(level, number)| {
            Box::pin(model.priority(level).call(array![[number]]).into_future())
        });
    loaded
        .triton()
        .block_on(async {
            let mut first = calls.next().unwrap();
            assert!(first.as_mut().now_or_never().is_none());
            wait_for(&order.started);
            let mut others = Box::pin(join_all(calls));
            assert!(others.as_mut().now_or_never().is_none());
            order.may_end.store(true, Ordering::Release);
            assert!(first.await.is_ok());
            assert!(others.await.iter().all(Result::is_ok));
        })
        .unwrap();
    assert_eq!(*order.numbers.lock().unwrap(), [0, 4, 5, 1, 2, 3]);
}
