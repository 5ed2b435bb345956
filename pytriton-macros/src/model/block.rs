use syn::{ImplItem, ImplItemFn, ItemImpl, Signature};

use super::item::Function;
use super::lifetime::spell_out;
use super::state::{Load, State};
use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;
use crate::path::CratePath;

/// Finds the method under `#[infer]` and the function under `#[load]`, and takes the helpers off the block.
pub(super) fn find(
    block: &mut ItemImpl,
    root: &CratePath,
    errors: &mut Errors,
) -> Option<Function> {
    let mut stray = HelperAttribute::take(&mut block.attrs, root);
    let mut methods: Vec<Method> = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            methods.push(Method::take(method, root));
        }
    }
    check_block(block, errors)?;
    let infer = single(Helper::Infer, block, &methods, errors);
    let load = single(Helper::Load, block, &methods, errors);
    if let Some(method) = infer.filter(|_| infer == load) {
        let roles = methods[method]
            .helpers
            .iter()
            .filter(|helper| is_role(helper));
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
            .helpers
            .into_iter()
            .chain(method.parameters.into_iter().flatten())
    }));
    for helper in stray.iter().filter(|helper| !is_role(helper)) {
        let name = helper.helper.name();
        errors.push(
            helper,
            format!("`#[{name}]` belongs on the method under `#[infer]`"),
        );
    }
    let Method {
        signature,
        mut helpers,
        parameters,
        ..
    } = infer?;
    helpers.retain(|helper| !is_role(helper));
    Some(Function {
        signature,
        helpers,
        parameters,
        state: Some(state),
    })
}

/// A function of the block, with its helpers apart.
#[derive(Debug)]
struct Method {
    signature: Signature,
    helpers: Vec<HelperAttribute>,
    parameters: Vec<Vec<HelperAttribute>>,
    /// Whether it depends on `#[cfg]`.
    conditional: bool,
}

impl Method {
    fn take(method: &mut ImplItemFn, root: &CratePath) -> Self {
        let found = Self {
            helpers: HelperAttribute::take(&mut method.attrs, root),
            parameters: HelperAttribute::take_parameters(&mut method.sig, root),
            signature: method.sig.clone(),
            conditional: method.attrs.iter().any(|attribute| {
                attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
            }),
        };
        if found.helpers.iter().any(is_role) {
            spell_out(&mut method.sig);
        }
        found
    }
}

fn is_role(helper: &HelperAttribute) -> bool {
    matches!(helper.helper, Helper::Infer | Helper::Load)
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
    role: Helper,
    block: &ItemImpl,
    methods: &[Method],
    errors: &mut Errors,
) -> Option<usize> {
    let name = role.name();
    let mut found = None;
    for (index, method) in methods.iter().enumerate() {
        for attribute in method.helpers.iter().filter(|helper| helper.helper == role) {
            attribute.options(&[], errors);
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
        let example = match role {
            Helper::Load => "#[load] fn load() -> Self",
            _ => "#[infer] fn infer(&self, x: ArrayView2<f32>) -> Array2<f32>",
        };
        let message = format!("`#[{name}]` is missing in this `impl` block: write `{example}`");
        errors.push(&block.self_ty, message);
    }
    found
}
