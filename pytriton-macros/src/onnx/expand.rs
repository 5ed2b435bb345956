use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use super::file::File;
use super::{block, network};
use crate::errors::Errors;
use crate::model::{Attribute, ModelOptions, expand_with};

/// The attribute. Its struct is the type for clients, and networks have no sequences and no
/// `#[cost]`.
const ONNX: Attribute = Attribute {
    name: "#[pytriton::onnx]",
    usage: "#[pytriton::onnx(\"…\", name = \"…\")]",
    excluded: &[
        "client",
        "max_batch_cost",
        "sequence_batching",
        "max_sequence_idle_microseconds",
        "minimum_slot_utilization",
        "max_candidate_sequences",
    ],
};

/// Returns the struct, followed by the registration of its model or by all errors.
pub(crate) fn expand(attribute: TokenStream, mut item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let model = model(attribute, &item, &mut errors);
    item.extend(match model {
        Some(model) if errors.is_empty() => model,
        _ => errors.into_tokens(),
    });
    item
}

/// Returns the model; `None` if there are errors.
fn model(attribute: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let network = network::find(item, errors);
    let (name, options) = match arguments.parse2(attribute) {
        Ok(arguments) => arguments,
        Err(error) => {
            errors.push_error(error);
            return None;
        }
    };
    let mut options = ModelOptions::parse(&ONNX, options, errors);
    let file = File::read(name, errors)?;
    let batching = batching(&mut options, &file, errors)?;
    let signature = file.signature(batching, errors)?;
    let network = network.filter(|_| errors.is_empty())?;
    let name = &network.ident;
    options.set_client(name.clone());
    let block = block::of(&network, &file, &signature, &options);
    let model = expand_with(options, block, Errors::default());
    let state = block::state();
    Some(quote! {
        const _: () = {
            // Otherwise the compiler would warn about a struct that is never constructed.
            const _: #name = #name;
            #state
            #model
        };
    })
}

/// Parses the path of the file and the tokens of the options.
fn arguments(input: ParseStream<'_>) -> syn::Result<(LitStr, TokenStream)> {
    let file = input.parse().map_err(|error| {
        let message = "expected the path of an ONNX file: write `#[pytriton::onnx(\"model.onnx\", name = \"…\")]`";
        syn::Error::new(error.span(), message)
    })?;
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok((file, input.parse()?))
}

/// Returns whether axis 0 of each tensor is the batch: as the option `batching` says, or as the
/// file shows without it. `None` if the options contradict the file.
fn batching(options: &mut ModelOptions, file: &File, errors: &mut Errors) -> Option<bool> {
    if let Some(key) = options.key("batching") {
        let batching = options.batching();
        if let (true, Err(flaw)) = (batching, file.graph.symbolic_axis()) {
            let message = format!("the network has no batch axis: {flaw}");
            errors.push(key, message);
            return None;
        }
        return Some(batching);
    }
    let Err(flaw) = file.graph.batch_axis() else {
        return Some(true);
    };
    let help = match file.graph.symbolic_axis() {
        Ok(()) => "write `batching = true` if it is one, or remove this",
        Err(_) => "remove this",
    };
    let before = errors.len();
    for key in options.batching_keys() {
        let message =
            format!("this option needs a batch, and axis 0 is not known to be one: {flaw}: {help}");
        errors.push(key, message);
    }
    if errors.len() > before {
        return None;
    }
    options.disable_batching();
    Some(false)
}
