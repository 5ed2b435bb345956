use std::fs::File;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::call::ModelError;
use crate::claims::Claims;
use crate::gathered::calls;
use crate::model::ModelSpec;
use crate::registry::Registration;
use crate::runner::Breakdown;

use super::instance::{Loaded, spawn};
use super::sessions::{Left, Parting, Sessions};

/// The interval of keep-alive messages to tritonserver while it waits. It gives up after a few
/// seconds.
const PERIOD: Duration = Duration::from_secs(2);

/// How long tritonserver may take to reconnect after the last session of a load broke. It tries
/// twice a second.
const RETURN: Duration = Duration::from_secs(5);

/// The reason for refusing further sessions.
const STOPPING: &str = "the worker is stopping";

/// The instances of one model.
///
/// If clients load and unload models, there is one set per load that tritonserver has not dropped.
/// Otherwise there is a single permanent set.
#[derive(Debug)]
pub(super) struct Loads {
    registration: Registration,
    /// The folder of the version in the model repository, if each load creates new instances.
    folder: Option<PathBuf>,
    runtime: Handle,
    claims: Arc<Claims>,
    alive: Mutex<Alive>,
    /// Held while instances are created.
    turn: tokio::sync::Mutex<()>,
    /// Whether waiting for instances has been abandoned.
    over: watch::Sender<bool>,
    /// The fatal error of the model.
    breakdown: watch::Sender<Option<Breakdown>>,
}

#[derive(Debug, Default)]
struct Alive {
    loads: Vec<Load>,
    closed: bool,
}

#[derive(Debug)]
struct Load {
    /// tritonserver's number of the load; `None` until it connects to the instances created at
    /// startup.
    number: Option<u64>,
    sessions: Arc<Sessions>,
}

/// Instances that are being created.
#[derive(Debug)]
pub(super) struct Making {
    sessions: Arc<Sessions>,
    instances: Result<Vec<Loaded>, ModelError>,
}

impl Loads {
    /// Returns a model without instances.
    pub(super) fn new(
        registration: &Registration,
        folder: Option<PathBuf>,
        claims: &Arc<Claims>,
    ) -> Arc<Self> {
        Arc::new(Self {
            registration: registration.clone(),
            folder,
            runtime: Handle::current(),
            claims: Arc::clone(claims),
            alive: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            over: watch::Sender::new(false),
            breakdown: watch::Sender::new(None),
        })
    }

    /// Returns the description of the model.
    pub(super) fn spec(&self) -> &Arc<ModelSpec> {
        &self.registration.spec
    }

