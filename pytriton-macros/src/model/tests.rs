use proc_macro2::TokenStream;
use quote::quote;

use super::expand;
use crate::snapshot::{assert_expansion, messages};

#[test]
fn model_client_expansions_match_the_golden_files() {
    let table: [(&str, TokenStream, TokenStream); 4] = [
        (
            "client_borrowed",
            quote!(name = "Borrowed", client = Borrowed),
            quote! {
                pub fn borrowed<'a>(x: ArrayView2<'a, f32>, p: &'a Parameters) -> Result<Lent<'a>, &str> { f() }
            },
        ),
        (
            "client_function",
            quote!(name = "Linear", client = Linear),
            quote! {
                #[fill_optionals(bias = 0.0)]
                #[batch]
                #[output(name = "y")]
                pub(crate) fn linear(
                    context: &Context,
                    x: ArrayView2<'_, f32>,
                    #[first_value] scale: f32,
                    bias: ArrayView2<f32>,
                ) -> Result<Array2<f32>, String> { f() }
            },
        ),
        (
            "client_stream",
            quote!(name = "Down", batching = false, client = CountDown),
            quote! {
                fn down(from: Option<ArrayView1<i32>>, responses: &Responses<Both>) { f() }
            },
        ),
        (
            "client_impl",
            quote!(name = "State", client = State),
            quote! {
                impl State {
                    #[load]
                    fn load() -> Self { f() }

                    #[infer]
                    pub fn infer(&self, #[sequence] sum: &mut i64, x: ArrayView2<i64>) -> impl Iterator<Item = Array2<i64>> { f() }
                }
            },
        ),
    ];
    for (name, attribute, item) in table {
        assert_expansion(name, expand(attribute, item));
    }
}

/// Editors use the expansion for completion.
#[test]
fn function_body_is_kept_on_errors() {
    let bodies = [
        quote!({ x. }),
        quote!({ x.dot(& ) * }),
        quote!({ let y = x.map(|value| value. ); y }),
        quote!({ match x { Some() => } let }),
        quote!({ Array2:: }),
        quote!({ if x.is_empty() { return Err() } else }),
    ];
    for body in &bodies {
        let items = [
            quote!(#[batch] fn f(x: ArrayView2<f32>) -> Array2<f32> #body),
            quote!(async fn f(x: ArrayView2<f32>) -> Array2<f32> #body),
            quote! {
                impl State {
                    #[load]
                    fn load() -> Self #body

                    #[infer]
                    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> #body
                }
            },
        ];
        for item in items {
            let bodies = item.to_string().matches(&body.to_string()).count();
            // An error elsewhere does not change it.
            for attribute in [quote!(name = "M"), quote!(name = 7, bacthing)] {
                let made = expand(attribute, item.clone()).to_string();
                let count = made.matches(&body.to_string()).count();
                assert_eq!(count, bodies, "{made}");
            }
            let made = expand(quote!(name = "M"), item).to_string();
            assert!(!made.contains("compile_error"), "{made}");
            assert!(made.contains("submit"), "{made}");
        }
    }
}

#[test]
fn expansions_match_the_golden_files() {
    let linear = quote!(name = "Linear");
    let table: [(&str, TokenStream, TokenStream); 16] = [
        (
            "plain",
            quote!(name = "Plain", batching = false),
            quote! {
                /// Doc comments stay.
                pub fn plain(x: ArrayView1<f32>, y: Option<Array1<Vec<u8>>>) -> Array1<f32> { f(x, y) }
            },
        ),
        (
            "batch",
            quote!(
                name = "Batch",
                max_batch_size = 8,
                max_call_microseconds = 5_000_000,
                preferred_batch_size = [4, 8],
                timeout_action = "delay"
            ),
            quote! {
                #[batch]
                #[output(name = "y", shape = [3])]
                fn batch(#[input(name = "INPUT_1", shape = [-1, 3])] x: ndarray::ArrayView3<'_, u8>) -> Array2<u8> { f(x) }
            },
        ),
        (
            "cost",
            quote!(name = "Embed", max_batch_cost = 16384),
            quote! {
                #[batch]
                #[cost(tokens)]
                fn embed(tokens: ArrayView2<i64>, mask: ArrayView2<i64>) -> Array2<f32> { f(tokens, mask) }
            },
        ),
        (
            "fields",
            quote!(name = "Fields", client = Fields),
            quote! {
                #[batch]
                fn fields(x: ArrayView2<f32>, sample: Sample<'_>, scale: Scale) -> Array2<f32> { f() }
            },
        ),
        (
            "first_value",
            linear.clone(),
            quote! {
                #[batch]
                fn linear(
                    x: ArrayView2<f32>,
                    #[first_value] scale: f32,
                    #[first_value(strict = false)] weights: Option<ArrayView2<f32>>,
                    parameters: &Parameters,
                ) -> Array2<f32> { f() }
            },
        ),
        (
            "async",
            linear.clone(),
            quote! {
                async fn linear(x: ArrayView2<f32>, context: &Context) -> Array2<f32> { f(x).await }
            },
        ),
        (
            "openai",
            linear.clone(),
            quote! {
                #[openai(completions)]
                fn linear(prompt: String, max_tokens: Option<i64>) -> impl Iterator<Item = Piece> { f(prompt) }
            },
        ),
        (
            "openai_embeddings",
            linear.clone(),
            quote! {
                #[openai(embeddings)]
                #[cost(texts)]
                fn linear(texts: Vec<String>) -> Array2<f32> { f(texts) }
            },
        ),
        (
            "result",
            linear.clone(),
            quote! {
                #[batch]
                fn linear(x: ArrayView2<f32>) -> Result<(Array2<f32>, Array2<i64>), Error> { f(x) }
            },
        ),
        (
            "raw",
            quote!(name = "Raw", dynamic_batching = false),
            quote! {
                #[input(name = "x", datatype = FP32, shape = [-1])]
                #[input(name = "label", datatype = BYTES, shape = [1], optional = true)]
                fn raw(requests: &[Request]) -> Vec<Array2<f32>> { f(requests) }
            },
        ),
        (
            "impl",
            quote!(
                name = "State",
                instances = 2,
                response_cache = true,
                parameters(weights = "/w", "a.b" = "")
            ),
            quote! {
                impl State {
                    #[load]
                    fn load(context: &Context) -> Result<Self, Error> { f() }
                    #[infer]
                    #[batch]
                    fn infer(
                        &self,
                        /// The returned
                        /// values.
                        x: ArrayView2<f32>,
                    ) -> Array2<f32> {
                        f(x)
                    }
                    fn other(&self) {}
                }
            },
        ),
        (
            "inline",
            quote!(name = "Counter", inline = true, instances = 2),
            quote! {
                impl Counter {
                    #[load]
                    fn load() -> Self { f() }
                    #[infer]
                    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> { f(x) }
                }
            },
        ),
        (
            "priorities",
            quote!(
                name = "Urgent",
                priority_levels = 3,
                default_priority_level = 2,
                priority_queue_policy(level = 1, default_timeout_microseconds = 1_000),
                priority_queue_policy(level = 3, max_queue_size = 4, timeout_action = "delay"),
            ),
            quote! {
                #[batch]
                fn urgent(x: ArrayView2<f32>) -> Array2<f32> { f(x) }
            },
        ),
        (
            "sequence",
            quote!(
                name = "Sum",
                sequence_batching = oldest,
                max_candidate_sequences = 64,
                max_sequence_idle_microseconds = 5_000_000
            ),
            quote! {
                fn sum(#[sequence] sum: &mut f32, sequence: &Sequence, x: ArrayView2<f32>) -> Array2<f32> {
                    f(sum, x)
                }
            },
        ),
        (
            "sequence_impl",
            quote!(name = "Running"),
            quote! {
                impl State {
                    #[load]
                    fn load() -> Self { f() }
                    #[sequence]
                    fn start(&self, sequence: &Sequence) -> Result<Sums, Error> { f(sequence) }
                    #[infer]
                    #[batch]
                    async fn infer(&self, x: ArrayView2<f32>, #[sequence] sums: &mut [&mut Sums]) -> Array2<f32> {
                        f(sums, x).await
                    }
                }
            },
        ),
        (
            "crate_path",
            quote!(name = "Renamed", crate = crate::served::pytriton),
            quote! {
                #[crate::served::pytriton::batch]
                fn renamed(x: ArrayView2<f32>) -> Array2<f32> { f(x) }
            },
        ),
    ];
    for (name, attribute, item) in table {
        assert_expansion(name, expand(attribute, item));
    }
}

#[test]
fn name_without_typed_client_is_rejected() {
    let table: [(TokenStream, TokenStream, &str); 3] = [
        (
            quote!(Raw),
            quote! {
                #[input(name = "x", datatype = FP32, shape = [1])]
                fn raw(requests: &[Request]) -> Vec<Array2<f32>> { f() }
            },
            "a function that takes `&[Request]` has no typed client: remove `client`",
        ),
        (
            quote!(Text),
            quote! {
                #[openai(completions)]
                fn text(prompt: String) -> String { f() }
            },
            "a function that has `#[openai]` has no typed client: remove `client`",
        ),
        (
            quote!(bf16),
            quote!(
                fn linear(x: ArrayView2<f32>) -> Array2<f32> {
                    f(x)
                }
            ),
            "`bf16` is the name of a standard Rust type: write `client = MyModel`",
        ),
    ];
    for (name, item, expected) in table {
        let attribute = quote!(name = "Model", client = #name);
        assert_eq!(messages(expand(attribute, item)), [expected]);
    }
}

#[test]
fn unknown_option_value_is_rejected() {
    let data = "expected `zero`, `random` or `file(\"…\")`, with dims if the input's are variable: `zero([128])`, `file(\"…\", [128])`";
    let strategy =
        "expected a strategy: write `sequence_batching = direct` or `sequence_batching = oldest`";
    let table: [(TokenStream, TokenStream, &str); 4] = [
        (quote!(), quote!(ünit), data),
        (quote!(), quote!(r#zero), data),
        (
            quote!(, sequence_batching = direct()),
            quote!(zero),
            strategy,
        ),
        (
            quote!(, sequence_batching = a::direct),
            quote!(zero),
            strategy,
        ),
    ];
    for (option, word, expected) in table {
        let item = quote! {
            #[warmup(name = "one", inputs(x = #word))]
            fn linear(x: ArrayView2<f32>) -> Array2<f32> { f(x) }
        };
        let expansion = expand(quote!(name = "Linear" #option), item);
        assert_eq!(messages(expansion), [expected]);
    }
}

#[test]
fn all_errors_are_reported_and_the_function_is_kept() {
    let attribute = quote!(nam = "x", instances = 0);
    let item = quote! {
        #[batch]
        #[batch]
        fn f<T>(x: ArrayView1<f32>, _: f32, y: ArrayView2<u128>) {}
    };
    let expansion = expand(attribute, item);
    let text = expansion.to_string();
    assert!(text.starts_with("fn f < T >"), "{text}");
    let expected = [
        "unknown option `nam`; did you mean `name`?",
        "a model's function must not be generic: write the types, such as `ArrayView2<f32>`",
        "`#[batch]` is given twice: remove one",
        "`f32` is one value for the whole batch: write `#[first_value]` before it, or take an array such as `ArrayView2<f32>`",
        "`u128` cannot be an element of a tensor: write `u64`",
        "`f` returns nothing: write `-> Array2<f32>`",
    ];
    assert_eq!(messages(expansion), expected);
}
