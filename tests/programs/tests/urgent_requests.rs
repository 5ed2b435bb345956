//! Urgent requests overtake the others.

use std::sync::{Arc, Barrier, Mutex};

use futures_util::FutureExt;
use futures_util::future::join_all;
use pytriton::prelude::*;

/// The numbers of the requests in the order of their calls.
struct Order {
    numbers: Mutex<Vec<u32>>,
    /// The call of the first request waits here twice: at its start and before its end.
    first: Barrier,
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
        order.first.wait();
        order.first.wait();
    }
    order.numbers.lock().unwrap().push(number[[0, 0]]);
    number.to_owned()
}

#[test]
fn urgent_requests_are_first() {
    let order = Arc::new(Order {
        numbers: Mutex::default(),
        first: Barrier::new(2),
    });
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
            order.first.wait();
            let mut others = Box::pin(join_all(calls));
            assert!(others.as_mut().now_or_never().is_none());
            order.first.wait();
            assert!(first.await.is_ok());
            assert!(others.await.iter().all(Result::is_ok));
        })
        .unwrap();
    assert_eq!(*order.numbers.lock().unwrap(), [0, 4, 5, 1, 2, 3]);
}
