//! The parts of a registration.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::path::CratePath;
use crate::tensor::optional;

use super::args::DynamicBatching;
use super::ast::{Input, OutputOverride, Source};
use super::priorities::Priorities;
use super::queue_policy::QueuePolicy;

/// The constant that knows the type of an input.
pub(super) fn constant(input: usize) -> Ident {
    format_ident!("__INPUT_{input}")
}

/// The variable that holds an input. Parameters' own names could be those of functions that are called.
pub(super) fn local(input: usize) -> Ident {
    format_ident!("__input_{input}")
}

impl Input {
    /// The constant that knows the input's type; none for an input that `#[input]` declares.
    pub(super) fn to_type(&self, constant: &Ident, root: &CratePath) -> TokenStream {
        match &self.source {
            Source::Array { array, .. } => {
                let element = &array.element;
                let dimension = match array.rank {
                    Some(rank) => format_ident!("Ix{rank}"),
                    None => format_ident!("IxDyn"),
                };
                let dimension = quote!(#root::ndarray::#dimension);
                let bound = quote_spanned!(element.span()=> array_input::<#element, #dimension>());
                quote!(const #constant: #root::ArrayInput<#element, #dimension> = #root::#bound;)
            }
            Source::Scalar { element } => {
                let bound = quote_spanned!(element.span()=> scalar_input::<#element>());
                quote!(const #constant: #root::ScalarInput<#element> = #root::#bound;)
            }
            Source::Declared { .. } => TokenStream::new(),
        }
    }

    /// The statement that reads the input; none for an input of a raw function.
    pub(super) fn to_read(&self, index: usize) -> Option<TokenStream> {
        let (constant, local) = (constant(index), local(index));
        let read = match (&self.source, self.optional) {
            (Source::Declared { .. }, _) => return None,
            (_, true) => quote!(read_optional),
            (_, false) => quote!(read),
        };
        Some(quote!(let #local = #constant.#read(__call, #index)?;))
    }

    /// The argument that the input becomes.
    pub(super) fn to_argument(&self, local: &Ident) -> TokenStream {
        let Source::Array { array, .. } = &self.source else {
            return quote!(#local);
        };
        match (array.view, self.optional) {
            (true, false) => quote!(#local.view()),
            (false, false) => quote!(#local.into_owned()),
            (true, true) => quote!(#local.as_ref().map(|__array| __array.view())),
            (false, true) => quote!(#local.map(|__array| __array.into_owned())),
        }
    }

    pub(super) fn to_declaration(&self, constant: &Ident, root: &CratePath) -> TokenStream {
        let Self {
            name,
            optional: is_optional,
            ..
        } = self;
        match &self.source {
            Source::Array { rank, .. } => {
                let rank = optional(rank.as_ref());
                let shape = optional(self.shape.as_ref());
                quote!(#constant.declaration(#name, #rank, #shape, #is_optional))
            }
            Source::Scalar { .. } => {
                let shape = match &self.shape {
                    Some(shape) => shape.to_token_stream(),
                    None => quote!(&[1]),
                };
                quote!(#constant.declaration(#name, #shape, #is_optional))
            }
            Source::Declared { datatype } => {
                let shape = optional(self.shape.as_ref());
                let none = optional(None::<TokenStream>);
                quote! {
                    #root::TensorDeclaration {
                        name: #name,
                        datatype: #root::DataType::#datatype,
                        rank: #none,
                        shape: #shape,
                        optional: #is_optional,
                    }
                }
            }
        }
    }
}

impl OutputOverride {
    pub(super) fn to_tokens(&self, root: &CratePath) -> TokenStream {
        let name = optional(self.name.as_ref());
        let shape = optional(self.shape.as_ref());
        quote!(#root::OutputOverride { name: #name, shape: #shape })
    }
}

impl DynamicBatching {
    pub(super) fn to_tokens(&self, root: &CratePath) -> TokenStream {
        let Self {
            preferred_batch_size,
            max_queue_delay_microseconds,
            preserve_ordering,
            queue_policy,
            priorities,
        } = self;
        let queue_policy = queue_policy.to_tokens(root);
        let priorities = priorities
            .as_ref()
            .map(|priorities| priorities.to_tokens(root));
        let priorities = optional(priorities.as_ref());
        quote! {
            #root::DynamicBatchingDeclaration {
                preferred_batch_size: &[#(#preferred_batch_size),*],
                max_queue_delay_microseconds: #max_queue_delay_microseconds,
                preserve_ordering: #preserve_ordering,
                queue_policy: #queue_policy,
                priorities: #priorities,
            }
        }
    }
}

impl QueuePolicy {
    fn to_tokens(&self, root: &CratePath) -> TokenStream {
        let Self {
            max_queue_size,
            default_timeout_microseconds,
            delay,
            allow_timeout_override,
        } = self;
        let action = if *delay {
            quote!(Delay)
        } else {
            quote!(Reject)
        };
        quote! {
            #root::QueuePolicy {
                timeout_action: #root::TimeoutAction::#action,
                default_timeout_microseconds: #default_timeout_microseconds,
                allow_timeout_override: #allow_timeout_override,
                max_queue_size: #max_queue_size,
            }
        }
    }
}

impl Priorities {
    fn to_tokens(&self, root: &CratePath) -> TokenStream {
        let Self {
            levels,
            default_level,
            queue_policies,
        } = self;
        let queue_policies = queue_policies.iter().map(|(level, policy)| {
            let policy = policy.to_tokens(root);
            quote!((#level, #policy))
        });
        quote! {
            #root::PrioritiesDeclaration {
                levels: #levels,
                default_level: #default_level,
                queue_policies: &[#(#queue_policies),*],
            }
        }
    }
}
