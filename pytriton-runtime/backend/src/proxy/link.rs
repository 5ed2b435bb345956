use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::session::{Client, Hello, SessionError, TensorNames, Welcome};
use crate::started_sequences::StartedSequences;

use super::model::Model;
use super::session::Session;

/// The connection of an instance to the worker, which is restored whenever it breaks.
#[derive(Debug)]
pub(super) struct Link {
    path: PathBuf,
    hello: Hello,
    names: Arc<TensorNames>,
    started: Arc<StartedSequences>,
    /// Identifies the model in Triton.
    loaded_model: usize,
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    session: Option<Arc<Session>>,
    connecting: Option<JoinHandle<()>>,
    /// The stream on which the connecting thread waits for the worker's welcome.
    socket: Option<UnixStream>,
    /// Whether the connecting thread will still check the session.
    checking: bool,
    stopping: bool,
}

/// The delay between two attempts; it doubles from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

impl Link {
    /// Connects to the worker for the first time.
    pub(super) fn connect(
        path: PathBuf,
        hello: Hello,
        loaded_model: usize,
    ) -> Result<Arc<Self>, SessionError> {
        // The session refers to the link, the link to the names, and the names arrive with the
        // session.
        let own = Arc::new(Mutex::new(Weak::<Self>::new()));
        let (client, welcome) = Client::connect(&path, &hello, on_close(&own))?;
        let names = Arc::new(welcome.names.clone());
        let started = StartedSequences::new(&hello.model, names.sequence_slots);
        let link = Arc::new(Self {
            path,
            hello,
            names,
            started: Arc::new(started),
            loaded_model,
            state: Mutex::default(),
            stopped: Condvar::new(),
        });
        let session = link.session_of(client, &welcome)?;
        link.lock().session = Some(Arc::clone(&session));
        *own.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&link);
        // A session that has closed in the meantime could not reach the link.
        if session.is_closed() {
            link.reconnect();
        }
        Ok(link)
    }

    /// Returns the tensors of the model.
    pub(super) fn names(&self) -> &TensorNames {
        &self.names
    }

    /// Returns the sequences that have started and go on.
    pub(super) fn started(&self) -> &Arc<StartedSequences> {
        &self.started
    }

    /// Returns whether there is a session with a serving instance.
    pub(super) fn is_ready(&self) -> bool {
        let session = self.lock().session.clone();
        session.is_some_and(|session| session.is_ready())
    }

    /// Returns the current session, if there is one.
    pub(super) fn session(self: &Arc<Self>) -> Option<Arc<Session>> {
        let session = self.lock().session.clone();
        let session = session.filter(|session| !session.is_closed());
        if session.is_none() {
            self.reconnect();
        }
        session
    }

    /// Completes the batches in flight, and ends.
    pub(super) fn stop(&self) {
        let (session, connecting, socket) = {
            let mut state = self.lock();
            state.stopping = true;
            (
                state.session.take(),
                state.connecting.take(),
                state.socket.take(),
            )
        };
        self.stopped.notify_all();
        if let Some(socket) = socket {
            // The wait ends even if the worker creates instances forever. An error means that the
            // stream is already closed.
            let _ = socket.shutdown(Shutdown::Both);
        }
        if let Some(connecting) = connecting {
            // The thread has no result.
            let _ = connecting.join();
        }
        // A session that was connected in the meantime ends too.
        let late = self.lock().session.take();
        for session in session.into_iter().chain(late) {
            session.stop();
        }
    }

    /// Starts a thread that reconnects, unless one is running.
    pub(super) fn reconnect(self: &Arc<Self>) {
        let mut state = self.lock();
        if state.stopping || state.checking {
            return;
        }
        let link = Arc::clone(self);
        let thread = thread::Builder::new().name("pytriton_link".to_owned());
        // If no thread can be started, the next batch tries again.
        state.connecting = thread.spawn(move || link.connect_again()).ok();
        state.checking = state.connecting.is_some();
    }

    /// Returns whether a thread is connecting, or checking whether it must.
    #[cfg(test)]
    pub(super) fn is_checking(&self) -> bool {
        self.lock().checking
    }

    /// Returns whether it waits for a worker's welcome.
    #[cfg(test)]
    pub(super) fn is_waiting(&self) -> bool {
        self.lock().socket.is_some()
    }

    fn connect_again(self: &Arc<Self>) {
        let broken = {
            let mut state = self.lock();
            let broken = state.session.take_if(|session| session.is_closed());
            if state.session.is_some() {
                // The end of the previous session was reported late.
                state.checking = false;
                return;
            }
            broken
        };
        // Not under the lock: a session that ends calls this link.
        if let Some(broken) = broken {
            broken.stop();
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let own = Arc::new(Mutex::new(Arc::downgrade(self)));
            let socket = Client::connect_socket(&self.path).and_then(|socket| self.wait_on(socket));
            let connected =
                socket.and_then(|socket| Client::handshake(socket, &self.hello, on_close(&own)));
            let session = connected.and_then(|(client, welcome)| {
                // A different model of the same name would misinterpret the numbers of the tensors.
                match welcome.names == *self.names {
                    true => self.session_of(client, &welcome),
                    false => Err(SessionError::Refused("another model".to_owned())),
                }
            });
            let mut state = self.lock();
            state.socket = None;
            if let Ok(session) = session {
                // A session that has ended in the meantime is detected by the next batch, or here.
                let closed = session.is_closed();
                state.session = Some(session);
                if !closed || state.stopping {
                    // Under the same lock: a session that closes from here on finds that no thread
                    // is checking.
                    state.checking = false;
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

    /// Makes the wait on a stream interruptible by `stop`.
    fn wait_on(&self, socket: UnixStream) -> Result<UnixStream, SessionError> {
        let mut state = self.lock();
        if state.stopping {
            return Err(SessionError::Closed);
        }
        state.socket = Some(socket.try_clone()?);
        Ok(socket)
    }

    fn session_of(&self, client: Client, welcome: &Welcome) -> Result<Arc<Session>, SessionError> {
        let model = Model {
            names: Arc::clone(&self.names),
            started: Arc::clone(&self.started),
            loaded_model: self.loaded_model,
        };
        Session::start(client, model, welcome)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No panic can leave this state inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a callback that reconnects a link when its session has ended.
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
