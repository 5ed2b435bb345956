use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, ImplItemFn, Item, ItemFn, Signature, Visibility};

use super::block;
use super::lifetime::spell_out;
use super::state::State;
use crate::decorators::{Decoration, is_model};
use crate::docs::{docs, strip_parameters};
use crate::errors::Errors;
use crate::path::CratePath;

/// The function that processes requests, with its decorators.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) signature: Signature,
    pub(super) decorations: Vec<Decoration>,
    /// For each parameter of the signature.
    pub(super) parameters: Vec<Vec<Decoration>>,
    /// The doc comment of the function or of the block.
    pub(super) docs: String,
    /// Lint attributes of the function, which also apply to its registration.
    pub(super) lints: TokenStream,
    /// The visibility.
    pub(super) visibility: Visibility,
    /// The decorators that identify its method and the state's functions.
    pub(super) roles: Vec<Decoration>,
    /// The state, for a method.
    pub(super) state: Option<State>,
}

impl Function {
    /// Finds the function in an item. Returns it together with the item without its decorators.
    ///
    /// Function bodies are never parsed: the compiler reports errors in them.
    pub(super) fn find(
        tokens: TokenStream,
        root: &CratePath,
        errors: &mut Errors,
    ) -> (TokenStream, Option<Self>) {
        let (header, body) = split_body(tokens.clone());
        match syn::parse2::<Item>(header) {
            Ok(Item::Fn(mut function)) => {
                refuse_models(&mut function.attrs, root, errors);
                let found = Self::take(&mut function, root);
                (with_body(&function, &body), Some(found))
            }
            Ok(Item::Impl(mut block)) => {
                refuse_models(&mut block.attrs, root, errors);
                let mut members = members(body.map_or_else(TokenStream::new, |body| body.stream()));
                let found = block::find(&mut block, &mut members, root, errors);
                (with_body(&block, &quote!({ #(#members)* })), found)
            }
            other => {
                let message =
                    "`#[pytriton::model]` must be on a `fn` with a body or on an `impl` block";
                let mut tokens = Decoration::strip(tokens, root);
                match other {
                    Ok(Item::Verbatim(function)) => {
                        errors.push(function.into_token_stream(), message);
                        tokens = with_some_body(tokens);
                    }
                    Ok(item) => errors.push(keyword(&item), message),
                    // The compiler reports an invalid item.
                    Err(_) if body.is_some() => {}
                    Err(_) => errors.push_missing(message),
                }
                (tokens, None)
            }
        }
    }

    fn take(function: &mut ItemFn, root: &CratePath) -> Self {
        let found = Self {
            decorations: Decoration::take(&mut function.attrs, root),
            parameters: Decoration::take_parameters(&mut function.sig, root),
            signature: function.sig.clone(),
            docs: docs(&function.attrs),
            lints: lints(&function.attrs),
            visibility: function.vis.clone(),
            roles: Vec::new(),
            state: None,
        };
        strip_parameters(&mut function.sig);
        spell_out(&mut function.sig);
        found
    }
}

/// A part of an `impl` block.
#[derive(Debug)]
pub(super) enum Member {
    /// A function and its body; the body in the function is empty.
    Method(Box<ImplItemFn>, TokenTree),
    Other(TokenStream),
}

impl ToTokens for Member {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Method(method, body) => tokens.extend(with_body(method, body)),
            Self::Other(other) => other.to_tokens(tokens),
        }
    }
}

/// Returns the members of an `impl` block: a function ends with its body, any other member with a
/// semicolon.
fn members(tokens: TokenStream) -> Vec<Member> {
    let mut members = Vec::new();
    let mut member: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let ends = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
        let body =
            matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        member.push(token);
        if body {
            let (header, body) = split_body(member.iter().cloned().collect());
            if let (Ok(ImplItem::Fn(method)), Some(body)) = (syn::parse2(header), body) {
                members.push(Member::Method(Box::new(method), body.into()));
                member.clear();
            }
        } else if ends {
            members.push(Member::Other(member.drain(..).collect()));
        }
    }
    if !member.is_empty() {
        members.push(Member::Other(member.into_iter().collect()));
    }
    members
}

/// Splits an item into the item with an empty body, and its body.
fn split_body(tokens: TokenStream) -> (TokenStream, Option<Group>) {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let body = match tokens.last_mut() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
            empty.set_span(group.span());
            Some(std::mem::replace(group, empty))
        }
        _ => None,
    };
    (tokens.into_iter().collect(), body)
}

/// Restores the body of an item.
fn with_body(item: &impl ToTokens, body: &impl ToTokens) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.to_token_stream().into_iter().collect();
    tokens.pop();
    quote!(#(#tokens)* #body)
}

/// Returns the lint attributes for generated code. Other lints are not disabled, because a crate
/// may forbid that.
pub(super) fn lints(attributes: &[Attribute]) -> TokenStream {
    let mut lints = TokenStream::new();
    for attribute in attributes {
        let path = attribute.path();
        if path.is_ident("deprecated") {
            lints.extend(quote!(#[allow(deprecated)]));
        } else if (path.is_ident("allow") || path.is_ident("expect"))
            && let Ok(list) = attribute.meta.require_list()
        {
            let inside = &list.tokens;
            lints.extend(quote!(#[allow(#inside)]));
        }
    }
    lints
}

/// Returns whether the attribute may remove its item.
pub(super) fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// Adds a body that causes no further errors to a function without one.
fn with_some_body(function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    tokens.pop_if(|token| matches!(token, TokenTree::Punct(end) if end.as_char() == ';'));
    quote!(#(#tokens)* { loop {} })
}

fn refuse_models(attributes: &mut Vec<Attribute>, root: &CratePath, errors: &mut Errors) {
    let models = attributes.extract_if(.., |attribute| is_model(attribute, root));
    for model in models {
        errors.twice(model, "#[pytriton::model]");
    }
}

/// Returns the tokens of the item's keyword.
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
