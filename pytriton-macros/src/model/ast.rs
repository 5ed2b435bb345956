use proc_macro2::{Ident, TokenStream};
use syn::Type;

use super::decorations::Decorations;
use super::parameters::Parameter;
use super::state::State;
use super::streamed::Streamed;
use crate::decorators::Decoration;

/// A parsed function and its attributes.
///
/// Only a function without errors is expanded completely. For any other, the expansion contains the
/// parts that the compiler can still check, so that it reports further errors.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) name: Ident,
    pub(super) is_async: bool,
    /// How responses are returned, if the function streams them.
    pub(super) streamed: Option<Streamed>,
    /// The receiver's state, for a method.
    pub(super) state: Option<State>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) decorations: Decorations,
    /// The steps around the function.
    pub(super) steps: Vec<TokenStream>,
    /// `#[cost]`, and the name of its input.
    pub(super) cost: Option<(Decoration, TokenStream)>,
    /// The warm-up calls of each instance.
    pub(super) warmups: Vec<TokenStream>,
    /// Compile-time checks of the warm-ups.
    pub(super) warmup_checks: TokenStream,
    /// The calls that require the trait of each part of the return type.
    pub(super) output_bounds: Vec<TokenStream>,
    /// `None` if it is missing or invalid.
    pub(super) returned: Option<Type>,
    /// The return type as the user wrote it.
    pub(super) shown: TokenStream,
}
