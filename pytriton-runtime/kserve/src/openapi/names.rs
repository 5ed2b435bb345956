use std::collections::BTreeSet;

/// Unique names. Case and underscores are not significant.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Returns the name, or the name with the first number that makes it unique.
    pub(super) fn pick(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1_u64;
        while !self.taken.insert(folded(&name)) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        name
    }
}

fn folded(name: &str) -> String {
    name.to_lowercase().replace('_', "")
}

/// Returns `add_sub` for `AddSub`, `Add-Sub` and `add.sub`.
pub(super) fn snake(text: &str) -> String {
    words(text).join("_")
}

/// Returns `AddSub` for the same names.
pub(super) fn pascal(text: &str) -> String {
    let mut name = String::new();
    for word in words(text) {
        name.push_str(&word[..1].to_uppercase());
        name.push_str(&word[1..]);
    }
    name
}

/// Splits a name into lower-case ASCII words. The first word starts with a letter.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for next in text.chars() {
        if next.is_ascii_alphanumeric() {
            let capital = next.is_ascii_uppercase() && !last.is_ascii_uppercase();
            match words.last_mut() {
                Some(word) if last.is_ascii_alphanumeric() && !capital => {
                    word.push(next.to_ascii_lowercase());
                }
                _ => words.push(next.to_ascii_lowercase().into()),
            }
        }
        last = next;
    }
    if words
        .first()
        .is_none_or(|word| word.starts_with(|first: char| first.is_ascii_digit()))
    {
        words.insert(0, "n".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_converted_to_identifiers() {
        let table = [
            ("Linear", "linear", "Linear"),
            ("AddSub", "add_sub", "AddSub"),
            ("add-sub.x", "add_sub_x", "AddSubX"),
            ("I_FP32", "i_fp32", "IFp32"),
            ("OUTPUT_1", "output_1", "Output1"),
            ("2d", "n_2d", "N2d"),
            ("größe", "gr_e", "GrE"),
            ("-.", "n", "N"),
        ];
        for (name, as_snake, as_pascal) in table {
            assert_eq!((&*snake(name), &*pascal(name)), (as_snake, as_pascal));
        }
    }

    #[test]
    fn duplicate_names_are_numbered() {
        let mut names = Names::default();
        let table = [
            ("AddSub", "AddSub"),
            ("Addsub", "Addsub2"),
            ("add_sub", "add_sub3"),
            ("AddSub2", "AddSub22"),
        ];
        for (wanted, expected) in table {
            assert_eq!(names.pick(wanted), expected);
        }
    }
}
