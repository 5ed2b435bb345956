use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ImplItemFn, ItemImpl, Signature, Visibility};

use super::function::{Function, is_cfg, lints};
use super::lifetime::spell_out;
use super::member::Member;
use super::state::{State, StateConstructor};
use crate::decorators::{Decoration, Decorator, infer, load, sequence};
use crate::docs::{docs, strip_parameters};
use crate::errors::Errors;
use crate::path::CratePath;

/// Finds the method under `#[infer]` and the functions that create states, and removes the
/// decorators from the block.
pub(super) fn find(
    block: &mut ItemImpl,
    members: &mut [Member],
    root: &CratePath,
    errors: &mut Errors,
) -> Option<Function> {
    let mut misplaced = Decoration::take(&mut block.attrs, root);
    let methods = members.iter_mut().filter_map(|member| match member {
        Member::Method(method, _) => Some(Method::take(method, root)),
        Member::Other(_) => None,
    });
    let mut methods: Vec<Method> = methods.collect();
    check_block(block, errors)?;
    let mut single = |role| single(role, block, &methods, errors);
    let infer = single(&infer::DECORATOR);
    let load = single(&load::DECORATOR);
    let start = single(&sequence::DECORATOR);
    let before = errors.len();
    methods.iter().for_each(|method| method.check_roles(errors));
    if errors.len() > before {
        return None;
    }
    let mut maker = |role, method: Option<usize>| {
        StateConstructor::check(role, &methods[method?].signature, &block.self_ty, errors)
    };
    let state = State {
        ty: (*block.self_ty).clone(),
        load: maker(&load::DECORATOR, load),
        start: maker(&sequence::DECORATOR, start),
    };
    let mut lints = lints(&block.attrs);
    let with_roles = methods.iter().filter(|method| !method.roles.is_empty());
    lints.extend(with_roles.map(|method| method.lints.clone()));
    let roles = methods.iter().flat_map(|method| method.roles.clone());
    let roles = roles.collect();
    let infer = infer.map(|infer| methods.remove(infer));
    for role in misplaced.extract_if(.., |misplaced| misplaced.is_role()) {
        role.misplaced(errors);
    }
    // If two methods have the same role, only that is reported.
    methods.retain(|method| !method.roles.iter().any(|role| role.is(&infer::DECORATOR)));
    misplaced.extend(methods.into_iter().flat_map(|method| {
        let parameters = method.parameters.into_iter().flatten();
        method.decorations.into_iter().chain(parameters)
    }));
    for misplaced in &misplaced {
        let name = misplaced.name();
        let message = format!("`#[{name}]` belongs on the method under `#[infer]`");
        errors.push(misplaced, message);
    }
    let infer = infer?;
    Some(Function {
        signature: infer.signature,
        decorations: infer.decorations,
        parameters: infer.parameters,
        docs: docs(&block.attrs),
        lints,
        visibility: infer.visibility,
        roles,
        state: Some(state),
    })
}

/// A function of the block with its decorators.
#[derive(Debug)]
struct Method {
    signature: Signature,
    /// The decorators that assign a role.
    roles: Vec<Decoration>,
    decorations: Vec<Decoration>,
    parameters: Vec<Vec<Decoration>>,
    lints: TokenStream,
    visibility: Visibility,
    /// Whether it depends on a `#[cfg]`.
    conditional: bool,
}

impl Method {
    fn take(method: &mut ImplItemFn, root: &CratePath) -> Self {
        let decorations = Decoration::take(&mut method.attrs, root);
        let (roles, decorations) = decorations.into_iter().partition(Decoration::is_role);
        let found = Self {
            roles,
            decorations,
            parameters: Decoration::take_parameters(&mut method.sig, root),
            signature: method.sig.clone(),
            lints: lints(&method.attrs),
            visibility: method.vis.clone(),
            conditional: method.attrs.iter().any(is_cfg),
        };
        if !found.roles.is_empty() {
            strip_parameters(&mut method.sig);
            spell_out(&mut method.sig);
        }
        found
    }

    /// Reports a second role.
    fn check_roles(&self, errors: &mut Errors) {
        for role in self.roles.iter().skip(1) {
            if !role.is(self.roles[0].decorator) {
                let (first, other) = (self.roles[0].name(), role.name());
                let message =
                    format!("`#[{first}]` and `#[{other}]` must be on separate functions");
                errors.push(role, message);
            }
        }
    }
}

/// Checks the block; `None` if it contains nothing to search.
fn check_block(block: &ItemImpl, errors: &mut Errors) -> Option<()> {
    if let Some((path, _)) = &block.trait_ {
        let message = "expected an inherent `impl` block: write `impl State { … }` without a trait";
        errors.push(path, message);
        return None;
    }
    if let Some(lifetime) = lifetime(block.self_ty.to_token_stream()) {
        let message =
            "a model's state must be `'static`: write `'static` in place of this lifetime";
        errors.push(lifetime, message);
        return None;
    }
    errors.refuse(
        &block.generics,
        "a model's state must not be generic: name one type, such as `impl State<f32>`",
    );
    errors.refuse(
        &block.generics.where_clause,
        "a model's state must not have a `where` clause",
    );
    Some(())
}

/// Returns the first lifetime of a type that is not `'static`.
fn lifetime(ty: TokenStream) -> Option<TokenStream> {
    let mut tokens = ty.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(quote) if quote.as_char() == '\'' => {
                let name = tokens.next()?;
                if name.to_string() != "static" {
                    return Some(quote!(#quote #name));
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the index of the method with a role; the first one if there are several.
fn single(
    role: &Decorator,
    block: &ItemImpl,
    methods: &[Method],
    errors: &mut Errors,
) -> Option<usize> {
    let name = role.name;
    let mut found = None;
    for (index, method) in methods.iter().enumerate() {
        for attribute in method.roles.iter().filter(|found| found.is(role)) {
            attribute.options(errors);
            let message = match (found, method.conditional) {
                (None, false) => None,
                (None, true) => Some(format!(
                    "`#[cfg]` is not supported together with `#[{name}]`: put it on the `impl` block, above `#[pytriton::model]`"
                )),
                (Some(_), true) => Some(format!(
                    "`#[{name}]` is given twice in this `impl` block, where `#[cfg]` is not supported: put each `#[cfg]` on a separate `impl` block, above `#[pytriton::model]`"
                )),
                (Some(_), false) => Some(format!(
                    "`#[{name}]` is given twice in this `impl` block: remove one"
                )),
            };
            if let Some(message) = message {
                errors.push(attribute, message);
            }
            found = found.or(Some(index));
        }
    }
    let example = match name {
        "load" => "#[load] fn load() -> Self",
        "infer" => "#[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32>",
        _ => return found,
    };
    if found.is_none() {
        let message = format!("`#[{name}]` is missing in this `impl` block: write `{example}`");
        errors.push(&block.self_ty, message);
    }
    found
}
