//! Several servers with the same models: selection and failure handling.

mod member;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod servers;

pub(crate) use member::UnderWay;
pub(crate) use servers::Servers;
