use std::cell::Cell;
use std::error::Error;
use std::fmt::{self, Display, Write};

thread_local! {
    /// Whether an [`Unrecoverable`] has been displayed since it was set back.
    static DISPLAYED: Cell<bool> = const { Cell::new(false) };
}

/// An error after which the function can never answer again: its device is gone, its state is torn.
///
/// The clients of the batch get its text as that of any other error. Then the model is ready no longer, the server answers
/// what it has accepted for others, and the process ends with the reason and another code than 0; in a tritonserver with a
/// native backend, whose process is not ours, the model refuses all further requests.
///
/// It counts wherever it is displayed: as it is, in a `Box<dyn Error>`, in the chain of an `anyhow::Error`, in a variant of an
/// error of your own that shows it. One that was made a `String` is none any more.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::call::Unrecoverable;
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
    /// The error of that text, or from that other one.
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

/// Whether an error displays an [`Unrecoverable`], shortly or with all that has led to it.
pub(super) fn is_unrecoverable(error: &dyn Display) -> bool {
    DISPLAYED.set(false);
    // What cannot be displayed is told to the client as far as it can.
    let _ = write!(Nowhere, "{error}");
    if !DISPLAYED.get() {
        let _ = write!(Nowhere, "{error:#}");
    }
    DISPLAYED.get()
}

struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows its cause only when it is asked for all, as an `anyhow::Error` does.
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
    fn it_is_found_in_whatever_displays_it() {
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
