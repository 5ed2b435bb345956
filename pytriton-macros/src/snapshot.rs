use std::path::Path;

use proc_macro2::TokenStream;

/// Compares an expansion with `tests/expand/<name>.rs`; `UPDATE=1` writes the file.
pub(crate) fn assert_expansion(name: &str, expansion: TokenStream) {
    let file = syn::parse2(expansion).expect("the expansion parses");
    let got = prettyplease::unparse(&file);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/expand/{name}.rs"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &got).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("run with UPDATE=1 to write it");
    assert_eq!(
        got, expected,
        "{name}: run with UPDATE=1 and look at the difference"
    );
}

/// Returns the messages of an expansion's `compile_error!` invocations, in order.
pub(crate) fn messages(expansion: TokenStream) -> Vec<String> {
    let file: syn::File = syn::parse2(expansion).expect("the expansion parses");
    let items = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Macro(call) if call.mac.path.segments.last()?.ident == "compile_error" => {
            syn::parse2::<syn::LitStr>(call.mac.tokens).ok()
        }
        _ => None,
    });
    items.map(|message| message.value()).collect()
}
