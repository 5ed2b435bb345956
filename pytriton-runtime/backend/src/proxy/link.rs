use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::refused_sequences::RefusedSequences;
use crate::session::{Client, Hello, SessionError, TensorNames, Welcome};

use super::session::{Model, Session};

/// The way of an instance to the worker, which is made again whenever it breaks.
#[derive(Debug)]
pub(super) struct Link {
    path: PathBuf,
    hello: Hello,
    names: Arc<TensorNames>,
    refused: Arc<RefusedSequences>,
    /// Where Triton has the model.
    loaded_model: usize,
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    session: Option<Arc<Session>>,
    connecting: Option<JoinHandle<()>>,
    /// The way on which that thread waits for the worker's welcome.
    way: Option<UnixStream>,
    /// Whether that thread will still look whether the session is well.
    looking: bool,
    stopping: bool,
}

/// The pause between two attempts doubles from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

impl Link {
    /// Connects to the worker for the first time.
    pub(super) fn connect(
        path: PathBuf,
        hello: Hello,
        loaded_model: usize,
    ) -> Result<Arc<Self>, SessionError> {
        // The session must know the link, which wants to know the names, which come with the session.
        let own = Arc::new(Mutex::new(Weak::<Self>::new()));
        let (client, welcome) = Client::connect(&path, &hello, on_close(&own))?;
        let names = Arc::new(welcome.names.clone());
        let refused = Arc::new(RefusedSequences::new(&hello.model));
        let link = Arc::new(Self {
            path,
            hello,
            names,
            refused,
            loaded_model,
            state: Mutex::default(),
            stopped: Condvar::new(),
        });
        let session = link.session_of(client, &welcome)?;
        link.lock().session = Some(session);
        *own.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&link);
        Ok(link)
    }

    /// The tensors of the model.
    pub(super) fn names(&self) -> &TensorNames {
        &self.names
    }

    /// The sequences whose start was refused on this side.
    pub(super) fn refused(&self) -> &Arc<RefusedSequences> {
        &self.refused
    }

    /// Whether there is a session behind which an instance serves.
    pub(super) fn is_ready(&self) -> bool {
        let session = self.lock().session.clone();
        session.is_some_and(|session| session.is_ready())
    }

    /// The session, if there is one now.
    pub(super) fn session(self: &Arc<Self>) -> Option<Arc<Session>> {
        let session = self.lock().session.clone();
        let session = session.filter(|session| !session.is_closed());
        if session.is_none() {
            self.reconnect();
        }
        session
    }

    /// Answers what is under way, and ends.
    pub(super) fn stop(&self) {
        let (session, connecting, way) = {
            let mut state = self.lock();
            state.stopping = true;
            (
                state.session.take(),
                state.connecting.take(),
                state.way.take(),
            )
        };
        self.stopped.notify_all();
        if let Some(way) = way {
            // A worker that makes instances for ever is not waited for. What is gone already needs no end.
            let _ = way.shutdown(Shutdown::Both);
        }
        if let Some(connecting) = connecting {
            // It has nothing to say.
            let _ = connecting.join();
        }
        // What was connected meanwhile goes too.
        let late = self.lock().session.take();
        for session in session.into_iter().chain(late) {
            session.stop();
        }
    }

    /// Connects again on a thread of its own, unless one is at it.
    pub(super) fn reconnect(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.stopping || state.looking {
            return;
        }
        let link = Arc::clone(self);
        let thread = thread::Builder::new().name("pytriton_link".to_owned());
        // Without a thread the next batch tries again.
        state.connecting = thread.spawn(move || link.connect_again()).ok();
        state.looking = state.connecting.is_some();
    }

    /// Whether somebody connects, or looks whether that is needed.
    #[cfg(test)]
    pub(super) fn is_looking(&self) -> bool {
        self.lock().looking
    }

    /// Whether it waits for a worker's welcome.
    #[cfg(test)]
    pub(super) fn is_waiting(&self) -> bool {
        self.lock().way.is_some()
    }

    fn connect_again(self: &Arc<Self>) {
        let broken = {
            let mut state = self.lock();
            let broken = state.session.take_if(|session| session.is_closed());
            if state.session.is_some() {
                // It was said late that the one before is gone.
                state.looking = false;
                return;
            }
            broken
        };
        // Not under the lock: what ends says so to this link.
        if let Some(broken) = broken {
            broken.stop();
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let own = Arc::new(Mutex::new(Arc::downgrade(self)));
            let way = Client::reach(&self.path).and_then(|way| self.wait_on(way));
            let connected = way.and_then(|way| Client::greet(way, &self.hello, on_close(&own)));
            let session = connected.and_then(|(client, welcome)| {
                // Another model of the same name would get its tensors by numbers that mean others.
                match welcome.names == *self.names {
                    true => self.session_of(client, &welcome),
                    false => Err(SessionError::Refused("another model".to_owned())),
                }
            });
            let mut state = self.lock();
            state.way = None;
            if let Ok(session) = session {
                // A session that has ended meanwhile is found by the next batch, or right here.
                let closed = session.is_closed();
                state.session = Some(session);
                if !closed || state.stopping {
                    // Under the same lock: whoever closes it from here on finds that nobody looks.
                    state.looking = false;
                    return;
                }
            }
            let stopped = self
                .stopped
                .wait_timeout_while(state, pause, |state| !state.stopping)
                .unwrap_or_else(PoisonError::into_inner);
            if stopped.0.stopping {
                return;
            }
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    /// Lets whoever stops the link end the wait on that way.
    fn wait_on(&self, way: UnixStream) -> Result<UnixStream, SessionError> {
        let mut state = self.lock();
        if state.stopping {
            return Err(SessionError::Closed);
        }
        state.way = Some(way.try_clone()?);
        Ok(way)
    }

    fn session_of(&self, client: Client, welcome: &Welcome) -> Result<Arc<Session>, SessionError> {
        let model = Model {
            names: Arc::clone(&self.names),
            refused: Arc::clone(&self.refused),
            loaded_model: self.loaded_model,
        };
        Session::start(client, model, welcome)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connects a link again when its session has ended.
fn on_close(link: &Arc<Mutex<Weak<Link>>>) -> impl Fn() + Send + Sync + use<> {
    let link = Arc::clone(link);
    move || {
        let link = link
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .upgrade();
        if let Some(link) = link {
            link.reconnect();
        }
    }
}
