use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pytriton_tests::Result;

use super::{Book, Entry, Model, Verdict};
use crate::connection::Connection;
use crate::http::Answer;
use crate::random::Random;
use crate::region::Region;

/// The timeout of a request, far above the time limit of an error.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);

/// The pause after an error, which leaves processor time to others.
const PAUSE: Duration = Duration::from_millis(20);

/// The maximum number of rows of a request.
const ROWS: usize = 3;

/// The maximum number of elements of a long row.
const COLUMNS: usize = 20_000;

/// The kind of requests of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// All outputs.
    All,
    /// Some of the outputs, in any order.
    Some,
    /// All outputs, one of them in a shared-memory region.
    Wide,
    /// All outputs, one of them in a region that is too small.
    Narrow,
    /// Requests that the function refuses.
    Refused,
    /// All outputs, with an input that `unreadable_inputs.c` hides from the function.
    Unreadable,
    /// All outputs, with long rows.
    Large,
}

/// Clients with one thread each.
pub(crate) struct Clients {
    stop: Arc<AtomicBool>,
    answered: Arc<AtomicUsize>,
    threads: Vec<JoinHandle<Book>>,
}

struct Client {
    connection: Connection,
    address: String,
    models: Vec<Model>,
    habit: Habit,
    random: Random,
    region: Option<Region>,
    book: Book,
}

impl Clients {
    /// Starts one client per habit. Each calls these models in turn, for the given number of times
    /// or until it is stopped.
    pub(crate) fn start(
        address: &str,
        models: &[Model],
        habits: &[Habit],
        requests: Option<usize>,
        random: &mut Random,
    ) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicUsize::new(0));
        let mut threads = Vec::new();
        for &habit in habits {
            let region = match habit {
                Habit::Wide => Some(Region::register(address, 8)?),
                Habit::Narrow => Some(Region::register(address, 1)?),
                _ => None,
            };
            let mut client = Client {
                connection: Connection::new(address, REQUEST_TIMEOUT),
                address: address.to_owned(),
                models: models.to_vec(),
                habit,
                random: random.branch(),
                region,
                book: Book::default(),
            };
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            threads.push(thread::spawn(move || {
                for number in 0..requests.unwrap_or(usize::MAX) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    client.ask(number);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                client.book
            }));
        }
        Ok(Self {
            stop,
            answered,
            threads,
        })
    }

    /// Returns the number of completed requests.
    pub(crate) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// Stops the clients after their current requests.
    pub(crate) fn stop(self) -> Book {
        self.stop.store(true, Ordering::Relaxed);
        self.join()
    }

    /// Waits until the clients have sent all their requests.
    pub(crate) fn join(mut self) -> Book {
        let mut book = Book::default();
        for thread in self.threads.drain(..) {
            match thread.join() {
                Ok(other) => book.add(other),
                Err(_) => panic!("a client panicked"),
            }
        }
        book
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The threads remove their regions, even if the test has failed.
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Client {
    fn ask(&mut self, number: usize) {
        let model = self.models[number % self.models.len()];
        let count = model.outputs.len();
        let output = 1 + self.random.below(count);
        let entry = Entry::new(model, 1 + self.random.below(ROWS));
        let entry = match (self.habit, &self.region) {
            (Habit::Wide, Some(region)) => Entry::new(model, 1).into_region(1, region),
            (Habit::Narrow, Some(region)) => entry.into_region(output, region),
            (Habit::Some, _) => {
                let mut outputs: Vec<usize> = (1..=count).collect();
                outputs.rotate_left(self.random.below(count));
                outputs.truncate(output);
                entry.only(outputs)
            }
            (Habit::Large, _) => Entry::large(model, 1, 1 + self.random.below(COLUMNS)),
            (Habit::Unreadable, _) => entry.unreadable(),
            (Habit::Refused, _) if model.refuses => entry.refused(),
            _ => entry,
        };
        let begun = Instant::now();
        let answer = self.connection.infer(model.name, &entry.body());
        let verdict = answer.as_ref().ok().map(|answer| entry.judge(answer));
        self.note(begun, answer, verdict);
    }

    fn note(&mut self, begun: Instant, answer: io::Result<Answer>, verdict: Option<Verdict>) {
        match (verdict, answer) {
            (Some(Verdict::Right), _) => self.book.right += 1,
            (Some(Verdict::Wrong(what)), _) => self.book.wrong.push(what),
            (Some(Verdict::Failed(what)), _) => {
                // A restarted server does not know the region.
                let forgotten = what.contains("Unable to find shared memory region");
                if let (true, Some(region)) = (forgotten, &self.region) {
                    // The next request tries again.
                    let _ = region.register_again(&self.address);
                }
                self.book.fail(what);
            }
            (None, Err(error)) => {
                let hung = [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind());
                match hung {
                    true => self.book.hung(begun, error.to_string()),
                    false => self.book.cut(begun, error.to_string()),
                }
                thread::sleep(PAUSE);
            }
            (None, Ok(_)) => {}
        }
        self.book.took(begun);
    }
}
