use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::{Mutex, MutexGuard};

/// The order in which the requests of one connection arrive.
///
/// Each request is served by its own task, and tasks run in any order. A request whose order
/// matters waits until no earlier request of the connection can enter a queue without more data
/// from the client. It does not wait for earlier requests that have not arrived completely.
#[derive(Clone, Default)]
pub struct ArrivalOrder(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: u64,
    /// The requests that have not entered a queue.
    phases: BTreeMap<u64, Phase>,
    /// The requests that wait for earlier ones.
    waiting: BTreeMap<u64, Waker>,
}

/// The phase of a request before it enters a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its task runs, or will run without more data from the client.
    Running,
    /// Like `Running`, and more of its body has arrived since the task last polled it.
    Woken,
    /// It waits for more of its body.
    Receiving,
}

/// The position of a request in the order of its connection. Dropping it lets later requests
/// proceed.
pub struct Arrival {
    order: ArrivalOrder,
    number: u64,
}

impl fmt::Debug for ArrivalOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ArrivalOrder")
            .finish_non_exhaustive()
    }
}

impl ArrivalOrder {
    /// Returns the position of a request that arrives now.
    pub fn arrive(&self) -> Arc<Arrival> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.phases.insert(number, Phase::Running);
        Arc::new(Arrival {
            order: self.clone(),
            number,
        })
    }

    /// Changes the phases, and then wakes the first request if it waits.
    fn pass(&self, change: impl FnOnce(&mut BTreeMap<u64, Phase>)) {
        let mut state = self.state();
        change(&mut state.phases);
        let first = state.first_running();
        let waker = first.and_then(|first| state.waiting.remove(&first));
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No panic can leave the state inconsistent.
        self.0.lock()
    }
}

impl Arrival {
    /// Polls the body of the request. While the body is pending, later requests do not wait for
    /// this one.
    pub fn poll_body<T>(
        self: &Arc<Self>,
        context: &mut Context<'_>,
        poll: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        self.set(Phase::Running);
        let waker = Waker::from(Arc::new(BodyWaker {
            arrival: Arc::downgrade(self),
            task: context.waker().clone(),
        }));
        let polled = poll(&mut Context::from_waker(&waker));
        if polled.is_pending() {
            self.order.pass(|phases| {
                // More data may have arrived since the body was polled.
                if phases.get(&self.number) == Some(&Phase::Running) {
                    phases.insert(self.number, Phase::Receiving);
                }
            });
        }
        polled
    }

    /// Waits until no earlier request of the connection can enter a queue without more data from
    /// the client.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. The position is kept until the arrival is dropped.
    pub async fn turn(&self) {
        poll_fn(|context| {
            let mut state = self.order.state();
            if state.first_running() == Some(self.number) {
                return Poll::Ready(());
            }
            state.waiting.insert(self.number, context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn set(&self, phase: Phase) {
        self.order.state().phases.insert(self.number, phase);
    }
}

impl State {
    fn first_running(&self) -> Option<u64> {
        let mut running = self.phases.iter();
        let first = running.find(|(_, phase)| **phase != Phase::Receiving);
        first.map(|(number, _)| *number)
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let waker = self.order.state().waiting.remove(&self.number);
        drop(waker);
        self.order.pass(|phases| {
            phases.remove(&self.number);
        });
    }
}

impl fmt::Debug for Arrival {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Arrival")
            .field(&self.number)
            .finish()
    }
}

/// Wakes the task of a request and records that more of its body has arrived. Later requests wait
/// until the task has run.
struct BodyWaker {
    /// Weak, because the connection may keep the waker after the request has ended.
    arrival: Weak<Arrival>,
    task: Waker,
}

impl Wake for BodyWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(arrival) = self.arrival.upgrade() {
            arrival.set(Phase::Woken);
        }
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::task::noop_waker;

    use super::*;

    /// Returns whether the request may proceed.
    fn is_next(arrival: &Arrival) -> bool {
        let waker = noop_waker();
        pin!(arrival.turn())
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
    }

    /// Polls a pending body and returns the waker that it registers.
    fn receive(arrival: &Arc<Arrival>) -> Waker {
        let waker = noop_waker();
        let mut waker_of_body = None;
        let polled: Poll<()> = arrival.poll_body(&mut Context::from_waker(&waker), |context| {
            waker_of_body = Some(context.waker().clone());
            Poll::Pending
        });
        assert!(polled.is_pending());
        waker_of_body.unwrap()
    }

    #[test]
    fn requests_enter_in_order_of_arrival() {
        let order = ArrivalOrder::default();
        let mut arrivals: Vec<_> = (0..5).map(|_| order.arrive()).collect();
        while !arrivals.is_empty() {
            for (place, arrival) in arrivals.iter().enumerate().rev() {
                assert_eq!(is_next(arrival), place == 0);
            }
            arrivals.remove(0);
        }
    }

    #[test]
    fn abandoned_request_does_not_block_others() {
        let order = ArrivalOrder::default();
        let arrivals: Vec<_> = (0..3).map(|_| order.arrive()).collect();
        let [first, second, third] = <[_; 3]>::try_from(arrivals).unwrap();
        assert!(!is_next(&third));
        drop(second);
        assert!(!is_next(&third));
        drop(first);
        assert!(is_next(&third));
        drop(third);
        assert!(order.state().phases.is_empty() && order.state().waiting.is_empty());
    }

    #[test]
    fn incomplete_body_does_not_block_others_until_more_data_arrives() {
        let order = ArrivalOrder::default();
        let [slow, fast] = [order.arrive(), order.arrive()];
        assert!(!is_next(&fast));
        let waker = receive(&slow);
        assert!(is_next(&fast));
        // The rest of its body arrives before the other request enters a queue.
        waker.wake_by_ref();
        assert!(!is_next(&fast) && is_next(&slow));
        receive(&slow);
        assert!(is_next(&fast));
        drop(fast);
        waker.wake();
        assert!(is_next(&slow));
    }

    #[test]
    fn data_that_arrives_during_a_poll_is_noticed() {
        let order = ArrivalOrder::default();
        let [slow, fast] = [order.arrive(), order.arrive()];
        let waker = noop_waker();
        let polled: Poll<()> = slow.poll_body(&mut Context::from_waker(&waker), |context| {
            context.waker().wake_by_ref();
            Poll::Pending
        });
        assert!(polled.is_pending() && !is_next(&fast));
    }

    #[tokio::test]
    async fn waiter_is_woken_at_its_turn() {
        let order = ArrivalOrder::default();
        let arrivals: Vec<_> = (0..20).map(|_| order.arrive()).collect();
        let entered = Arc::new(Mutex::new(Vec::new()));
        // The last one is spawned, and therefore polled, first.
        let tasks = arrivals.into_iter().rev().map(|arrival| {
            let entered = Arc::clone(&entered);
            tokio::spawn(async move {
                arrival.turn().await;
                entered.lock().push(arrival.number);
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        assert_eq!(*entered.lock(), (0..20).collect::<Vec<_>>());
    }
}
