use proc_macro2::Ident;
use quote::format_ident;

use super::ast::{Input, Source};
use crate::attribute::{Helper, HelperAttribute};
use crate::errors::Errors;
use crate::nearest::nearest;
use crate::options::Options;
use crate::tensor::{Dims, TensorName};

/// The KServe names of the element types, their Rust names, and the variants of `DataType`.
const DATATYPES: [(&str, &str, &str); 14] = [
    ("BOOL", "bool", "Bool"),
    ("UINT8", "u8", "Uint8"),
    ("UINT16", "u16", "Uint16"),
    ("UINT32", "u32", "Uint32"),
    ("UINT64", "u64", "Uint64"),
    ("INT8", "i8", "Int8"),
    ("INT16", "i16", "Int16"),
    ("INT32", "i32", "Int32"),
    ("INT64", "i64", "Int64"),
    ("FP16", "f16", "Fp16"),
    ("BF16", "bf16", "Bf16"),
    ("FP32", "f32", "Fp32"),
    ("FP64", "f64", "Fp64"),
    ("BYTES", "String", "Bytes"),
];

/// The inputs that `#[input]` on a function declares, which only one that takes `&[Request]` may have.
pub(super) fn read(raw: bool, helpers: &[HelperAttribute], errors: &mut Errors) -> Vec<Input> {
    let attributes = helpers
        .iter()
        .filter(|attribute| attribute.helper == Helper::Input);
    let mut inputs = Vec::new();
    for attribute in attributes {
        if raw {
            inputs.extend(input(attribute, errors));
        } else {
            let message = format!("`#[input]` belongs on {}", Helper::Input.place());
            errors.push(attribute, message);
        }
    }
    inputs
}

fn input(attribute: &HelperAttribute, errors: &mut Errors) -> Option<Input> {
    let options = attribute.options(&["name", "datatype", "shape", "optional"], errors);
    for (option, example) in [
        ("name", "\"INPUT_1\""),
        ("datatype", "FP32"),
        ("shape", "[-1]"),
    ] {
        if options.lacks(option) {
            let message = format!("`{option}` is missing: write `{option} = {example}`");
            errors.push(attribute, message);
        }
    }
    let name = TensorName::take(&options, errors);
    let datatype = datatype(&options, errors);
    let shape = Dims::take(&options, errors);
    let optional = options.boolean("optional", errors).unwrap_or(false);
    Some(Input {
        name: name?,
        shape: Some(shape?),
        optional,
        source: Source::Declared {
            datatype: datatype?,
        },
        first_value: None,
    })
}

/// The variant of `DataType` that the option names.
fn datatype(options: &Options, errors: &mut Errors) -> Option<Ident> {
    let value = options.value("datatype")?;
    let text = value.to_string();
    if let Some((_, _, variant)) = DATATYPES.iter().find(|(name, ..)| *name == text) {
        return Some(format_ident!("{variant}"));
    }
    let names = DATATYPES.map(|(name, ..)| name);
    let meant = match DATATYPES.iter().find(|(_, rust, _)| *rust == text) {
        Some((name, ..)) => Some(*name),
        None => nearest(&text.trim_matches('"').to_uppercase(), &names),
    };
    let message = match meant {
        Some(meant) => format!("unknown datatype `{text}`; did you mean `{meant}`?"),
        None => format!(
            "unknown datatype `{text}`\nhelp: the datatypes are `{}`",
            names.join("`, `")
        ),
    };
    errors.push(value, message);
    None
}