    /// Resolves to the fatal error of the model once one occurs.
    pub(super) fn broken(&self) -> impl Future<Output = Option<Breakdown>> + Send + use<> {
        let mut breakdown = self.breakdown.subscribe();
        async move { breakdown.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Returns whether tritonserver has loaded the model, or is about to reconnect to it.
    pub(super) fn is_loaded(&self) -> bool {
        let alive = lock(&self.alive);
        let mut loads = alive.loads.iter();
        loads.any(|load| self.folder.is_none() || load.number.is_some())
    }

    /// Returns the sessions of all existing instances.
    pub(super) fn sessions(&self) -> Vec<Arc<Sessions>> {
        let alive = lock(&self.alive);
        alive
            .loads
            .iter()
            .map(|load| Arc::clone(&load.sessions))
            .collect()
    }

    /// Returns the maximum number of sessions of one load. Without model control there is no limit:
    /// clients cannot change the number of instances.
    pub(super) fn most_sessions(&self) -> usize {
        match self.folder {
            None => usize::MAX,
            Some(_) => self.spec().instances.count() as usize,
        }
    }

    /// Returns the error for a load with more instances than the model has.
    pub(super) fn no_place(&self) -> String {
        let instances = match self.spec().instances.count() {
            1 => "1 instance".to_owned(),
            count => format!("{count} instances"),
        };
        format!(
            "the model has {instances} in the process that runs it: 'instance_group' of a load can make them fewer, not more"
        )
    }

    /// Starts to create instances.
    pub(super) fn make(self: &Arc<Self>) -> Making {
        let spec = self.spec();
        let (in_flight, instances) = (
            spec.batches_in_flight as usize,
            spec.instances.count() as usize,
        );
        let (calls, end) = calls(in_flight.saturating_mul(instances));
        let own = Arc::downgrade(self);
        let left: Left = match self.folder {
            None => Box::new(|_, _| {}),
            Some(_) => Box::new(move |sessions, parting| part(&own, sessions, parting)),
        };
        let sessions = Sessions::new(Arc::clone(spec), Arc::clone(&self.claims), calls, end, left);
        let (broken, own) = (sessions.instances.broken(), Arc::downgrade(self));
        self.runtime.spawn(async move {
            let breakdown = broken.await;
            if let Some(own) = own.upgrade().filter(|_| breakdown.is_some()) {
                own.breakdown.send_replace(breakdown);
            }
        });
        let instances = spawn(&sessions, &self.registration, &self.runtime);
        let failed = |error: std::io::Error| self.failed(0, &error.to_string());
        Making {
            instances: instances.map_err(failed),
            sessions,
        }
    }

    /// Waits until instances are created.
    pub(super) async fn made(&self, making: Making) -> Result<(), ModelError> {
        let Making {
            sessions,
            instances,
        } = making;
        let loaded = async {
            for (number, mut loaded) in instances?.into_iter().enumerate() {
                let ended = || Err(self.failed(number, "its thread ended"));
                loaded.recv().await.unwrap_or_else(ended)?;
            }
            Ok(())
        };
        if let Err(error) = loaded.await {
            sessions.close();
            return Err(error);
        }
        let mut alive = lock(&self.alive);
        if alive.closed {
            sessions.close();
        }
        alive.loads.push(Load {
            number: None,
            sessions,
        });
        Ok(())
    }

    /// Returns the sessions for a load of tritonserver, and creates the instances if necessary.
    /// Blocks, and calls `wait` periodically.
    ///
    /// # Errors
    ///
    /// Returns the reason if they cannot be provided.
    pub(super) fn enter(
        self: &Arc<Self>,
        number: u64,
        mut wait: impl FnMut(),
    ) -> Result<Arc<Sessions>, String> {
        let mut over = self.over.subscribe();
        self.runtime.block_on(async {
            let (mut entered, mut over) = (
                pin!(self.entered(number)),
                pin!(over.wait_for(|over| *over)),
            );
            loop {
                tokio::select! {
                    biased;
                    entered = &mut entered => return entered,
                    _ = &mut over => return Err(STOPPING.to_owned()),
                    () = sleep(PERIOD) => wait(),
                }
            }
        })
    }

    async fn entered(self: &Arc<Self>, number: u64) -> Result<Arc<Sessions>, String> {
        let _turn = self.turn.lock().await;
        if let Some(sessions) = self.find(number) {
            return Ok(sessions);
        }
        self.touch();
        if lock(&self.alive).closed {
            return Err(STOPPING.to_owned());
        }
        let made = self.made(self.make()).await;
        made.map_err(|error| error.to_string())?;
        self.find(number).ok_or_else(|| STOPPING.to_owned())
    }

    fn find(&self, number: u64) -> Option<Arc<Sessions>> {
        let mut alive = lock(&self.alive);
        let fits = |load: &&mut Load| self.folder.is_none() || load.number == Some(number);
        if let Some(load) = alive.loads.iter_mut().find(fits) {
            return Some(Arc::clone(&load.sessions));
        }
        let mut loads = alive.loads.iter_mut();
        let fresh = loads.find(|load| load.number.is_none())?;
        fresh.number = Some(number);
        let sessions = Arc::clone(&fresh.sessions);
        drop(alive);
        self.touch();
        Some(sessions)
    }

    /// Marks the model as changed. tritonserver reloads only what has changed.
    fn touch(&self) {
        let Some(folder) = &self.folder else {
            return;
        };
        let touched = File::open(folder).and_then(|folder| folder.set_modified(SystemTime::now()));
        if let Err(error) = touched {
            let folder = folder.display();
            tracing::warn!(%folder, %error, "the model will not be loaded anew");
        }
    }

    /// Abandons all waiting for instances: a function that creates one may never return.
    pub(super) fn wait_no_more(&self) {
        self.over.send_replace(true);
    }

    /// Ends all instances after the batches they have accepted. No others are created.
    pub(super) fn close(&self) {
        self.wait_no_more();
        let mut alive = lock(&self.alive);
        alive.closed = true;
        let sessions: Vec<_> = alive
            .loads
            .iter()
            .map(|load| Arc::clone(&load.sessions))
            .collect();
        drop(alive);
        for sessions in sessions {
            sessions.close();
        }
    }

    fn failed(&self, instance: usize, message: &str) -> ModelError {
        ModelError::Load {
            model: Arc::clone(&self.spec().name),
            instance: u32::try_from(instance).unwrap_or(u32::MAX),
            message: message.to_owned(),
        }
    }
}

/// Handles the end of the last session of a load. Its instances end too, unless tritonserver
/// reconnects.
fn part(loads: &Weak<Loads>, left: &Arc<Sessions>, parting: Parting) {
    let Some(own) = loads.upgrade() else {
        return;
    };
    match parting {
        Parting::Closed => leave(loads, left),
        Parting::Broken => {
            let gone = left.deserted();
            let (loads, left) = (Weak::clone(loads), Arc::downgrade(left));
            own.runtime.spawn(async move {
                sleep(RETURN).await;
                // A session that connected in the meantime gets the full time again when it breaks.
                let left = left.upgrade();
                if let Some(left) = left.filter(|left| gone.is_some() && left.deserted() == gone) {
                    leave(&loads, &left);
                }
            });
        }
    }
}

/// Ends the instances of a load that tritonserver has dropped.
fn leave(loads: &Weak<Loads>, left: &Sessions) {
    let Some(loads) = loads.upgrade() else {
        return;
    };
    let mut alive = lock(&loads.alive);
    if !alive.closed {
        alive
            .loads
            .retain(|load| !std::ptr::eq(Arc::as_ptr(&load.sessions), left));
    }
    drop(alive);
    left.close();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No panic can leave this state inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use crate::testing::IDENTITY;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_session_that_comes_back_and_breaks_again_has_all_of_the_time_anew() {
        let folder = tempfile::tempdir().unwrap();
        let model = IDENTITY.registration().unwrap();
        let loads = Loads::new(&model, Some(folder.path().to_owned()), &Arc::default());
        loads.made(loads.make()).await.unwrap();
        let sessions = loads.find(7).unwrap();
        let come_and_break = || {
            assert!(sessions.come(1));
            sessions.leave(Parting::Broken);
        };
        let second = Duration::from_secs(1);
        come_and_break();
        sleep(RETURN - second).await;
        come_and_break();
        sleep(RETURN - second).await;
        assert!(sessions.is_open());
        sleep(second * 2).await;
        assert!(!sessions.is_open());
    }
}
