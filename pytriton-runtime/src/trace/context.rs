/// The trace that a client says a request belongs to, in the form of W3C's Trace Context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TraceContext {
    pub(crate) trace_id: u128,
    /// The client's span.
    pub(crate) parent: u64,
    pub(crate) flags: u8,
    /// What vendors have to say of it; empty for nothing.
    pub(crate) state: String,
}

/// The headers that name it.
pub(crate) const TRACEPARENT: &str = "traceparent";
pub(crate) const TRACESTATE: &str = "tracestate";

/// The bytes of a state at most, which whoever hands it on has to keep.
const STATE: usize = 512;

impl TraceContext {
    /// Reads the values of the headers; `None` where they name no trace, or not one.
    pub(crate) fn read<'a, S: Iterator<Item = &'a str>>(
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
        let mut parts = parent.splitn(5, '-');
        let version = hex(parts.next()?, 2)?;
        let context = Self {
            trace_id: hex(parts.next()?, 32)?,
            parent: u64::try_from(hex(parts.next()?, 16)?).ok()?,
            flags: u8::try_from(hex(parts.next()?, 2)?).ok()?,
            state: String::new(),
        };
        // A later version may say more.
        let known = version != 0xff && (version > 0 || parts.next().is_none());
        (known && context.trace_id != 0 && context.parent != 0).then_some(context)
    }
}

/// A number of so many digits, which W3C wants in lower case.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let right = text.len() == digits && text.bytes().all(is_digit);
    right.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn reads_what_w3c_allows() {
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
