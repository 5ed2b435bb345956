use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::sync::{Mutex, MutexGuard};

use super::sys;

/// The owner of a watched socket.
pub(crate) trait Watched: Send + Sync {
    /// Called when the peer has closed the socket or its process is gone.
    fn hung_up(&self);

    /// Called when the requested time has passed. Returns the time until the next call.
    fn due(&self) -> Option<Duration>;
}

/// A thread that sleeps until a peer closes its socket, or a requested time has passed.
///
/// All sessions of the process share one. It ends with the last session.
#[derive(Debug)]
pub(crate) struct Watch {
    entries: Arc<Entries>,
    thread: Option<JoinHandle<()>>,
}

struct Entries {
    epoll: OwnedFd,
    /// Written to make the thread check the entries again.
    changed: File,
    stopping: AtomicBool,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    next: u64,
    watched: BTreeMap<u64, Entry>,
}

struct Entry {
    watched: Arc<dyn Watched>,
    due: Option<Instant>,
}

/// Watches a socket until dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    watch: Arc<Watch>,
    number: u64,
    socket: OwnedFd,
}

/// The event number that makes the thread check the entries again.
const CHANGED: u64 = u64::MAX;

impl Watch {
    /// Returns the watch of this process.
    ///
    /// # Errors
    ///
    /// Returns an [`io::Error`] if the process has no descriptors or threads left.
    pub(crate) fn current() -> io::Result<Arc<Self>> {
        static CURRENT: Mutex<Weak<Watch>> = Mutex::new(Weak::new());
        let mut current = lock(&CURRENT);
        if let Some(watch) = current.upgrade() {
            return Ok(watch);
        }
        let watch = Arc::new(Self::start()?);
        *current = Arc::downgrade(&watch);
        Ok(watch)
    }

    fn start() -> io::Result<Self> {
        // SAFETY: the call takes an integer.
        let epoll = sys::result(unsafe { sys::epoll_create1(sys::EPOLL_CLOEXEC) })?;
        // SAFETY: the descriptor was created by the call above, and nothing else owns it.
        let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
        // SAFETY: the call takes integers.
        let event = unsafe { sys::eventfd(0, sys::EFD_CLOEXEC | sys::EFD_NONBLOCK) };
        let event = sys::result(event)?;
        // SAFETY: as above.
        let event = unsafe { OwnedFd::from_raw_fd(event) };
        let entries = Arc::new(Entries {
            epoll,
            changed: File::from(event),
            stopping: AtomicBool::new(false),
            all: Mutex::default(),
        });
        entries.add(&entries.changed, sys::EPOLLIN, CHANGED)?;
        let watched = Arc::clone(&entries);
        let thread = thread::Builder::new()
            .name("pytriton_watch".to_owned())
            .spawn(move || watched.run())?;
        Ok(Self {
            entries,
            thread: Some(thread),
        })
    }

    /// Watches a socket.
    ///
    /// # Errors
    ///
    /// Returns an [`io::Error`] if the process has no descriptors left.
    pub(crate) fn register(
        self: &Arc<Self>,
        socket: impl AsFd,
        watched: Arc<dyn Watched>,
    ) -> io::Result<Registration> {
        let socket = socket.as_fd().try_clone_to_owned()?;
        let number = {
            let mut all = lock(&self.entries.all);
            let number = all.next;
            all.next += 1;
            all.watched.insert(number, Entry { watched, due: None });
            number
        };
        let registration = Registration {
            watch: Arc::clone(self),
            number,
            socket,
        };
        let entries = &self.entries;
        // No other event is requested: only a hang-up or an error occurs, and only once.
        let events = sys::EPOLLRDHUP | sys::EPOLLONESHOT;
        entries.add(&registration.socket, events, number)?;
        Ok(registration)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.entries.stopping.store(true, Ordering::Relaxed);
        self.entries.look();
        if let Some(thread) = self.thread.take() {
            // The thread does not panic.
            let _ = thread.join();
        }
    }
}

