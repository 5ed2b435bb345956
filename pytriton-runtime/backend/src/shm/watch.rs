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

/// What a watch looks after.
pub(crate) trait Watched: Send + Sync {
    /// Hears that the other end of the socket has been closed, by its process or because that process is gone.
    fn hung_up(&self);

    /// Hears that the time has passed for which it asked; says when it wants to hear of it again.
    fn due(&self) -> Option<Duration>;
}

/// A thread that sleeps until a socket is closed by its other end, or a time is over that somebody asked for.
///
/// There is one for all sessions of the process, and none while there is no session.
#[derive(Debug)]
pub(crate) struct Watch {
    entries: Arc<Entries>,
    thread: Option<JoinHandle<()>>,
}

struct Entries {
    epoll: OwnedFd,
    /// Written when the thread shall look at the entries anew.
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

/// A socket that is being watched, as long as this lives.
#[derive(Debug)]
pub(crate) struct Registration {
    watch: Arc<Watch>,
    number: u64,
    socket: OwnedFd,
}

/// The number of the event that says to look anew.
const CHANGED: u64 = u64::MAX;

impl Watch {
    /// The watch of this process.
    ///
    /// # Errors
    ///
    /// An [`io::Error`] when the process can have no descriptors or no thread for it.
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
        // SAFETY: the descriptor was made by the call above and belongs to nobody else.
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
    /// An [`io::Error`] when the process can have no more descriptors.
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
        // Nothing else is asked for: what comes is a hang-up or an error, and it comes once.
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
            // It catches nothing, and nothing in it panics.
            let _ = thread.join();
        }
    }
}

impl Registration {
    /// Lets [`Watched::due`] be called after a time, unless it is going to be already.
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
        // SAFETY: as in `add`. One that was never added, or is gone already, is an error that changes nothing.
        unsafe { sys::epoll_ctl(epoll, remove, descriptor, &raw mut event) };
    }

    fn look(&self) {
        // It fails only where more is written already than ever will be.
        let _ = (&self.changed).write(&1_u64.to_ne_bytes());
    }

    fn run(&self) {
        let mut events = [sys::EpollEvent { events: 0, data: 0 }; 16];
        while !self.stopping.load(Ordering::Relaxed) {
            let count = self.wait(&mut events);
            for event in &events[..count] {
                match event.data {
                    CHANGED => {
                        // The number does not matter.
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
            // Rounded up, so that it is over when this wakes.
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
    // Nothing under these locks panics half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
