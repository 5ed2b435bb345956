use std::ops::Range;

/// The trace of a client's request, in the form of the W3C Trace Context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// The id of the trace.
    pub trace_id: u128,
    /// The client's span.
    pub parent: u64,
    /// The flags, such as whether the trace is sampled.
    pub flags: u8,
    /// Vendor-specific state; may be empty.
    pub state: String,
}

/// The header with the ids and flags of the Trace Context.
pub const TRACEPARENT: &str = "traceparent";
/// The header with the state of the Trace Context.
pub const TRACESTATE: &str = "tracestate";

/// The length that all versions have: version, trace id, span id and flags, separated by dashes.
const LENGTH: usize = 55;

/// The maximum size of the state, which must be passed on.
const STATE: usize = 512;

impl TraceContext {
    /// Parses the values of the headers. Returns `None` if they contain no valid trace, or more
    /// than one.
    pub fn read<'a, S: Iterator<Item = &'a str>>(
        mut parents: impl Iterator<Item = &'a str>,
        states: impl FnOnce() -> S,
    ) -> Option<Self> {
        let (parent, None) = (parents.next()?.trim(), parents.next()) else {
            return None;
        };
        let mut context = Self::parse(parent)?;
        for state in states().map(str::trim).filter(|state| !state.is_empty()) {
            if !context.state.is_empty() {
                context.state.push(',');
            }
            if context.state.len() + state.len() > STATE {
                context.state.clear();
                break;
            }
            context.state.push_str(state);
        }
        Some(context)
    }

    fn parse(parent: &str) -> Option<Self> {
        let (parts, rest) = parent.as_bytes().split_at_checked(LENGTH)?;
        let are_apart = [2, 35, 52].iter().all(|at| parts.get(*at) == Some(&b'-'));
        let field = |range: Range<usize>| hex(parts.get(range)?);
        let version = field(0..2)?;
        let context = Self {
            trace_id: u128::from(field(3..19)?) << 64 | u128::from(field(19..35)?),
            parent: field(36..52)?,
            flags: u8::try_from(field(53..55)?).ok()?,
            state: String::new(),
        };
        // A later version may have more fields.
        let is_whole = rest.is_empty() || version > 0 && rest.starts_with(b"-");
        let known = are_apart && is_whole && version != 0xff;
        (known && context.trace_id != 0 && context.parent != 0).then_some(context)
    }
}

/// Parses at most 16 hexadecimal digits, which W3C requires in lower case.
fn hex(digits: &[u8]) -> Option<u64> {
    let mut number = 0;
    for digit in digits {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        number = number << 4 | u64::from(digit);
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn w3c_trace_context_is_parsed() {
        let read = |parents: &[&str], states: &[&str]| {
            TraceContext::read(parents.iter().copied(), || states.iter().copied())
        };
        let context = TraceContext {
            trace_id: 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c,
            parent: 0xb7ad_6b71_6920_3331,
            flags: 1,
            state: String::new(),
        };
        assert_eq!(read(&[PARENT], &[]), Some(context.clone()));
        let stated = TraceContext {
            state: "a=1,b=2".to_owned(),
            ..context.clone()
        };
        assert_eq!(read(&[PARENT], &["a=1", " b=2 "]), Some(stated));
        let long = "x".repeat(STATE);
        assert_eq!(read(&[PARENT], &["a=1", &long]), Some(context.clone()));
        let later = PARENT.replacen("00-", "01-", 1) + "-more";
        assert_eq!(read(&[&later], &[]), Some(context));
        let wrong: [&[&str]; 9] = [
            &[],
            &[""],
            &[PARENT, PARENT],
            &["00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"],
            &["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
            &["00-00000000000000000000000000000000-b7ad6b7169203331-01"],
            &["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"],
            &["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more"],
            &["00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
        ];
        for parents in wrong {
            assert_eq!(read(parents, &[]), None, "{parents:?}");
        }
    }
}
