use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use super::{Call, Context, LoadedInstance, ModelError, Returned, Sequences};

/// Creates an instance of a manually declared model.
pub type Load = fn(&Context) -> Result<Box<dyn Instance>, ModelError>;

/// Creates the instances of a model.
pub type Loader = Arc<dyn Fn(&Context) -> Result<LoadedInstance, ModelError> + Send + Sync>;

/// A running call of the function. It stays on the thread of the instance and need not be `Send`.
pub type Execution<'a> = Pin<Box<dyn Future<Output = Result<Returned, ModelError>> + 'a>>;

/// The result of a call.
pub type CallResult = Result<Returned, ModelError>;

/// Returns a completed call.
pub fn executed<'a>(result: CallResult) -> Execution<'a> {
    Box::pin(ready(result))
}

/// An instance of a model.
pub trait Instance {
    /// Converts the tensors of the call to arguments, calls the function, and converts its return
    /// value to tensors.
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a>;

    /// Like [`execute`](Self::execute), but without a future. Returns `None` and does nothing if a
    /// future is required.
    fn execute_at_once(&self, _: &Call<'_>) -> Option<CallResult> {
        None
    }

    /// Returns whether the function is asynchronous. Other functions complete in the first poll.
    fn is_async(&self) -> bool {
        false
    }

    /// Returns the states of sequences, if the function takes them.
    fn sequences(&self) -> Option<Sequences<'_>> {
        None
    }
}

impl fmt::Debug for dyn Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance")
    }
}

impl fmt::Debug for dyn Instance + Send {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance")
    }
}
