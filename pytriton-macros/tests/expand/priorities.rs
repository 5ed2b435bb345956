fn urgent(x: ArrayView2<f32>) -> Array2<f32> {
    f(x)
}
const _: () = {
    use ::pytriton::__private;
    #[batch(__taken)]
    const _: () = ();
    use __private::methods::*;
    static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
        name: "Urgent",
        priority_levels: 3,
        default_priority_level: 2,
        priority_queue_policy: &[
            (
                1,
                {
                    let mut __options = __private::QueuePolicy::DEFAULT;
                    __options.default_timeout_microseconds = 1_000;
                    __options
                },
            ),
            (
                3,
                {
                    let mut __options = __private::QueuePolicy::DEFAULT;
                    __options.max_queue_size = 4;
                    __options.timeout_action = __private::timeout_action("delay");
                    __options
                },
            ),
        ],
        ..__private::ModelOptions::DEFAULT
    };
    const _: () = __private::refuse(__private::timeout_action_flaw("delay"));
    const __VALID: bool = __private::all_valid(
        &[
            __OPTIONS.flaw("name"),
            __OPTIONS.flaw("priority_levels"),
            __OPTIONS.flaw("default_priority_level"),
            __private::timeout_action_flaw("delay"),
        ],
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("name")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("priority_levels")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("default_priority_level")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.conflict("priority_queue_policy")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.level_flaw(0usize, "level")),
    );
    const _: () = __private::refuse(
        __private::violation_if(
            __VALID,
            __OPTIONS.level_flaw(0usize, "default_timeout_microseconds"),
        ),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.level_flaw(1usize, "level")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.level_flaw(1usize, "max_queue_size")),
    );
    const _: () = __private::refuse(
        __private::violation_if(__VALID, __OPTIONS.level_flaw(1usize, "timeout_action")),
    );
    static __SIGNATURE: __private::Signature = __private::Signature {
        arguments: &[
            __private::Argument::new(
                <ArrayView2<f32> as __private::Parameter>::DECLARED,
                ::core::option::Option::Some("x"),
            ),
        ],
        batch: true,
        decorated: true,
        decoupled: false,
        declared: &[],
    };
    const __OUTPUTS: &[__private::TensorDeclaration] = {
        __private::ReturnCheck::<false>::outputs::<Array2<f32>>();
        __private::Returns::<Array2<f32>, false>::DECLARATIONS
    };
    const _: () = {
        __private::refuse(__OPTIONS.flaw("name"));
        __private::refuse(__OPTIONS.flaw("priority_levels"));
        __private::refuse(__OPTIONS.flaw("default_priority_level"));
        __private::refuse_outputs(__OUTPUTS, &[], __OPTIONS.batching);
        __private::refuse(__SIGNATURE.plain_flaw(&__OPTIONS))
    };
    fn __called(__state: &(), __call: &__private::Call<'_>) -> __private::CallResult {
        let __argument_0 = __private::Reader::<ArrayView2<f32>>::NEW
            .read(__call, 0usize)?;
        let __returned = urgent(__argument_0.argument());
        __private::ReturnValue::<_, false>(__returned).convert(__call)
    }
    __private::inventory::submit! {
        __private::FunctionDeclaration { options : & __OPTIONS, signature : &
        __SIGNATURE, outputs : __OUTPUTS, output_overrides : & [], steps : & [], warmups
        : & [], load :
        __private::Loading::Stateless(__private::Calling::AtOnce(__called)),
        load_parameters : & [], location : __private::Location::here("pytriton-macros"),
        }
    }
};
