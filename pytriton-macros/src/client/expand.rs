use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use pytriton_signature::{DataType, ModelSignature, TensorSignature};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token};

use super::file::File;
use super::names::{latest, type_name};
use crate::element::ELEMENTS;
use crate::errors::Errors;

/// The arguments: a file, then names of models and `crate = …`.
struct Call {
    file: LitStr,
    names: Vec<(LitStr, Ident)>,
    root: Option<Path>,
}

impl Parse for Call {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let file = input.parse().map_err(|error| {
            syn::Error::new(
                error.span(),
                "expected the path of a lock file: write `pytriton::client!(\"…\");`",
            )
        })?;
        let (mut names, mut root) = (Vec::new(), None);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                root = Some(input.parse()?);
                continue;
            }
            let model = input.parse().map_err(|error| {
                let message = "expected the name of a model: write `\"…\" = MyModel`";
                syn::Error::new(error.span(), message)
            })?;
            input.parse::<Token![=]>()?;
            names.push((model, input.parse()?));
        }
        Ok(Self { file, names, root })
    }
}

/// Generates a type for each model of the file, or the errors.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let at = tokens.clone().into_iter().next();
    let call = match syn::parse2::<Call>(tokens) {
        Ok(call) => call,
        Err(error) => {
            errors.push_error(error);
            return errors.into_tokens();
        }
    };
    let file = match File::read(&call.file.value()) {
        Ok(file) => file,
        Err(message) => {
            errors.push(&call.file, message);
            return errors.into_tokens();
        }
    };
    let span = at.as_ref().map_or_else(Span::call_site, TokenTree::span);
    let models = latest(&file.lock.models);
    for (index, (name, _)) in call.names.iter().enumerate() {
        let text = name.value();
        let mut before = call.names[..index].iter();
        if before.any(|(other, _)| other.value() == text) {
            let message = format!("`{text}` is listed twice: remove one");
            errors.push(name, message);
            continue;
        }
        match models.iter().find(|model| model.name == text) {
            None => {
                let message = format!(
                    "`{}` does not contain this model: remove this",
                    call.file.value()
                );
                errors.push(name, message);
            }
            Some(model) if !is_expressible(model) => {
                let message = format!(
                    "typed clients do not support `{text}`, because it has more than {MAX_TENSORS} inputs or outputs, no output, or arrays of more than {MAX_RANK} dimensions: remove this"
                );
                errors.push(name, message);
            }
            Some(_) => {}
        }
    }
    let mut types: Vec<(Ident, &ModelSignature)> = Vec::new();
    for model in models.into_iter().filter(|model| is_expressible(model)) {
        let mut given = call.names.iter();
        let given = given.find(|(name, _)| name.value() == model.name);
        let name = match given {
            Some((_, ident)) => Ok(ident.clone()),
            None => type_name(&model.name, span),
        };
        let name = name.and_then(|name| match types.iter().find(|(other, _)| *other == name) {
            Some((_, other)) => Err(format!(
                "models `{}` and `{}` have the same Rust name `{name}`: rename one here, `\"{}\" = Other{name}`",
                other.name, model.name, model.name
            )),
            None => Ok(name),
        });
        match name {
            Ok(name) => types.push((name, model)),
            Err(message) => errors.push(&call.file, message),
        }
    }
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let path = file.path.to_string_lossy();
    let root = call
        .root
        .map_or_else(|| quote!(::pytriton), |root| quote!(#root));
    let declarations = types.iter().map(|(name, model)| declaration(name, model));
    let implementations = types
        .iter()
        .map(|(name, model)| implementation(name, model));
    quote! {
        #(#declarations)*
        const _: () = {
            // Makes Cargo rebuild the types when the file changes.
            const _: &str = ::core::include_str!(#path);
            use #root::__typed;
            #(#implementations)*
        };
    }
}

/// The maximum number of inputs of a call, and of outputs in a tuple.
const MAX_TENSORS: usize = 16;
/// The maximum rank of an array.
const MAX_RANK: usize = 6;

/// Returns whether Rust types can express the model's signature.
fn is_expressible(model: &ModelSignature) -> bool {
    let mut tensors = model.inputs.iter().chain(&model.outputs);
    model.inputs.len() <= MAX_TENSORS
        && (1..=MAX_TENSORS).contains(&model.outputs.len())
        && tensors.all(|tensor| rank(model, tensor) <= MAX_RANK)
}

fn declaration(name: &Ident, model: &ModelSignature) -> TokenStream {
    let docs = format!("The model `{}`, for typed clients.", model.name);
    quote! {
        #[doc = #docs]
        #[derive(::core::fmt::Debug)]
        pub enum #name {}
    }
}

fn implementation(name: &Ident, model: &ModelSignature) -> TokenStream {
    let arguments = model.inputs.iter().map(|input| argument(model, input));
    let outputs = model
        .outputs
        .iter()
        .map(|output| output_type(model, output));
    let outputs: Vec<TokenStream> = outputs.collect();
    let outputs = match &outputs[..] {
        [one] => one.clone(),
        several => quote!((#(#several),*)),
    };
    let responses = format_ident!("{}", if model.decoupled { "Many" } else { "Once" });
    let (text, most, decoupled) = (&model.name, model.max_batch_size, model.decoupled);
    let sequences = model.sequences.then(|| quote!(.sequences()));
    let inputs = model.inputs.iter().map(tensor);
    let declared = model.outputs.iter().map(tensor);
    quote! {
        impl __typed::Model for #name {
            type Arguments = (#(fn(#arguments),)*);
            type Outputs = #outputs;
            type Responses = __typed::#responses;

            fn signature() -> __typed::ModelSignature {
                __typed::ModelSignature::new(#text, #most, #decoupled)
                    #sequences
                    #(.input(#inputs))*
                    #(.output(#declared))*
            }
        }
    }
}

/// Returns the expression that constructs a tensor's signature.
fn tensor(tensor: &TensorSignature) -> TokenStream {
    let (name, dims) = (&tensor.name, &tensor.dims);
    let datatype = format_ident!("{}", format!("{:?}", tensor.datatype));
    let optional = tensor.optional.then(|| quote!(.optional()));
    let first_value = tensor.first_value.then(|| quote!(.first_value()));
    quote! {
        __typed::TensorSignature::new(#name, __typed::DataType::#datatype, &[#(#dims),*])
            #optional
            #first_value
    }
}

/// Returns the argument type for an input.
fn argument(model: &ModelSignature, input: &TensorSignature) -> TokenStream {
    let one = input.first_value && input.dims.iter().all(|dim| *dim == 1);
    let ty = match one {
        true => element(input.datatype),
        false => array(model, input),
    };
    option_if_optional(input, ty)
}

/// Returns the type of an output.
fn output_type(model: &ModelSignature, output: &TensorSignature) -> TokenStream {
    option_if_optional(output, array(model, output))
}

/// Wraps the type of a tensor in an `Option` if the tensor is optional.
fn option_if_optional(tensor: &TensorSignature, ty: TokenStream) -> TokenStream {
    match tensor.optional {
        true => quote!(::core::option::Option<#ty>),
        false => ty,
    }
}

fn array(model: &ModelSignature, tensor: &TensorSignature) -> TokenStream {
    let element = element(tensor.datatype);
    let rank = format_ident!("Ix{}", rank(model, tensor));
    quote!(__typed::Array<#element, __typed::#rank>)
}

/// Returns the rank of the array, including the batch axis.
fn rank(model: &ModelSignature, tensor: &TensorSignature) -> usize {
    tensor.dims.len() + usize::from(model.batching() && !tensor.first_value)
}

/// Returns the Rust element type; `BYTES` elements need not be UTF-8.
fn element(datatype: DataType) -> TokenStream {
    let mut known = ELEMENTS.iter();
    match (datatype, known.find(|(_, name)| *name == datatype.name())) {
        (DataType::Fp16, _) => quote!(__typed::f16),
        (DataType::Bf16, _) => quote!(__typed::bf16),
        (DataType::Bytes, _) | (_, None) => quote!(::std::vec::Vec<u8>),
        (_, Some((element, _))) => format_ident!("{element}").to_token_stream(),
    }
}
