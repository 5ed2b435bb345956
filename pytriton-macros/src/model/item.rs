use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, Signature};

use super::state::{Load, State};
use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;
use crate::path::CratePath;

/// The function that answers requests, with its helpers apart.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) signature: Signature,
    pub(super) helpers: Vec<HelperAttribute>,
    /// For each of the signature's inputs.
    pub(super) parameters: Vec<Vec<HelperAttribute>>,
    /// For a method, what it is called on.
    pub(super) state: Option<State>,
}

impl Function {
    /// Finds the function of an item and returns it beside the item without its helpers.
    pub(super) fn find(
        tokens: TokenStream,
        root: &CratePath,
        errors: &mut Errors,
    ) -> (TokenStream, Option<Self>) {
        match syn::parse2::<Item>(tokens.clone()) {
            Ok(Item::Fn(mut function)) => {
                let found = Self::take(&mut function, root);
                (function.into_token_stream(), Some(found))
            }
            Ok(Item::Impl(mut block)) => {
                let found = method(&mut block, root, errors);
                (block.into_token_stream(), found)
            }
            other => {
                let message =
                    "`#[pytriton::model]` must stand on a `fn` with a body or on an `impl` block";
                match other {
                    Ok(item) => errors.push(keyword(&item), message),
                    Err(_) => errors.push_missing(message),
                }
                (tokens, None)
            }
        }
    }

    fn take(function: &mut ItemFn, root: &CratePath) -> Self {
        Self {
            helpers: HelperAttribute::take(&mut function.attrs, root),
            parameters: HelperAttribute::take_parameters(&mut function.sig, root),
            signature: function.sig.clone(),
            state: None,
        }
    }
}

/// The tokens that say what kind of item it is.
fn keyword(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        item => quote!(#item),
    }
}

/// The method under `#[infer]`, on the state that the function under `#[load]` makes.
fn method(block: &mut ItemImpl, root: &CratePath, errors: &mut Errors) -> Option<Function> {
    check_block(block, errors);
    let stray = HelperAttribute::take(&mut block.attrs, root);
    for helper in &stray {
        let message = format!(
            "`#[{0}]` belongs on the method under `#[infer]`",
            helper.helper.name()
        );
        errors.push(helper, message);
    }
    let mut infers = Vec::new();
    let mut loads = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let mut found = Method::take(method, root);
        match (
            found.take_helper(Helper::Infer),
            found.take_helper(Helper::Load),
        ) {
            (Some(_), Some(load)) => {
                errors.push(load, "`#[load]` and `#[infer]` must stand on two functions")
            }
            (Some(infer), None) => infers.push((infer, found)),
            (None, Some(load)) => {
                found.refuse_helpers(errors);
                loads.push((load, found.signature));
            }
            (None, None) => found.refuse_helpers(errors),
        }
    }
    check_single(
        block,
        Helper::Infer,
        infers.iter().map(|(infer, _)| infer),
        errors,
    );
    check_single(
        block,
        Helper::Load,
        loads.iter().map(|(load, _)| load),
        errors,
    );
    let load = loads
        .first()
        .and_then(|(_, signature)| Load::check(signature, &block.self_ty, errors));
    let state = State {
        ty: (*block.self_ty).clone(),
        load,
    };
    let (_, method) = infers.into_iter().next()?;
    Some(Function {
        signature: method.signature,
        helpers: method.helpers,
        parameters: method.parameters,
        state: Some(state),
    })
}

fn check_block(block: &ItemImpl, errors: &mut Errors) {
    if let Some((path, _)) = &block.trait_ {
        let message =
            "expected an `impl` block of the type itself: write `impl State { … }` without a trait";
        errors.push(path, message);
    }
    if !block.generics.params.is_empty() {
        let message =
            "a model's state must not be generic: name one type, such as `impl State<f32>`";
        errors.push(&block.generics, message);
    }
    if let Some(where_clause) = &block.generics.where_clause {
        errors.push(
            where_clause,
            "a model's state must not have a `where` clause",
        );
    }
}

fn check_single<'a>(
    block: &ItemImpl,
    helper: Helper,
    found: impl Iterator<Item = &'a Attribute>,
    errors: &mut Errors,
) {
    let name = helper.name();
    let mut count = 0;
    for attribute in found {
        count += 1;
        if count > 1 {
            errors.push(
                attribute,
                format!("`#[{name}]` stands twice in this `impl` block: remove one"),
            );
        }
    }
    if count == 0 {
        let example = match helper {
            Helper::Load => "#[load] fn load() -> Self",
            _ => "#[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32>",
        };
        errors.push(
            &block.self_ty,
            format!("`#[{name}]` is missing in this `impl` block: write `{example}`"),
        );
    }
}

/// A method of the block, with its helpers apart.
struct Method {
    signature: Signature,
    helpers: Vec<HelperAttribute>,
    parameters: Vec<Vec<HelperAttribute>>,
}

impl Method {
    fn take(method: &mut ImplItemFn, root: &CratePath) -> Self {
        Self {
            helpers: HelperAttribute::take(&mut method.attrs, root),
            parameters: HelperAttribute::take_parameters(&mut method.sig, root),
            signature: method.sig.clone(),
        }
    }

    fn take_helper(&mut self, helper: Helper) -> Option<Attribute> {
        let index = self
            .helpers
            .iter()
            .position(|found| found.helper == helper)?;
        Some(self.helpers.remove(index).attribute)
    }

    /// For methods other than the one under `#[infer]`.
    fn refuse_helpers(&self, errors: &mut Errors) {
        for helper in self.helpers.iter().chain(self.parameters.iter().flatten()) {
            let name = helper.helper.name();
            errors.push(
                helper,
                format!("`#[{name}]` belongs on the method under `#[infer]`"),
            );
        }
    }
}
