// Options are constant expressions.
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

const NAME: &str = "Constants";
const MAX: u32 = 16;
const SIZES: &[u32] = &[MAX / 2, MAX];
const WIDTH: i64 = 3;
const BATCHING: bool = true;

#[pytriton::model(name = NAME, max_batch_size = MAX, preferred_batch_size = SIZES, batching = BATCHING)]
#[output(shape = [WIDTH + 1])]
fn constants(#[input(shape = [WIDTH])] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Lists", max_batch_size = 2 * MAX, preferred_batch_size = [MAX, 4])]
fn lists(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

const fn bytes<A, B>() -> u32 {
    (size_of::<A>() + size_of::<B>()) as u32
}

struct Pair<A, B>(A, B);

impl<A, B> Pair<A, B> {
    const COUNT: u32 = 2;
    const SIZES: [u32; 2] = [4, 8];
}

const fn is_wide(width: i64) -> bool {
    width > 4
}

// Commas in generic arguments do not separate options, and `<` may also compare.
#[pytriton::model(
    name = "Generic",
    max_batch_size = bytes::<u64, Pair<u32, fn(u8) -> u8>>(),
    preferred_batch_size = &<Pair<u8, u8>>::SIZES,
    instances = <Pair<u8, u8>>::COUNT,
    max_queue_delay_microseconds = if is_wide(WIDTH) { 1 } else { 2 * <Pair<u8, u8>>::COUNT as u64 },
    batching = WIDTH < 4,
    max_call_microseconds = 1 << 20
)]
fn generic(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    let generic = spec("Generic");
    assert_eq!(generic.max_batch_size as usize, 2 * 8 + size_of::<usize>());
    assert_eq!(generic.instances.count(), 2);
    let spec = spec("Constants");
    assert_eq!(spec.max_batch_size, 16);
    assert_eq!(spec.inputs[0].dims, [3]);
}
