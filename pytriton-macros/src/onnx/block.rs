use proc_macro2::{Span, TokenStream};
use pytriton_signature::{DataType, ModelSignature, TensorSignature};
use quote::{format_ident, quote, quote_spanned};
use syn::ItemStruct;

use super::file::File;
use crate::docs::docs;
use crate::element::ELEMENTS;
use crate::model::ModelOptions;

/// Returns the model of a network as the user would write it: a state with a session.
pub(super) fn of(
    network: &ItemStruct,
    file: &File,
    signature: &ModelSignature,
    options: &ModelOptions,
) -> TokenStream {
    // Errors about the tensors are errors in the file.
    let span = Span::call_site().located_at(file.name.span());
    let (root, model) = (options.root.to_path(), options.name());
    let path = file.path.to_string_lossy();
    let batching = signature.batching();
    let docs = Some(docs(&network.attrs)).filter(|docs| !docs.is_empty());
    let docs = docs.map(|docs| quote!(#[doc = #docs]));
    let names: Vec<_> = (0..signature.inputs.len())
        .map(|index| format_ident!("input_{index}", span = span))
        .collect();
    let inputs = signature.inputs.iter().zip(&names).map(|(input, name)| {
        let ty = array(input, batching, "ArrayView", &quote!('_,), &root, span);
        let (text, dims) = (&input.name, &input.dims);
        quote_spanned!(span=> #[#root::input(name = #text, shape = [#(#dims),*])] #name: #ty)
    });
    let outputs = signature.outputs.iter().map(|output| {
        let (text, dims) = (&output.name, &output.dims);
        quote_spanned!(span=> #[#root::output(name = #text, shape = [#(#dims),*])])
    });
    let types = signature
        .outputs
        .iter()
        .map(|output| array(output, batching, "Array", &TokenStream::new(), &root, span));
    let types: Vec<TokenStream> = types.collect();
    let arrays = (0..types.len()).map(|index| quote!(::pytriton_onnx::array(&outputs[#index])?));
    let arrays: Vec<TokenStream> = arrays.collect();
    let (returned, arrays) = match (&types[..], &arrays[..]) {
        ([one], [array]) => (quote!(#one), quote!(#array)),
        _ => (quote!((#(#types),*)), quote!((#(#arrays),*))),
    };
    let batch = batching.then(|| quote_spanned!(span=> #[#root::batch]));
    quote_spanned! {span=>
        #docs
        impl __Network {
            #[#root::load]
            fn load() -> ::core::result::Result<Self, ::pytriton_onnx::Error> {
                // Cargo rebuilds the model when the file changes.
                static FILE: ::pytriton_onnx::Embedded =
                    ::pytriton_onnx::Embedded::new(::core::include_bytes!(#path), #batching);
                ::core::result::Result::Ok(Self(FILE.session()?))
            }
            #[#root::infer]
            #batch
            #(#outputs)*
            fn infer(
                &self,
                #(#inputs),*
            ) -> ::core::result::Result<#returned, #root::Error> {
                let outputs = self.0.run(&[#(::core::convert::Into::into(#names)),*]);
                let outputs = outputs.map_err(|error| match error.is_invalid_argument() {
                    true => #root::Error::invalid_argument(error),
                    false => {
                        error.log(#model);
                        #root::Error::internal(error)
                    }
                })?;
                ::core::result::Result::Ok(#arrays)
            }
        }
    }
}

/// Returns the declaration of the state.
pub(super) fn state() -> TokenStream {
    quote!(
        struct __Network(::std::sync::Arc<::pytriton_onnx::Session>);
    )
}

/// Returns the array type of a tensor.
fn array(
    tensor: &TensorSignature,
    batching: bool,
    name: &str,
    lifetime: &TokenStream,
    root: &TokenStream,
    span: Span,
) -> TokenStream {
    let rank = tensor.dims.len() + usize::from(batching);
    let name = format_ident!("{name}{rank}", span = span);
    let element = element(tensor.datatype, root, span);
    quote_spanned!(span=> #root::ndarray::#name<#lifetime #element>)
}

/// Returns the element type of an array of numbers or of `bool`.
fn element(datatype: DataType, root: &TokenStream, span: Span) -> TokenStream {
    let mut known = ELEMENTS.iter();
    let known = known.find(|(_, name)| *name == datatype.name());
    let element = format_ident!(
        "{}",
        known.map_or("u8", |(element, _)| *element),
        span = span
    );
    match datatype {
        DataType::Fp16 | DataType::Bf16 => quote_spanned!(span=> #root::#element),
        _ => quote_spanned!(span=> ::core::primitive::#element),
    }
}
