//! Several servers with the same models: selection and failure handling.

mod endpoint;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod servers;

pub(crate) use endpoint::RequestInFlight;
pub(crate) use servers::Servers;
