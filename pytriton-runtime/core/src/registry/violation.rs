/// The reason why an option is invalid, with what to write instead.
pub(super) type Violation = Option<&'static str>;
