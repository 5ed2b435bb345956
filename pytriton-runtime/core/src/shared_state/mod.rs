//! Values that a program creates once, and that the functions of its models share.

mod parameter;
mod required_state;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod shared_state;
mod shared_states;
mod state_type;

pub use required_state::RequiredState;
pub use shared_state::SharedState;
pub use shared_states::{DuplicateState, SharedStates};
pub use state_type::StateType;
