use std::sync::{Arc, Barrier};
use std::task::Waker;
use std::thread;

use super::*;

#[derive(Debug, Default)]
struct Log {
    request: usize,
    events: Arc<Mutex<Vec<String>>>,
    /// Waited for twice during a send: at its start and before its end.
    sending: Option<Arc<Barrier>>,
}

impl Log {
    fn note(&self, event: &str) {
        self.events.lock().push(format!("{} {event}", self.request));
    }
}

impl RequestSink for Log {
    fn called(&mut self, begun: u64) {
        self.note(&format!("called {begun}"));
    }

    fn send(&mut self, sent: u32, response: Result<Response, ModelError>) -> Result<(), Cancelled> {
        for _ in 0..2 {
            self.sending.as_ref().map(|barrier| barrier.wait());
        }
        self.note(&format!("{sent} {:?}", response.map(drop)));
        Ok(())
    }

    fn end(&mut self, sent: u32, end: Result<(), SchedulerError>) {
        self.note(&format!("{sent} end {end:?}"));
    }

    fn is_cancelled(&self) -> bool {
        self.request == 2
    }

    fn poll_changed(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

#[test]
fn each_request_receives_its_responses_and_one_end() {
    let events = Arc::new(Mutex::default());
    let streamed = StreamedBatch::new((0..4).map(|request| Log {
        request,
        events: Arc::clone(&events),
        sending: None,
    }));
    streamed.called(7);
    let mut context = Context::from_waker(Waker::noop());
    let mut send = |request| {
        let mut answer = Some(Ok(Response::default()));
        streamed.poll_send(request, &mut answer, &mut context)
    };
    let results = [0, 1, 0, 2, 9].map(&mut send);
    let (more, none) = (Poll::Ready(Ok(())), Poll::Ready(Err(Cancelled)));
    assert_eq!(results, [more, more, more, none, none]);
    streamed.finish(0, Ok(()));
    assert_eq!(send(0), none);
    let cancelled = [0, 1, 2, 3].map(|request| streamed.is_cancelled(request));
    assert_eq!(cancelled, [true, false, true, false]);
    let cancelled = [0, 1, 2, 9].map(|request| {
        let cancelled = streamed.poll_cancelled(request, &mut context);
        cancelled.is_ready()
    });
    assert_eq!(cancelled, [true, false, true, true]);
    streamed.refuse(&SchedulerError::Stopping);
    streamed.end([Ok(()), Ok(()), Ok(()), Ok(())]);
    let expected = [
        "0 called 7",
        "1 called 7",
        "2 called 7",
        "3 called 7",
        "0 0 Ok(())",
        "1 0 Ok(())",
        "0 1 Ok(())",
        "0 2 end Ok(())",
        "1 1 end Err(Stopping)",
        "2 0 end Err(Stopping)",
        "3 0 end Err(Stopping)",
    ];
    assert_eq!(*events.lock(), expected);
}

#[test]
fn a_request_that_is_sending_ends_when_the_response_is_sent() {
    let (events, sending) = (Arc::default(), Arc::new(Barrier::new(2)));
    let streamed = StreamedBatch::new([Log {
        events: Arc::clone(&events),
        sending: Some(Arc::clone(&sending)),
        ..Log::default()
    }]);
    thread::scope(|scope| {
        let function = scope.spawn(|| {
            let mut answer = Some(Ok(Response::default()));
            streamed.poll_send(0, &mut answer, &mut Context::from_waker(Waker::noop()))
        });
        sending.wait();
        streamed.refuse(&SchedulerError::Stopping);
        assert!(events.lock().is_empty());
        sending.wait();
        // The function sends nothing else, and does not return.
        assert_eq!(function.join().unwrap(), Poll::Ready(Ok(())));
    });
    assert_eq!(*events.lock(), ["0 0 Ok(())", "0 1 end Err(Stopping)"]);
}
