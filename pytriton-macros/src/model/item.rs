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

/// The function that answers requests, with its decorators apart.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) signature: Signature,
    pub(super) decorations: Vec<Decoration>,
    /// For each of the signature's inputs.
    pub(super) parameters: Vec<Vec<Decoration>>,
    /// The doc comment of the function, or of the block.
    pub(super) docs: String,
    /// The lints that are off in it, as its registration names what it names.
    pub(super) lints: TokenStream,
    /// Who may call it.
    pub(super) visibility: Visibility,
    /// What says which methods it and its state are made of.
    pub(super) roles: Vec<Decoration>,
    /// For a method, what it is called on.
    pub(super) state: Option<State>,
}

impl Function {
    /// Finds the function of an item and returns it beside the item without its decorators.
    ///
    /// Bodies are never read: what is wrong in them, or half written, is the compiler's to tell.
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
                    "`#[pytriton::model]` must stand on a `fn` with a body or on an `impl` block";
                let mut tokens = Decoration::strip(tokens, root);
                match other {
                    Ok(Item::Verbatim(function)) => {
                        errors.push(function.into_token_stream(), message);
                        tokens = with_some_body(tokens);
                    }
                    Ok(item) => errors.push(keyword(&item), message),
                    // The compiler has an error of its own for what is no item.
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
    /// A function; its own body is empty.
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

/// The members of an `impl` block: a function ends with its body, everything else with a semicolon.
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

/// An item with an empty body in the place of its own, which stands last.
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

/// An item whose body is empty, with this one.
fn with_body(item: &impl ToTokens, body: &impl ToTokens) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.to_token_stream().into_iter().collect();
    tokens.pop();
    quote!(#(#tokens)* #body)
}

/// What turns the same lints off for generated code. Otherwise none is, as a crate may forbid it.
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

/// Whether what is under the attribute may not be there.
pub(super) fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
}

/// A function without a body, with one that causes no further error.
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
