use std::cell::Cell;
use std::error::Error;
use std::fmt::{self, Display, Write};

thread_local! {
    /// Whether an [`Unrecoverable`] has been displayed since the flag was reset.
    static DISPLAYED: Cell<bool> = const { Cell::new(false) };
}

/// A fatal error, after which the function cannot process any request. For example, the device is
/// lost or the state is inconsistent.
///
/// The clients of the batch receive its message like that of any other error. Then the model is no
/// longer ready, and the server completes the accepted requests of other models. The process exits
/// with the reason and a non-zero code. With a native backend, the process belongs to tritonserver,
/// so the model refuses all further requests instead.
///
/// The error is detected wherever it is displayed: directly, in a `Box<dyn Error>`, in the chain of
/// an `anyhow::Error`, or in your own error type. It is not detected once it has been converted to
/// a `String`.
///
/// # Examples
///
/// ```
/// use pytriton_core::call::Unrecoverable;
///
/// fn answer(lost: bool) -> Result<f32, Unrecoverable> {
///     match lost {
///         true => Err(Unrecoverable::new("the device is lost")),
///         false => Ok(1.0),
///     }
/// }
/// assert_eq!(answer(true).unwrap_err().to_string(), "the device is lost");
/// ```
#[derive(Debug)]
pub struct Unrecoverable(Box<dyn Error + Send + Sync>);

impl Unrecoverable {
    /// Creates an error from a message or another error.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl Display for Unrecoverable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DISPLAYED.set(true);
        self.0.fmt(f)
    }
}

impl Error for Unrecoverable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Returns whether an error displays an [`Unrecoverable`], in its short or its full form.
pub(super) fn is_unrecoverable(error: &dyn Display) -> bool {
    DISPLAYED.set(false);
    // A failing `Display` is handled where the message for the client is created.
    let _ = write!(Discard, "{error}");
    if !DISPLAYED.get() {
        let _ = write!(Discard, "{error:#}");
    }
    DISPLAYED.get()
}

struct Discard;

impl Write for Discard {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Displays its cause only in the alternate form, like an `anyhow::Error`.
    struct Chain(Unrecoverable);

    impl Display for Chain {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match f.alternate() {
                true => write!(f, "it failed: {}", self.0),
                false => f.write_str("it failed"),
            }
        }
    }

    #[test]
    fn unrecoverable_error_is_found_in_every_wrapper() {
        let lost = || Unrecoverable::new("lost");
        let boxed: Box<dyn Error + Send + Sync> = lost().into();
        let table: [(&dyn Display, bool); 6] = [
            (&lost(), true),
            (&boxed, true),
            (&Unrecoverable::new(boxed.to_string()), true),
            (&Chain(lost()), true),
            (&lost().to_string(), false),
            (&"the device is lost", false),
        ];
        for (error, expected) in table {
            assert_eq!(is_unrecoverable(error), expected, "{error}");
        }
    }
}
