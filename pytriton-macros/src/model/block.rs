use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ImplItemFn, ItemImpl, Signature};

use super::item::{Function, Member, lints};
use super::lifetime::spell_out;
use super::state::{Maker, State};
use crate::decorators::{Decoration, Decorator, infer, load, sequence};
use crate::docs::{docs, strip_parameters};
use crate::errors::Errors;
use crate::path::CratePath;

/// Finds the method under `#[infer]` and the functions that make states, and takes the decorators off the block.
pub(super) fn find(
    block: &mut ItemImpl,
    members: &mut [Member],
    root: &CratePath,
    errors: &mut Errors,
) -> Option<Function> {
    let mut stray = Decoration::take(&mut block.attrs, root);
    let mut methods: Vec<Method> = Vec::new();
    for member in members {
        if let Member::Method(method, _) = member {
            methods.push(Method::take(method, root));
        }
    }
    check_block(block, errors)?;
    let infer = single(&infer::DECORATOR, block, &methods, errors);
    let load = single(&load::DECORATOR, block, &methods, errors);
    let start = single(&sequence::DECORATOR, block, &methods, errors);
    let before = errors.len();
    methods.iter().for_each(|method| method.check_roles(errors));
    if errors.len() > before {
        return None;
    }
    let mut maker = |role, method: Option<usize>| {
        Maker::check(role, &methods[method?].signature, &block.self_ty, errors)
    };
    let state = State {
        ty: (*block.self_ty).clone(),
        load: maker(&load::DECORATOR, load),
        start: maker(&sequence::DECORATOR, start),
    };
    let mut lints = lints(&block.attrs);
    lints.extend(
        methods
            .iter()
            .filter(|method| method.has_role())
            .map(|method| method.lints.clone()),
    );
    let roles = methods.iter().flat_map(|method| &method.decorations);
    let roles: Vec<Decoration> = roles.filter(|found| found.is_role()).cloned().collect();
    let infer = infer.map(|infer| methods.remove(infer));
    // Of two methods under one role, that is the mistake.
    let others = methods.into_iter();
    let others = others.filter(|method| {
        let mut decorations = method.decorations.iter();
        !decorations.any(|decoration| decoration.is(&infer::DECORATOR))
    });
    for role in stray.extract_if(.., |stray| stray.is_role()) {
        role.misplaced(errors);
    }
    stray.extend(others.flat_map(|method| {
        let decorations = method.decorations.into_iter();
        let decorations = decorations.filter(|decoration| !decoration.is_role());
        decorations.chain(method.parameters.into_iter().flatten())
    }));
    for stray in &stray {
        let name = stray.name();
        errors.push(
            stray,
            format!("`#[{name}]` belongs on the method under `#[infer]`"),
        );
    }
    let Method {
        signature,
        mut decorations,
        parameters,
        ..
    } = infer?;
    decorations.retain(|decoration| !decoration.is_role());
    Some(Function {
        signature,
        decorations,
        parameters,
        docs: docs(&block.attrs),
        lints,
        roles,
        state: Some(state),
    })
}

/// A function of the block, with its decorators apart.
#[derive(Debug)]
struct Method {
    signature: Signature,
    decorations: Vec<Decoration>,
    parameters: Vec<Vec<Decoration>>,
    lints: TokenStream,
    /// Whether it depends on `#[cfg]`.
    conditional: bool,
}

impl Method {
    fn take(method: &mut ImplItemFn, root: &CratePath) -> Self {
        let found = Self {
            decorations: Decoration::take(&mut method.attrs, root),
            parameters: Decoration::take_parameters(&mut method.sig, root),
            signature: method.sig.clone(),
            lints: lints(&method.attrs),
            conditional: method.attrs.iter().any(|attribute| {
                attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
            }),
        };
        if found.has_role() {
            strip_parameters(&mut method.sig);
            spell_out(&mut method.sig);
        }
        found
    }

    /// Reports a second role beside the first.
    fn check_roles(&self, errors: &mut Errors) {
        let roles = self.decorations.iter().filter(|found| found.is_role());
        let roles: Vec<&Decoration> = roles.collect();
        for role in roles.iter().skip(1) {
            if !role.is(roles[0].decorator) {
                let (first, other) = (roles[0].name(), role.name());
                let message = format!("`#[{first}]` and `#[{other}]` must stand on two functions");
                errors.push(role, message);
            }
        }
    }

    fn has_role(&self) -> bool {
        self.decorations.iter().any(Decoration::is_role)
    }
}

/// `None` for a block in which there is nothing to look for.
fn check_block(block: &ItemImpl, errors: &mut Errors) -> Option<()> {
    if let Some((path, _)) = &block.trait_ {
        let message =
            "expected an `impl` block of the type itself: write `impl State { … }` without a trait";
        errors.push(path, message);
        return None;
    }
    if let Some(lifetime) = lifetime(block.self_ty.to_token_stream()) {
        let message =
            "a model's state lives as long as its server: write `'static`, and no other lifetime";
        errors.push(lifetime, message);
        return None;
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
    Some(())
}

/// The first lifetime of a type that is not `'static`.
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

/// The index of the only method under a role; of the first one if there are more.
fn single(
    role: &Decorator,
    block: &ItemImpl,
    methods: &[Method],
    errors: &mut Errors,
) -> Option<usize> {
    let name = role.name;
    let mut found = None;
    for (index, method) in methods.iter().enumerate() {
        for attribute in method.decorations.iter().filter(|found| found.is(role)) {
            attribute.options(errors);
            if found.is_some() {
                let message = match method.conditional {
                    true => format!(
                        "`#[{name}]` stands twice in this `impl` block, where `#[cfg]` is not looked at: put each `#[cfg]` on an `impl` block of its own, above `#[pytriton::model]`"
                    ),
                    false => format!("`#[{name}]` stands twice in this `impl` block: remove one"),
                };
                errors.push(attribute, message);
            }
            if found.is_none() && method.conditional {
                let message = format!(
                    "`#[cfg]` is not looked at beside `#[{name}]`: put it on the `impl` block, above `#[pytriton::model]`"
                );
                errors.push(attribute, message);
            }
            found = found.or(Some(index));
        }
    }
    if found.is_none() && *role != sequence::DECORATOR {
        let example = match *role == load::DECORATOR {
            true => "#[load] fn load() -> Self",
            false => "#[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32>",
        };
        let message = format!("`#[{name}]` is missing in this `impl` block: write `{example}`");
        errors.push(&block.self_ty, message);
    }
    found
}
