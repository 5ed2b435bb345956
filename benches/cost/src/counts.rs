use crate::{CostError, Result};

/// The allocation functions of the C library.
const ALLOCATOR: [&str; 6] = [
    "malloc",
    "calloc",
    "realloc",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
];

/// The counts of callgrind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// User-space instructions.
    pub instructions: u64,
    /// Calls of the allocator.
    pub allocations: u64,
}

impl Counts {
    /// Parses the output of callgrind with `--compress-strings=no`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut counts = Self::default();
        let mut callee = "";
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("cfn=") {
                callee = name;
            } else if let Some(calls) = line.strip_prefix("calls=") {
                if ALLOCATOR.contains(&callee) {
                    counts.allocations += number(calls)?;
                }
            } else if let Some(total) = line.strip_prefix("totals:") {
                counts.instructions = number(total.trim_start())?;
            }
        }
        match counts.instructions > 0 && counts.allocations > 0 {
            true => Ok(counts),
            false => Err(CostError::Uncounted),
        }
    }
}

fn number(text: &str) -> Result<u64> {
    let word = text.split(' ').next().unwrap_or_default();
    word.parse().map_err(|_| CostError::Uncounted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allocator_calls_are_counted() {
        let text = "events: Ir\n\nfn=main\n1 5\ncfn=malloc\ncalls=3 20\n1 90\ncfn=other\ncalls=7 20\n1 9\n\
                    fn=other\ncfn=realloc\ncalls=2 1\n1 2\ntotals: 106\n";
        let counts = Counts::parse(text).unwrap();
        assert_eq!(counts.instructions, 106);
        assert_eq!(counts.allocations, 5);
    }

    #[test]
    fn missing_counts_are_an_error() {
        assert!(Counts::parse("events: Ir\ntotals: 106\n").is_err());
        assert!(Counts::parse("").is_err());
    }
}
