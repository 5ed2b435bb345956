use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Something that is wrong in a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// A file and its line, or a variable of the environment.
    pub place: String,
    /// What is wrong there.
    pub text: String,
}

/// All that is wrong in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistake {
    pub(super) fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
        }
    }
}

impl Display for Mistake {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

impl Display for Mistakes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let [only] = &*self.0 {
            return only.fmt(f);
        }
        write!(f, "{} mistakes in the configuration", self.0.len())?;
        self.0
            .iter()
            .try_for_each(|mistake| write!(f, "\n  {mistake}"))
    }
}

impl Error for Mistakes {}
