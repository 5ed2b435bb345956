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

/// How often tritonserver, which gives up after some seconds, is asked to wait on.
const PERIOD: Duration = Duration::from_secs(2);

/// How long tritonserver may take to come back when its last session with a load was broken; it tries twice a second.
const RETURN: Duration = Duration::from_secs(5);

/// Why there are no further sessions.
const STOPPING: &str = "the worker is stopping";

/// The instances of one model: those of each time that tritonserver has loaded it and not yet dropped it, where clients say
/// when it does, otherwise the same for ever.
#[derive(Debug)]
pub(super) struct Loads {
    registration: Registration,
    /// The folder of the version in the model repository, where each load makes instances anew.
    folder: Option<PathBuf>,
    runtime: Handle,
    claims: Arc<Claims>,
    alive: Mutex<Alive>,
    /// Held while instances are being made.
    turn: tokio::sync::Mutex<()>,
    /// Whether nobody waits for instances any longer.
    over: watch::Sender<bool>,
    /// Why the model is beyond repair.
    breakdown: watch::Sender<Option<Breakdown>>,
}

#[derive(Debug, Default)]
struct Alive {
    loads: Vec<Load>,
    closed: bool,
}

#[derive(Debug)]
struct Load {
    /// tritonserver's; `None` until it has asked for what was made at the start.
    number: Option<u64>,
    sessions: Arc<Sessions>,
}

/// Instances that are being made.
#[derive(Debug)]
pub(super) struct Making {
    sessions: Arc<Sessions>,
    instances: Result<Vec<Loaded>, ModelError>,
}

impl Loads {
    /// None yet.
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

    /// What the model is.
    pub(super) fn spec(&self) -> &Arc<ModelSpec> {
        &self.registration.spec
    }

    /// Why the model is beyond repair, once it is.
    pub(super) fn broken(&self) -> impl Future<Output = Option<Breakdown>> + Send + use<> {
        let mut breakdown = self.breakdown.subscribe();
        async move { breakdown.wait_for(Option::is_some).await.ok()?.clone() }
    }

    /// Whether tritonserver has loaded the model, or is about to come back to it.
    pub(super) fn is_loaded(&self) -> bool {
        let alive = lock(&self.alive);
        let mut loads = alive.loads.iter();
        loads.any(|load| self.folder.is_none() || load.number.is_some())
    }

    /// The sessions of all instances that there are.
    pub(super) fn sessions(&self) -> Vec<Arc<Sessions>> {
        let alive = lock(&self.alive);
        alive
            .loads
            .iter()
            .map(|load| Arc::clone(&load.sessions))
            .collect()
    }

    /// How many sessions the instances of one load can have. Where no client says when models are loaded, none says how many
    /// instances they have.
    pub(super) fn most_sessions(&self) -> usize {
        match self.folder {
            None => usize::MAX,
            Some(_) => self.spec().instances.count() as usize,
        }
    }

    /// What tritonserver is told where it has more instances than the load.
    pub(super) fn no_place(&self) -> String {
        let instances = match self.spec().instances.count() {
            1 => "1 instance".to_owned(),
            count => format!("{count} instances"),
        };
        format!(
            "the model has {instances} in the process that runs it: 'instance_group' of a load can make them fewer, not more"
        )
    }

    /// Begins to make instances.
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

    /// Waits until instances are made.
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

    /// The sessions of the instances for that load of tritonserver's, which are made where there are none. It blocks
    /// meanwhile, and calls `wait` now and then.
    ///
    /// # Errors
    ///
    /// Why there are none.
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

    /// Lets tritonserver, which loads nothing that has not changed, load the model again when it is asked to.
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

    /// Lets nobody wait for instances any longer: a function that makes them may never come back.
    pub(super) fn wait_no_more(&self) {
        self.over.send_replace(true);
    }

    /// Ends all instances once what they have taken is answered; there will be no others.
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

/// The last session of a load has ended: its instances end too, unless tritonserver comes back for them.
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
                // Whoever has come since has all of that time anew when it breaks too.
                let left = left.upgrade();
                if let Some(left) = left.filter(|left| gone.is_some() && left.deserted() == gone) {
                    leave(&loads, &left);
                }
            });
        }
    }
}

/// tritonserver has dropped the model: so are its instances.
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
    // Nothing under these locks panics half-way.
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
