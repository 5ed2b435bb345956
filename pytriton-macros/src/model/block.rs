use syn::{ImplItemFn, ItemImpl, Signature};

use super::item::{Function, Member};
use super::lifetime::spell_out;
use super::state::{Load, State};
use crate::decorators::{Decoration, Decorator, infer, load};
use crate::errors::Errors;
use crate::path::CratePath;

/// Finds the method under `#[infer]` and the function under `#[load]`, and takes the decorators off the block.
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
    if let Some(method) = infer.filter(|_| infer == load) {
        let roles = methods[method].decorations.iter();
        let roles = roles.filter(|decoration| decoration.is_role());
        let message = "`#[load]` and `#[infer]` must stand on two functions";
        roles.skip(1).for_each(|role| errors.push(role, message));
        return None;
    }
    let state = State {
        ty: (*block.self_ty).clone(),
        load: load.and_then(|load| Load::check(&methods[load].signature, &block.self_ty, errors)),
    };
    let infer = infer.map(|infer| methods.remove(infer));
    let others = methods.into_iter();
    stray.extend(others.flat_map(|method| {
        method
            .decorations
            .into_iter()
            .chain(method.parameters.into_iter().flatten())
    }));
    for stray in stray.iter().filter(|stray| !stray.is_role()) {
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
        state: Some(state),
    })
}

/// A function of the block, with its decorators apart.
#[derive(Debug)]
struct Method {
    signature: Signature,
    decorations: Vec<Decoration>,
    parameters: Vec<Vec<Decoration>>,
    /// Whether it depends on `#[cfg]`.
    conditional: bool,
}

impl Method {
    fn take(method: &mut ImplItemFn, root: &CratePath) -> Self {
        let found = Self {
            decorations: Decoration::take(&mut method.attrs, root),
            parameters: Decoration::take_parameters(&mut method.sig, root),
            signature: method.sig.clone(),
            conditional: method.attrs.iter().any(|attribute| {
                attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
            }),
        };
        if found.decorations.iter().any(Decoration::is_role) {
            spell_out(&mut method.sig);
        }
        found
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
            found = found.or(Some(index));
        }
    }
    if found.is_none() {
        let example = match *role == load::DECORATOR {
            true => "#[load] fn load() -> Self",
            false => "#[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32>",
        };
        let message = format!("`#[{name}]` is missing in this `impl` block: write `{example}`");
        errors.push(&block.self_ty, message);
    }
    found
}
