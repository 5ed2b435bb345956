use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::iter::successors;
use std::time::Duration;

use super::ErrorKind;
use super::attributes::Attributes;
use super::chain::{Chain, chain};
use super::displayed::{displayed, note};
use super::standard::StandardError;

/// An error of a function, with a [kind](ErrorKind) that determines the client's status.
///
/// `?` converts any [`std::error::Error`], `anyhow::Error` and text to an error of the kind
/// [`Internal`](ErrorKind::Internal). The client and the log receive its message, followed by those
/// of its sources.
///
/// If a call contains several requests, an error of the kinds `InvalidArgument` and `NotFound`
/// cannot be attributed to one of them. Each then receives status 500 without the message. Without
/// `#[batch]`, each call contains one request.
///
/// # Examples
///
/// ```
/// use pytriton_core::error::{Error, ErrorKind};
///
/// fn price(text: &str) -> Result<f32, Error> {
///     if text.is_empty() {
///         return Err(Error::not_found("the product has no price"));
///     }
///     Ok(text.parse()?)
/// }
/// assert_eq!(price("").unwrap_err().kind(), ErrorKind::NotFound);
/// let error = price("1,5").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Internal);
/// assert_eq!(error.to_string(), "invalid float literal");
/// ```
pub struct Error {
    pub(super) attributes: Attributes,
    pub(super) source: Box<dyn StdError + Send + Sync>,
}

/// Defines a constructor for each kind.
macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
            Self::new(ErrorKind::$kind, error)
        }
    )*};
}

impl Error {
    /// Creates an error of a kind from a message or another error.
    pub fn new(kind: ErrorKind, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self {
            attributes: Attributes {
                kind,
                ..Attributes::INTERNAL
            },
            source: error.into(),
        }
    }

    constructors! {
        /// Creates an error with HTTP status 400: the request is invalid.
        invalid_argument InvalidArgument;
        /// Creates an error with HTTP status 404: a requested object does not exist.
        not_found NotFound;
        /// Creates an error with HTTP status 429: a limit, such as a quota, is reached.
        resource_exhausted ResourceExhausted;
        /// Creates an error with HTTP status 503: the client can retry later.
        unavailable Unavailable;
        /// Creates an error with HTTP status 504: an operation did not complete in time.
        deadline_exceeded DeadlineExceeded;
        /// Creates an error with HTTP status 501: the function does not support the request.
        unimplemented Unimplemented;
        /// Creates an error with HTTP status 500: the function failed. `?` creates it, too.
        internal Internal;
        /// Creates a fatal error with HTTP status 500, after which the function cannot process any
        /// request. For example, the device is lost or the state is inconsistent.
        ///
        /// The clients of the batch receive its message like that of any other error. Then the
        /// model is no longer ready, and the server completes the accepted requests of other
        /// models. The process exits with the reason and a non-zero code. With a native backend,
        /// the process belongs to tritonserver, so the model refuses all further requests instead.
        unrecoverable Unrecoverable;
    }

    /// Sets how long the client should wait before it retries. The embedded engine sends it over
    /// HTTP as `Retry-After`, in seconds, rounded up.
    #[must_use]
    pub fn retry_after(mut self, time: Duration) -> Self {
        self.attributes.retry_after = Some(time);
        self
    }

    /// Returns the time that [`retry_after`](Self::retry_after) has set.
    pub fn retry_time(&self) -> Option<Duration> {
        self.attributes.retry_after
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.attributes.kind
    }

    /// Returns the errors that caused this one, the nearest first.
    pub fn sources(&self) -> impl Iterator<Item = &(dyn StdError + 'static)> {
        successors(self.source.source(), |&error| error.source())
    }

    /// Converts the error to a standard error, for functions that return `anyhow::Error` or
    /// `Box<dyn Error>`. The conversion back, by `?`, restores the kind.
    ///
    /// # Examples
    ///
    /// ```
    /// use pytriton_core::error::{Error, ErrorKind};
    ///
    /// fn find(name: &str) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    ///     Err(Error::not_found(format!("no entry '{name}'")).into_std())?
    /// }
    ///
    /// fn function() -> Result<u32, Error> {
    ///     Ok(find("a")?)
    /// }
    /// assert_eq!(function().unwrap_err().kind(), ErrorKind::NotFound);
    /// ```
    pub fn into_std(self) -> impl StdError + Send + Sync + 'static {
        StandardError::from(self)
    }

    /// Converts an error that a function returned, with the kind of the error that it displays.
    pub(crate) fn of(error: &dyn Display) -> Self {
        let (message, attributes) = displayed(error);
        Self {
            attributes: attributes.unwrap_or(Attributes::INTERNAL),
            source: message.into(),
        }
    }

    /// Like [`of`](Self::of), with the messages of the sources and the kind of the first one that
    /// has a kind. The error may borrow from the arguments of the function.
    pub(crate) fn of_std(error: &dyn StdError) -> Self {
        let (message, _) = displayed(&Chain(error));
        Self {
            attributes: attributes(error),
            source: message.into(),
        }
    }

    /// Returns the error of this type that `?` has converted without a change of its kind.
    ///
    /// # Errors
    ///
    /// Returns the error itself if it is not one.
    pub(crate) fn downcast_internal<E: StdError + 'static>(self) -> Result<E, Self> {
        let Self { attributes, source } = self;
        if attributes != Attributes::INTERNAL {
            return Err(Self { attributes, source });
        }
        match source.downcast() {
            Ok(error) => Ok(*error),
            Err(source) => Err(Self { attributes, source }),
        }
    }
}

impl From<Error> for StandardError {
    fn from(Error { attributes, source }: Error) -> Self {
        Self { attributes, source }
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Error {
    fn from(error: E) -> Self {
        let source = error.into();
        Self {
            attributes: attributes(&*source),
            source,
        }
    }
}

/// Returns the attributes of the outermost [`Error`] in the chain.
fn attributes(error: &dyn StdError) -> Attributes {
    let attributes = chain(error).find_map(|error| displayed(&error).1);
    attributes.unwrap_or(Attributes::INTERNAL)
}

/// Displays the message; in the alternate form (`{:#}`) followed by those of the sources.
impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        note(self.attributes);
        match f.alternate() {
            true => Chain(&*self.source).fmt(f),
            false => self.source.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.attributes.kind, Chain(&*self.source))
    }
}
