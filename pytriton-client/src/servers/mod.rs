//! Several servers with the same models: selection and failure handling.

mod member;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod servers;

pub(crate) use member::UnderWay;
pub(crate) use servers::Servers;
