//! Each output is the input in the same position, after a delay.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// `identity!(name, function, datatype, shape; options; delay in milliseconds)`: one input of rank
/// one, with a batch axis.
macro_rules! identity {
    ($name:literal, $function:ident, $element:ty, $dim:literal) => {
        identity!($name, $function, $element, $dim, 0, max_batch_size = 8);
    };
    ($name:literal, $function:ident, $element:ty, $dim:literal, $delay:literal, $($options:tt)*) => {
        #[pytriton::model(name = $name, $($options)*)]
        #[batch]
        #[output(name = "OUTPUT0", shape = [$dim])]
        fn $function(
            #[input(name = "INPUT0", shape = [$dim])] input: ArrayView2<$element>,
        ) -> Array2<$element> {
            thread::sleep(Duration::from_millis($delay));
            input.to_owned()
        }
    };
}

// Client examples.
identity!("simple_identity", simple_identity, Vec<u8>, -1);
identity!("simple_sequence", simple_sequence, i32, 1);
identity!("simple_dyna_sequence", simple_dyna_sequence, i32, 1);
identity!(
    "simple_string_dyna_sequence",
    simple_string_dyna_sequence,
    i32,
    1
);

#[pytriton::model(name = "inception_graphdef", max_batch_size = 8)]
#[batch]
#[output(name = "OUTPUT0", shape = [299, 299, 3])]
fn inception(
    #[input(name = "INPUT0", shape = [299, 299, 3])] input: ArrayView4<f32>,
) -> Array4<f32> {
    input.to_owned()
}

// L0_http.
identity!("onnx_zero_1_float32", onnx_float32, f32, -1);
identity!("onnx_zero_1_object", onnx_object, Vec<u8>, -1);
identity!(
    "onnx_zero_1_object_1_element",
    onnx_object_1_element,
    Vec<u8>,
    1
);
identity!(
    "onnx_zero_1_float32_queue",
    onnx_float32_queue,
    f32,
    -1,
    0,
    max_batch_size = 8,
    max_queue_delay_microseconds = 1_000_000,
    preferred_batch_size = [8],
    max_queue_size = 1
);

#[pytriton::model(name = "onnx_zero_1_float16", max_batch_size = 8)]
#[batch]
#[output(name = "OUTPUT0", shape = [-1, -1])]
fn onnx_float16(#[input(name = "INPUT0", shape = [-1, -1])] input: ArrayView3<f16>) -> Array3<f16> {
    input.to_owned()
}

#[pytriton::model(name = "onnx_zero_3_float32", max_batch_size = 8)]
#[batch]
#[output(name = "OUTPUT0")]
#[output(name = "OUTPUT1")]
#[output(name = "OUTPUT2")]
fn onnx_float32_3(
    #[input(name = "INPUT0")] first: ArrayView2<f32>,
    #[input(name = "INPUT1")] second: ArrayView2<f32>,
    #[input(name = "INPUT2")] third: ArrayView2<f32>,
) -> (Array2<f32>, Array2<f32>, Array2<f32>) {
    (first.to_owned(), second.to_owned(), third.to_owned())
}

// L0_client_timeout, L0_input_validation and L0_metrics, which reads the delay from the parameters.
identity!(
    "custom_identity_int32",
    custom_identity,
    i32,
    -1,
    3000,
    max_batch_size = 8
);
identity!("pt_identity", pt_identity, f32, 8);
identity!("identity_cache_off", cache_off, f32, -1);
identity!(
    "identity_cache_on",
    cache_on,
    f32,
    -1,
    0,
    max_batch_size = 8,
    response_cache = true
);
identity!(
    "default",
    unbatched,
    f32,
    1,
    2000,
    max_batch_size = 4,
    instances = 1,
    dynamic_batching = false,
    parameters(execute_delay_ms = "2000")
);
identity!(
    "dynamic",
    delayed,
    f32,
    1,
    2000,
    max_batch_size = 4,
    instances = 1,
    max_queue_delay_microseconds = 100_000,
    parameters(execute_delay_ms = "2000")
);
identity!(
    "max_queue_size",
    bounded,
    f32,
    1,
    2000,
    max_batch_size = 4,
    instances = 1,
    max_queue_delay_microseconds = 100_000,
    max_queue_size = 4,
    parameters(execute_delay_ms = "2000")
);

// L0_request_cancellation.
identity!(
    "dynamic_batch",
    dynamic_batch,
    f32,
    -1,
    6000,
    max_batch_size = 2,
    instances = 1,
    max_queue_delay_microseconds = 600_000
);
identity!(
    "sequence_direct",
    sequence_direct,
    f32,
    -1,
    6000,
    max_batch_size = 1,
    instances = 1,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 6_000_000
);
identity!(
    "sequence_oldest",
    sequence_oldest,
    f32,
    -1,
    6000,
    max_batch_size = 1,
    instances = 1,
    sequence_batching = oldest,
    max_candidate_sequences = 1,
    max_sequence_idle_microseconds = 6_000_000
);

// L0_sequence_batcher.
identity!(
    "custom_sequence_int32_timeout",
    sequence_timeout,
    i32,
    1,
    5000,
    max_batch_size = 1,
    instances = 1,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 50_000_000
);

// L0_string_io.
macro_rules! strings {
    ($name:literal, $function:ident) => {
        #[pytriton::model(name = $name, batching = false)]
        #[output(name = "OUTPUT0")]
        fn $function(#[input(name = "INPUT0")] input: ArrayView1<Vec<u8>>) -> Array1<Vec<u8>> {
            input.to_owned()
        }
    };
}

strings!("graphdef_nobatch_zero_1_object", strings_of_graphdef);
strings!("string_identity", string_identity);

/// L0_nan_inf: numbers that are not finite among others.
#[pytriton::model(name = "nan_inf_output", batching = false)]
#[output(name = "OUTPUT0")]
fn nan_inf(#[input(name = "INPUT0", shape = [1])] _: ArrayView1<f32>) -> Array1<f32> {
    array![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, 2.0, 3.0]
}
