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

/// Far more than an error may take: what needs it hangs.
const PATIENCE: Duration = Duration::from_secs(8);

/// So that clients of a server that is away leave others their turn.
const PAUSE: Duration = Duration::from_millis(20);

/// The most rows of a request.
const ROWS: usize = 3;

/// The most elements of a long row.
const COLUMNS: usize = 20_000;

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Everything.
    All,
    /// Some of the outputs, in any order.
    Some,
    /// Everything, one output of which goes into a region of its own.
    Wide,
    /// Everything, one output of which shall go where it does not fit.
    Narrow,
    /// What the function refuses.
    Refused,
    /// Everything, of an input that `unreadable.c` keeps from the function.
    Unreadable,
    /// Everything of long rows.
    Large,
}

/// Clients with a thread each.
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
    /// Starts one for each habit, that asks these models by turns, as often as is said or until it is stopped.
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
                connection: Connection::new(address, PATIENCE),
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

    /// How many requests have come to an end.
    pub(crate) fn answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }

    /// Lets each end the request that it is in.
    pub(crate) fn stop(self) -> Book {
        self.stop.store(true, Ordering::Relaxed);
        self.join()
    }

    /// Waits until each has asked as often as it shall.
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
        // Each removes its region at its end, also where the test has failed.
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
                // A server that was started anew knows nothing of it.
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
