use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use super::{Call, Context, LoadedInstance, ModelError, Returned, Sequences};

/// Makes one instance of a model that is declared by hand.
pub type Load = fn(&Context) -> Result<Box<dyn Instance>, ModelError>;

/// Makes the instances of a model.
pub type Loader = Arc<dyn Fn(&Context) -> Result<LoadedInstance, ModelError> + Send + Sync>;

/// A call of the function that is under way. It stays on the instance's thread and need not be `Send`.
pub type Execution<'a> = Pin<Box<dyn Future<Output = Result<Returned, ModelError>> + 'a>>;

/// What a call came to.
pub type Answered = Result<Returned, ModelError>;

/// A call that is over.
pub(crate) fn executed<'a>(answered: Answered) -> Execution<'a> {
    Box::pin(ready(answered))
}

/// One instance of a model.
pub trait Instance {
    /// Turns the call's tensors into arguments, calls the function, turns what it returned into tensors.
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a>;

    /// The same without a future; `None`, and nothing done, where it has to be one.
    fn execute_at_once(&self, _: &Call<'_>) -> Option<Answered> {
        None
    }

    /// Whether the function may wait for something without holding its thread; any other is done when it is polled first.
    fn is_async(&self) -> bool {
        false
    }

    /// The states of sequences, where the function takes one for each.
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
