//! Several servers of the same models as one: who is asked, and who is left alone for a while.

mod member;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod servers;

pub(crate) use member::UnderWay;
pub(crate) use servers::Servers;