impl Registration {
    /// Schedules a call of [`Watched::due`], unless one is already scheduled.
    pub(crate) fn arm(&self, after: Duration) {
        let mut all = lock(&self.watch.entries.all);
        if let Some(entry) = all.watched.get_mut(&self.number)
            && entry.due.is_none()
        {
            entry.due = Some(Instant::now() + after);
            drop(all);
            self.watch.entries.look();
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let entries = &self.watch.entries;
        entries.remove(&self.socket);
        let removed = lock(&entries.all).watched.remove(&self.number);
        drop(removed);
    }
}

impl Entries {
    fn add(&self, descriptor: impl AsFd, events: u32, data: u64) -> io::Result<()> {
        let mut event = sys::EpollEvent { events, data };
        let (epoll, descriptor) = (self.epoll.as_raw_fd(), descriptor.as_fd().as_raw_fd());
        let add = sys::EPOLL_CTL_ADD;
        // SAFETY: both descriptors are open, `event` has the layout of `struct epoll_event`.
        sys::result(unsafe { sys::epoll_ctl(epoll, add, descriptor, &raw mut event) })?;
        Ok(())
    }

    fn remove(&self, descriptor: impl AsFd) {
        let mut event = sys::EpollEvent { events: 0, data: 0 };
        let (epoll, descriptor) = (self.epoll.as_raw_fd(), descriptor.as_fd().as_raw_fd());
        let remove = sys::EPOLL_CTL_DEL;
        // SAFETY: as in `add`. If the descriptor was never added or is already removed, the call
        // fails and changes nothing.
        unsafe { sys::epoll_ctl(epoll, remove, descriptor, &raw mut event) };
    }

    fn look(&self) {
        // Fails only if the counter would overflow, which never happens.
        let _ = (&self.changed).write(&1_u64.to_ne_bytes());
    }

    fn run(&self) {
        let mut events = [sys::EpollEvent { events: 0, data: 0 }; 16];
        while !self.stopping.load(Ordering::Relaxed) {
            let count = self.wait(&mut events);
            for event in &events[..count] {
                match event.data {
                    CHANGED => {
                        // The value does not matter.
                        let _ = (&self.changed).read(&mut [0; 8]);
                    }
                    number => self.hung_up(number),
                }
            }
            self.due();
        }
    }

    fn wait(&self, events: &mut [sys::EpollEvent; 16]) -> usize {
        let due = lock(&self.all)
            .watched
            .values()
            .filter_map(|entry| entry.due)
            .min();
        let milliseconds = due.map_or(-1, |due| {
            let left = due.saturating_duration_since(Instant::now());
            // Rounded up, so that the time has passed on waking.
            i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX)
        });
        let (epoll, first) = (self.epoll.as_raw_fd(), events.as_mut_ptr());
        // SAFETY: `first` is valid for writes of 16 events of the layout of `struct epoll_event`.
        let count = unsafe { sys::epoll_wait(epoll, first, 16, milliseconds) };
        usize::try_from(count).unwrap_or(0)
    }

    fn hung_up(&self, number: u64) {
        let watched = {
            let all = lock(&self.all);
            all.watched
                .get(&number)
                .map(|entry| Arc::clone(&entry.watched))
        };
        if let Some(watched) = watched {
            watched.hung_up();
        }
    }

    fn due(&self) {
        let now = Instant::now();
        loop {
            let due = {
                let mut all = lock(&self.all);
                let mut entries = all.watched.iter_mut();
                let due = entries.find(|(_, entry)| entry.due.is_some_and(|due| due <= now));
                due.map(|(number, entry)| {
                    entry.due = None;
                    (*number, Arc::clone(&entry.watched))
                })
            };
            let Some((number, watched)) = due else {
                return;
            };
            let again = watched.due();
            if let Some(entry) = lock(&self.all).watched.get_mut(&number)
                && entry.due.is_none()
            {
                entry.due = again.map(|again| now + again);
            }
        }
    }
}

impl std::fmt::Debug for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entries")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No panic can leave this state inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
