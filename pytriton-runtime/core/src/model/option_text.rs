//! The values of options as text, in the form of `#[pytriton::model(…)]`.

use super::{InstanceGroup, InstanceGroups, TimeoutAction};

/// The value of an option that can be read from text.
pub(crate) trait OptionText: Sized {
    /// The form of the text.
    const EXPECTED: &'static str;

    /// Parses the text.
    fn parse(text: &str) -> Option<Self>;
}

/// Parses the value of an option.
///
/// # Errors
///
/// Returns the expected form.
pub(crate) fn parse_option<T: OptionText>(text: &str) -> Result<T, &'static str> {
    T::parse(text.trim()).ok_or(T::EXPECTED)
}

macro_rules! parsed {
    ($($type:ty => $expected:literal;)*) => {$(
        impl OptionText for $type {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

parsed! {
    bool => "`true` or `false`";
    u32 => "a number from 0 to 4294967295";
    u64 => "a number";
    f32 => "a fraction, such as 0.5";
}

impl OptionText for TimeoutAction {
    const EXPECTED: &'static str = "`reject` or `delay`";

    fn parse(text: &str) -> Option<Self> {
        Self::named(text)
    }
}

/// `[4, 8]`, with or without brackets.
impl OptionText for Vec<u32> {
    const EXPECTED: &'static str = "a list of numbers, such as [4, 8]";

    fn parse(text: &str) -> Option<Self> {
        elements(text).map(|size| size.parse().ok()).collect()
    }
}

/// `2` or `[cpu(2), gpu(0)]`, with or without brackets.
impl OptionText for InstanceGroups {
    const EXPECTED: &'static str = "a number, or a list of devices, such as [cpu(2), gpu(0)]";

    fn parse(text: &str) -> Option<Self> {
        if let Ok(count) = text.parse::<u32>() {
            return Some(count.into());
        }
        let groups = elements(text).map(|element| {
            let (device, number) = element.strip_suffix(')')?.split_once('(')?;
            let number = number.parse().ok()?;
            match device {
                "cpu" => Some(InstanceGroup::cpu(number)),
                "gpu" => Some(InstanceGroup::gpu(number)),
                _ => None,
            }
        });
        groups.collect::<Option<Vec<_>>>().map(Into::into)
    }
}

fn elements(text: &str) -> impl Iterator<Item = &str> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let elements = inner.unwrap_or(text).split(',').map(str::trim);
    elements.filter(|element| !element.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_form_of_the_macro() {
        let table = [
            ("3", Some("cpu(3)")),
            ("cpu(2)", Some("cpu(2)")),
            ("[cpu(2), gpu(0),gpu(1)]", Some("cpu(2), gpu(0), gpu(1)")),
            ("[]", Some("")),
            ("-1", None),
            ("cpu", None),
            ("tpu(1)", None),
            ("cpu(x)", None),
        ];
        for (text, expected) in table {
            let groups = InstanceGroups::parse(text).map(|groups| groups.to_string());
            assert_eq!(groups.as_deref(), expected, "{text}");
        }
        assert_eq!(parse_option(" [4, 8] "), Ok(vec![4_u32, 8]));
        assert_eq!(parse_option("4,8"), Ok(vec![4_u32, 8]));
        assert_eq!(
            parse_option::<Vec<u32>>("4;8"),
            Err("a list of numbers, such as [4, 8]")
        );
    }
}
