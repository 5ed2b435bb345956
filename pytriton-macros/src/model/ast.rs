use proc_macro2::{Ident, TokenStream};
use syn::Type;

use super::decorations::Decorations;
use super::parameters::Parameter;
use super::state::State;
use super::streamed::Streamed;

/// A function and its attributes, as far as they could be read. Only one without a mistake is expanded whole; of any other
/// the compiler is shown what it can check, so that it reports its mistakes beside the others.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) name: Ident,
    pub(super) is_async: bool,
    /// What the answers come in, where there is any number of them.
    pub(super) streamed: Option<Streamed>,
    /// For a method, what it is called on.
    pub(super) state: Option<State>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) decorations: Decorations,
    /// The steps around the function.
    pub(super) steps: Vec<TokenStream>,
    /// What each instance is called with before it takes requests.
    pub(super) warmups: Vec<TokenStream>,
    /// What refuses these.
    pub(super) warmup_checks: TokenStream,
    /// The calls that ask for each part of the return type.
    pub(super) asked: Vec<TokenStream>,
    /// `None` where it is missing or wrong.
    pub(super) returned: Option<Type>,
    /// The return type as the user wrote it.
    pub(super) shown: TokenStream,
}
