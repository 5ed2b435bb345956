use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::{Error, Session};

/// A network whose file is part of the program. Its users share one session, which is dropped with
/// the last of them.
#[derive(Debug)]
pub struct Embedded {
    file: &'static [u8],
    batch: bool,
    session: Mutex<Weak<Session>>,
}

impl Embedded {
    /// Creates a network from the bytes of its file. `batch` is whether axis 0 is a batch, see
    /// [`Session::with_batch_axis`].
    pub const fn new(file: &'static [u8], batch: bool) -> Self {
        Self {
            file,
            batch,
            session: Mutex::new(Weak::new()),
        }
    }

    /// Returns the session, and creates it if it does not exist. Other callers wait meanwhile.
    ///
    /// # Errors
    ///
    /// As [`Session::new`] and [`Session::with_batch_axis`].
    pub fn session(&self) -> Result<Arc<Session>, Error> {
        // A panic while it is locked leaves the previous value, which is valid.
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session.upgrade() {
            return Ok(session);
        }
        let mut created = Session::new(self.file)?;
        if self.batch {
            created = created.with_batch_axis()?;
        }
        let created = Arc::new(created);
        *session = Arc::downgrade(&created);
        Ok(created)
    }
}
