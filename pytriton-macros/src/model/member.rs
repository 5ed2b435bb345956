use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ImplItem, ImplItemFn};

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
pub(super) fn members(tokens: TokenStream) -> Vec<Member> {
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
pub(super) fn split_body(tokens: TokenStream) -> (TokenStream, Option<Group>) {
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
pub(super) fn with_body(item: &impl ToTokens, body: &impl ToTokens) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.to_token_stream().into_iter().collect();
    tokens.pop();
    quote!(#(#tokens)* #body)
}
