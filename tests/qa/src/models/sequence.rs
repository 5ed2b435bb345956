//! L0_sequence_batcher: the running sum of the input.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

const DELAY: Duration = Duration::from_millis(3);

macro_rules! unbatched {
    ($name:literal, $function:ident, $element:ty, $($options:tt)*) => {
        #[pytriton::model(name = $name, batching = false, $($options)*)]
        #[output(name = "OUTPUT", shape = [1])]
        fn $function(
            #[sequence] sum: &mut $element,
            #[input(name = "INPUT", shape = [1])] value: ArrayView1<$element>,
        ) -> Array1<$element> {
            thread::sleep(DELAY);
            *sum += value[0];
            array![*sum]
        }
    };
}

unbatched!(
    "savedmodel_nobatch_sequence_float32",
    unbatched_float32,
    f32,
    instances = 4,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 5_000_000
);
unbatched!(
    "savedmodel_nobatch_sequence_bool",
    unbatched_bool,
    i32,
    instances = 4,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 5_000_000
);

macro_rules! delayed {
    ($name:literal, $function:ident, $($options:tt)*) => {
        #[pytriton::model(name = $name, max_batch_size = 4, instances = 1, $($options)*)]
        #[batch]
        #[output(name = "OUTPUT")]
        fn $function(
            #[sequence] sums: &mut [&mut i32],
            #[input(name = "INPUT")] mut values: Array2<i32>,
        ) -> Array2<i32> {
            thread::sleep(DELAY);
            for (sum, mut row) in sums.iter_mut().zip(values.rows_mut()) {
                for value in &mut row {
                    **sum += *value;
                    *value = **sum;
                }
            }
            values
        }
    };
}

delayed!(
    "custom_sequence_int32_half",
    half_utilization,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 5_000_000,
    max_queue_delay_microseconds = 3_000_000,
    minimum_slot_utilization = 0.5
);
delayed!(
    "custom_sequence_int32_full",
    full_utilization,
    sequence_batching = direct,
    max_sequence_idle_microseconds = 5_000_000,
    max_queue_delay_microseconds = 3_000_000,
    minimum_slot_utilization = 1.0
);
