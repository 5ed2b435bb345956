/// The supertrait of the traits that only types of this crate implement.
pub trait Sealed {}
