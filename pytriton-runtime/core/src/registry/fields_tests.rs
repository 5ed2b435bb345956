use ndarray::{Array1, Array2, ArrayView2};

use super::*;
use crate::call::{FirstValueParameter, Parameter};
use crate::request::Parameters;
use crate::tensor::Ragged;

const A: Argument = Argument::new(<ArrayView2<'_, f32> as Parameter>::DECLARED, Some("a"));
const B: Argument = Argument::new(<Ragged<'_, i64> as Parameter>::DECLARED, Some("b"));
const C: Argument =
    Argument::new(<f32 as FirstValueParameter>::DECLARED, Some("c")).first_value(true);
const CONTEXT: Argument = Argument::new(<&Parameters as Parameter>::DECLARED, Some("p"));
const ONE: Argument = Argument::new(Declared::Fields(&[A]), Some("one"));
const THREE: Argument = Argument::new(Declared::Fields(&[A, B, C]), Some("three"));

#[test]
fn fields_replace_their_struct() {
    const NAMES: [&str; 7] = ["p", "a", "b", "c", "b", "a", "c"];
    const PARAMETERS: &[Argument] = &[CONTEXT, THREE, B, ONE, C];
    const INDEXES: [usize; 6] = argument_indexes(PARAMETERS);
    static SIGNATURE: Signature = Signature {
        arguments: &with_fields::<{ INDEXES[5] }>(PARAMETERS),
        ..Signature::of_fields(&[])
    };
    assert_eq!(INDEXES, [0, 1, 4, 5, 6, 7]);
    let names = SIGNATURE.arguments.iter().filter_map(|one| one.name);
    assert_eq!(names.collect::<Vec<_>>(), NAMES);
    assert_eq!(SIGNATURE.inputs_before(INDEXES[2]), 3);
    let repeated = |argument, first| SIGNATURE.repeated_flaw(argument, first).is_some();
    assert!(!repeated(1, 1) && !repeated(2, 1) && repeated(4, 4) && repeated(5, 5));
    assert!(client_flaw(PARAMETERS).is_some() && client_flaw(&[A, CONTEXT]).is_none());
    assert!(warmup_fields_flaw(PARAMETERS).is_some() && warmup_fields_flaw(&[A]).is_none());
    assert!(ONE.fields_given_flaw().is_some() && A.fields_given_flaw().is_none());
}

#[test]
fn only_flaws_of_every_model_are_those_of_the_field() {
    const VECTOR: Argument = Argument::new(<Array1<f32> as Parameter>::DECLARED, Some("x"));
    const SHAPED: Argument = Argument::new(<Array2<f32> as Parameter>::DECLARED, Some("x"));
    static FIELDS: Signature = Signature::of_fields(&[
        A,
        B,
        C,
        CONTEXT,
        VECTOR,
        SHAPED.shape(&[2]),
        SHAPED.shape(&[1, 2]),
        SHAPED.shape(&[1, 2, 3]),
    ]);
    let count = FIELDS.arguments.len();
    let wrong = (0..count).filter(|&field| FIELDS.field_flaw(field).is_some());
    assert_eq!(wrong.collect::<Vec<_>>(), [3]);
    let wrong = (0..count).filter(|&field| FIELDS.field_shape_flaw(field).is_some());
    assert_eq!(wrong.collect::<Vec<_>>(), [7]);
    // With a batch axis, and without.
    for (options, expected) in KINDS.iter().zip([vec![4, 6], vec![2, 5]]) {
        let wrong = (0..count).filter(|&field| FIELDS.fields_flaw(field, 0, options).is_some());
        assert_eq!(wrong.collect::<Vec<_>>(), expected);
    }
    static ROWS: Signature = Signature {
        batch: false,
        ..Signature::of_fields(&[A, B, C])
    };
    let wrong = (0..3).filter(|&field| ROWS.fields_flaw(field, 0, &KINDS[0]).is_some());
    assert_eq!(wrong.collect::<Vec<_>>(), [1, 2]);
}

#[test]
#[should_panic(expected = "input `b`: a `Ragged` contains the rows of several requests")]
fn error_names_the_field() {
    static ROWS: Signature = Signature {
        batch: false,
        ..Signature::of_fields(&[A, B, C])
    };
    refuse_fields(&THREE, &ROWS, (0, 3), &KINDS[0]);
}
