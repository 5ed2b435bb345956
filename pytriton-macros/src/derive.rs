//! Structs whose fields are inputs or outputs.

use quote::ToTokens;
use syn::{Attribute, Data, DeriveInput, Field, Fields, GenericParam};

use crate::decorators::{Decoration, Decorator};
use crate::errors::Errors;
use crate::path::CratePath;

/// A derive macro for such structs.
#[derive(Debug)]
pub(crate) struct Derive {
    pub(crate) name: &'static str,
    /// The decorator of its fields.
    pub(crate) decorator: &'static Decorator,
    /// The noun for the fields, in messages.
    pub(crate) what: &'static str,
    /// Whether the struct may have lifetimes.
    pub(crate) borrows: bool,
    /// A field, for messages.
    pub(crate) field: &'static str,
    /// The reason why there must be a field.
    pub(crate) empty: &'static str,
}

impl Derive {
    /// Returns the path of `pytriton` from the option `crate` of the decorator on the struct.
    pub(crate) fn root(&self, input: &DeriveInput, errors: &mut Errors) -> CratePath {
        let Some(decoration) = self.decoration(&input.attrs, errors) else {
            return CratePath::default();
        };
        let mut unread = Errors::default();
        let mut known = vec!["crate"];
        known.extend(self.decorator.options);
        let options = decoration.options_of(&known, &mut unread);
        if options.only("crate") && unread.is_empty() {
            return CratePath::take(&options, errors);
        }
        let name = decoration.name();
        let message = format!(
            "`#[{name}]` belongs on a field; on the struct it only supports `crate = my_crate::pytriton`"
        );
        errors.push(decoration, message);
        CratePath::take(&options, errors)
    }

    /// Returns the fields of a struct that is not generic.
    pub(crate) fn fields<'a>(&self, input: &'a DeriveInput, errors: &mut Errors) -> Vec<&'a Field> {
        let Self {
            name,
            what,
            field,
            empty,
            ..
        } = self;
        let allowed = |parameter| self.borrows && matches!(parameter, &GenericParam::Lifetime(_));
        if !input.generics.params.iter().all(allowed) {
            let message = format!(
                "a struct of {what} must not be generic: write the types, such as `Array2<f32>`"
            );
            errors.push(&input.generics, message);
        }
        let fields = match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => Ok(&fields.named),
                Fields::Unnamed(fields) => Err(fields.to_token_stream()),
                Fields::Unit => Err(input.ident.to_token_stream()),
            },
            Data::Enum(data) => Err(data.enum_token.to_token_stream()),
            Data::Union(data) => Err(data.union_token.to_token_stream()),
        };
        match fields {
            Ok(fields) if fields.is_empty() => {
                let message = format!("{empty}: add a field such as `{field}: Array2<f32>`");
                errors.push(&input.ident, message);
                Vec::new()
            }
            Ok(fields) => fields.iter().collect(),
            Err(other) => {
                let message = format!(
                    "`{name}` needs a struct with named fields: write `struct … {{ {field}: Array2<f32> }}`"
                );
                errors.push(other, message);
                Vec::new()
            }
        }
    }

    /// Returns the single decorator among the attributes.
    pub(crate) fn decoration(
        &self,
        attributes: &[Attribute],
        errors: &mut Errors,
    ) -> Option<Decoration> {
        let found = Decoration::take(&mut attributes.to_vec(), &CratePath::default());
        let mut found = found.into_iter().filter(|found| found.is(self.decorator));
        let first = found.next();
        found.for_each(|second| second.twice(errors));
        first
    }
}
