//! The page: every model with a form that tries it, and what it does meanwhile.
//!
//! What is served at `/docs` is one document without data, the same for every server: its script asks for `/openapi.json`, which
//! says what the models are, and for the routes that it tries. So the page itself needs no token, and all that it shows does
//! where its group is closed. Its sources are the files in `page/`, which are put together here.

mod asked;
mod door;
mod kept;
mod page;
#[cfg(tritonserver)]
mod relay;
#[cfg(test)]
#[cfg(tritonserver)]
mod relay_tests;
#[cfg(test)]
mod tests;
mod written;

pub(crate) use asked::{answer_alone, is_asked};
#[cfg(tritonserver)]
pub(crate) use door::answer_beside;
pub(super) use door::{answer, is_route};
#[cfg(tritonserver)]
pub(crate) use relay::Relay;
pub(crate) use written::Written;
