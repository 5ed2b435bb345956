/// Returns the known name that is closest to a misspelt one.
pub(crate) fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let distances = known.iter().map(|known| (distance(name, known), *known));
    let (distance, nearest) = distances.min()?;
    (distance <= nearest.len().div_ceil(3)).then_some(nearest)
}

/// Returns the Levenshtein distance.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (line, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, b) in two.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[two.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_closest_name() {
        let known = ["name", "max_batch_size", "instances"];
        let table = [
            ("max_bach_size", Some("max_batch_size")),
            ("nam", Some("name")),
            ("instance", Some("instances")),
            ("Name", Some("name")),
            ("colour", None),
            ("", None),
        ];
        for (name, expected) in table {
            assert_eq!(closest(name, &known), expected, "{name}");
        }
    }
}
