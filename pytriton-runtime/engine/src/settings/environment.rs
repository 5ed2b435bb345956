use std::env;
use std::ffi::OsString;

/// Returns the variables `<name>_0`, `<name>_1` and so on of the environment with their values,
/// ordered by number.
pub(super) fn numbered_variables(name: &str) -> Vec<(String, OsString)> {
    numbered(name, env::vars_os())
}

fn numbered(
    name: &str,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<(String, OsString)> {
    let mut items: Vec<(u32, String, OsString)> = variables
        .filter_map(|(variable, value)| {
            let variable = variable.into_string().ok()?;
            let number = variable.strip_prefix(name)?.strip_prefix('_')?.parse();
            Some((number.ok()?, variable, value))
        })
        .collect();
    items.sort();
    items
        .into_iter()
        .map(|(_, variable, value)| (variable, value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_variables_are_sorted_by_number() {
        let variables = [
            ("A_10", "ten"),
            ("A_2", "two"),
            ("A_0", "zero"),
            ("A_B_1", "no"),
            ("A_", "no"),
            ("B_1", "no"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let items = numbered("A", variables.into_iter());
        let values: Vec<_> = items.into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, ["zero", "two", "ten"]);
    }
}
