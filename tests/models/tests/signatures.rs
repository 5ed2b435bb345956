//! The signature in a typed client that was compiled with a model equals the one that the server
//! writes to a signature file.

use pytriton::__private::{FunctionDeclaration, callers_signature, inventory};
use triton_test_models as _;

#[test]
fn typed_client_matches_the_signature_file() {
    let mut models = 0;
    for function in inventory::iter::<FunctionDeclaration>() {
        let spec = function.registration(&[]).unwrap().spec;
        // OpenAI models have no typed clients.
        if spec.openai.is_some() {
            continue;
        }
        let compiled = callers_signature(
            function.options,
            function.signature,
            function.outputs,
            function.output_overrides,
        );
        assert_eq!(compiled, spec.signature());
        models += 1;
    }
    assert!(models > 50, "{models}");
}
