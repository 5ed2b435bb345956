const _: () = {
    use ::pytriton::__private;
    const __FIELD_0: __private::OutputField<Array2<f32>> = __private::output_field::<
        Array2<f32>,
    >("sum");
    const __FIELD_1: __private::OutputField<ndarray::ArrayD<String>> = __private::output_field::<
        ndarray::ArrayD<String>,
    >("text");
    const __FIELD_2: __private::OutputField<Option<Array2<u8>>> = __private::output_field::<
        Option<Array2<u8>>,
    >("extra");
    const _: () = __private::refuse(__private::tensor_name_flaw("sum"));
    const _: () = __private::refuse(__private::tensor_name_flaw("text"));
    const _: () = __private::refuse(__private::dimension_flaw(1));
    const _: () = __private::refuse(__FIELD_1.shape_flaw(&[1]));
    const _: () = __private::refuse(
        __FIELD_1
            .labels_flaw(::core::option::Option::Some(&[1]), include_str!("labels.txt")),
    );
    const _: () = __private::refuse(__private::tensor_name_flaw("extra"));
    impl __private::Outputs for Both {
        const DECLARATIONS: &'static [__private::TensorDeclaration] = &[
            __FIELD_0.declaration(::core::option::Option::None).described("The sum."),
            __FIELD_1
                .declaration(::core::option::Option::Some(&[1]))
                .labelled(include_str!("labels.txt")),
            __FIELD_2.declaration(::core::option::Option::None),
        ];
        fn into_parts(
            self,
            mut __writer: __private::OutputWriter<'_>,
        ) -> ::core::result::Result<__private::ResponseParts, __private::ModelError> {
            __FIELD_0.write(self.sum, &mut __writer);
            __FIELD_1.write(self.r#type, &mut __writer);
            __FIELD_2.write(self.extra, &mut __writer);
            __writer.finish()
        }
    }
    impl __private::typed::Returned for Both {
        type Typed = Self;
        fn read(
            __tensors: &mut __private::typed::Tensors<'_>,
        ) -> ::core::result::Result<Self, __private::typed::TensorError> {
            ::core::result::Result::Ok(Self {
                sum: __FIELD_0.read(__tensors)?,
                r#type: __FIELD_1.read(__tensors)?,
                extra: __FIELD_2.read(__tensors)?,
            })
        }
    }
};
