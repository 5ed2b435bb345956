/// An attribute that declares a model with options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub(crate) name: &'static str,
    /// How it is written with a name, for the message about a missing one.
    pub(crate) usage: &'static str,
    /// The options that it does not have.
    pub(crate) excluded: &'static [&'static str],
}

/// `#[pytriton::model]`.
pub(super) const MODEL: Attribute = Attribute {
    name: "#[pytriton::model]",
    usage: "#[pytriton::model(name = \"…\")]",
    excluded: &[],
};
