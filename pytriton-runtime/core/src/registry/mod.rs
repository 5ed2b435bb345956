//! The models of a binary. A macro adds a [`FunctionDeclaration`] for each model. At start the
//! [`Registry`] converts them to checked [`ModelSpec`](crate::model::ModelSpec)s with loaders.

mod argument;
mod callers;
mod conflicts;
mod declaration;
mod error;
mod function;
mod member;
mod names;
mod openai;
mod options;
mod outputs;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod registry;
mod rules;
mod signature;
mod specify;
mod versions;
mod warmup;

pub use crate::model::SequenceScheduling;

pub use argument::Argument;
pub use callers::callers_signature;
pub use declaration::ModelDeclaration;
pub use error::RegistryError;
pub use function::FunctionDeclaration;
pub use member::{CLAIM, Kind, Member, STOP, TOKEN_LIMITS};
pub use names::{dimension_flaw, name_flaw, tensor_name_flaw};
pub use options::ModelOptions;
pub use outputs::{override_flaw, refuse_outputs};
pub use registry::{Registration, Registry};
pub use rules::{all_valid, refuse, timeout_action, timeout_action_flaw, violation_if};
pub use signature::Signature;
pub use versions::VersionPolicyDeclaration;
pub(crate) use warmup::warmup_flaws;
