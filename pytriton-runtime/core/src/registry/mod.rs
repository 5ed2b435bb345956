//! The models of a binary. A macro adds a [`FunctionDeclaration`] for each model. At start the
//! [`Registry`] converts them to checked [`ModelSpec`](crate::model::ModelSpec)s with loaders.

mod call_order;
mod callers;
mod conflicts;
mod cost;
mod declaration;
mod error;
mod fields;
mod flaw;
mod function;
mod function_flaws;
mod lost_identities;
mod member;
mod names;
mod openai;
mod openai_rows;
mod option_override;
mod options;
mod outputs;
mod overrides;
mod owned_options;
mod parameter_flaws;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod registry;
mod required_states;
mod row_rule;
mod rules;
mod signature;
mod specify;
mod versions;
mod violation;
mod warmup;

pub use crate::model::SequenceScheduling;

pub use call_order::{callees_first, callers_first};
pub use callers::callers_signature;
pub use declaration::ModelDeclaration;
pub use error::RegistryError;
pub use fields::{argument_indexes, client_flaw, refuse_fields, warmup_fields_flaw, with_fields};
pub use flaw::{Flaw, ModelFlaws};
pub use function::{FunctionDeclaration, step};
pub use member::{
    CLAIM, DIMENSIONS, ENCODING_FORMAT, Kind, Member, PROMPT_TOKENS, STOP, TOKEN_LIMITS,
};
pub use names::{dimension_flaw, name_flaw, tensor_name_flaw};
pub use openai_rows::vectors_flaw;
pub use option_override::OptionOverride;
pub use options::ModelOptions;
pub use outputs::{labels_flaw, override_flaw, refuse_outputs};
pub(crate) use owned_options::OwnedOptions;
pub use registry::{Registration, Registry};
pub(crate) use row_rule::{RowRule, RowTensor};
pub use rules::{all_valid, refuse, timeout_action, timeout_action_flaw, violation_if};
pub use signature::Signature;
pub use versions::VersionPolicyDeclaration;
pub(crate) use warmup::warmup_flaws;
