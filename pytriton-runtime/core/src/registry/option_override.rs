use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The value of a model's option from the configuration: `Linear.max_batch_size=32`. It applies to
/// all versions of the model.
///
/// # Examples
///
/// ```
/// use pytriton_core::registry::OptionOverride;
///
/// let option: OptionOverride = "Linear.max_batch_size=32".parse().unwrap();
/// assert_eq!(option.to_string(), "Linear.max_batch_size=32");
/// "max_batch_size=32".parse::<OptionOverride>().unwrap_err();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionOverride {
    pub(super) model: Arc<str>,
    pub(super) option: Arc<str>,
    pub(super) value: Arc<str>,
}

impl OptionOverride {
    /// Returns whether it replaces this option of this model.
    pub(super) fn replaces(&self, model: &str, option: &str) -> bool {
        *self.model == *model && *self.option == *option
    }
}

impl FromStr for OptionOverride {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The name of a model may contain dots, the name of an option does not.
        let parts = text.split_once('=').and_then(|(name, value)| {
            let (model, option) = name.rsplit_once('.')?;
            Some((model, option, value)).filter(|_| !model.is_empty() && !option.is_empty())
        });
        let (model, option, value) = parts.ok_or("expected NAME.OPTION=VALUE")?;
        Ok(Self {
            model: model.into(),
            option: option.into(),
            value: value.into(),
        })
    }
}

impl fmt::Display for OptionOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            model,
            option,
            value,
        } = self;
        write!(f, "{model}.{option}={value}")
    }
}
