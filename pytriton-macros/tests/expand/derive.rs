const _: () = {
    use ::pytriton::__private;
    const __FIELD_0: __private::OutputField<Array2<f32>> = __private::output_field::<
        Array2<f32>,
    >("sum");
    const __FIELD_1: __private::OutputField<ndarray::ArrayD<String>> = __private::output_field::<
        ndarray::ArrayD<String>,
    >("text");
    const _: () = __private::refuse(__private::tensor_name_flaw("sum"));
    const _: () = __private::refuse(__private::tensor_name_flaw("text"));
    const _: () = __private::refuse(__private::dimension_flaw(1));
    const _: () = __private::refuse(__FIELD_1.shape_flaw(&[1]));
    impl __private::Outputs for Both {
        const DECLARATIONS: &'static [__private::TensorDeclaration] = &[
            __FIELD_0.declaration(::core::option::Option::None).described("The sum."),
            __FIELD_1
                .declaration(::core::option::Option::Some(&[1]))
                .labelled(include_str!("labels.txt")),
        ];
        fn into_tensors(
            self,
            __model: &__private::ModelSpec,
        ) -> ::core::result::Result<
            ::std::vec::Vec<__private::Tensor>,
            __private::ModelError,
        > {
            ::core::result::Result::Ok(
                ::std::vec![
                    __FIELD_0.convert(self.sum, __model, 0usize) ?, __FIELD_1
                    .convert(self.r#type, __model, 1usize) ?
                ],
            )
        }
    }
};
