//! L0_lifecycle: models whose instances take ten seconds to load.

use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

macro_rules! slow_load {
    ($name:literal, $model:ident, $view:ty, $array:ty, $($options:tt)*) => {
        struct $model;

        #[pytriton::model(name = $name, $($options)*)]
        impl $model {
            #[load]
            fn load() -> Self {
                thread::sleep(Duration::from_secs(10));
                Self
            }

            #[infer]
            #[output(name = "OUTPUT0")]
            fn infer(&self, #[input(name = "INPUT0")] input: $view) -> $array {
                input.to_owned()
            }
        }
    };
}

macro_rules! int32 {
    ($name:literal, $model:ident) => {
        slow_load!(
            $name,
            $model,
            ArrayView1<i32>,
            Array1<i32>,
            batching = false
        );
    };
}

macro_rules! fp32 {
    ($name:literal, $model:ident, $instances:literal) => {
        slow_load!(
            $name,
            $model,
            ArrayView2<f32>,
            Array2<f32>,
            max_batch_size = 64,
            instances = $instances
        );
    };
}

int32!("identity_zero_1_int32", Int32);
int32!("identity_zero_1_int32_1", FirstInt32);
int32!("identity_zero_1_int32_2", SecondInt32);
fp32!("identity_fp32", Fp32, 2);
fp32!("python_identity_fp32_1", FirstFp32, 1);
fp32!("python_identity_fp32_2", SecondFp32, 1);
