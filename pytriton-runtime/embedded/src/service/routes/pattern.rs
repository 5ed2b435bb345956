use std::slice;

/// The maximum number of segments of a path that has a route.
const MAX_SEGMENTS: usize = 6;

/// The paths of a route: literal segments, and parameters in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pattern {
    text: &'static str,
    segments: [Segment; MAX_SEGMENTS],
    count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    Literal(&'static str),
    Model,
    /// Digits.
    Version,
    Repository,
    Region,
}

/// The segments of a requested path, which are not decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segments<'a> {
    segments: [&'a str; MAX_SEGMENTS],
    count: usize,
}

/// The parameters in a requested path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Params<'a> {
    pub(crate) model: Option<&'a str>,
    pub(crate) version: Option<&'a str>,
    pub(crate) repository: Option<&'a str>,
    pub(crate) region: Option<&'a str>,
}

impl Pattern {
    /// Parses a pattern such as `/v2/models/{model}`.
    pub(super) const fn new(text: &'static str) -> Self {
        let mut segments = [Segment::Literal(""); MAX_SEGMENTS];
        let mut count = 0;
        let (_, mut rest) = text.split_at(1);
        loop {
            let bytes = rest.as_bytes();
            let mut end = 0;
            while end < bytes.len() && bytes[end] != b'/' {
                end += 1;
            }
            let (segment, others) = rest.split_at(end);
            segments[count] = Segment::new(segment);
            count += 1;
            if others.is_empty() {
                break;
            }
            (_, rest) = others.split_at(1);
        }
        Self {
            text,
            segments,
            count,
        }
    }

    /// Returns the text of the pattern.
    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }

    /// Returns the parameters of a path, or `None` if the path does not match.
    #[inline]
    pub(super) fn matches<'a>(&self, path: &Segments<'a>) -> Option<Params<'a>> {
        if path.count != self.count {
            return None;
        }
        let mut params = Params::default();
        for (segment, found) in self.segments.iter().zip(path.iter()) {
            let found = *found;
            match segment {
                Segment::Literal(text) if *text == found => {}
                Segment::Literal(_) => return None,
                Segment::Model => params.model = Some(found),
                Segment::Version if found.bytes().all(|byte| byte.is_ascii_digit()) => {
                    params.version = Some(found);
                }
                Segment::Version => return None,
                Segment::Repository => params.repository = Some(found),
                Segment::Region => params.region = Some(found),
            }
        }
        Some(params)
    }
}

impl Segment {
    const fn new(text: &'static str) -> Self {
        match text.as_bytes() {
            b"{model}" => Self::Model,
            b"{version}" => Self::Version,
            b"{repository}" => Self::Repository,
            b"{region}" => Self::Region,
            [b'{', ..] => panic!("unknown parameter"),
            _ => Self::Literal(text),
        }
    }
}

impl<'a> Segments<'a> {
    /// Splits a path. Returns `None` if no route has such a path: it has an empty segment, or too
    /// many.
    #[inline]
    pub(super) fn of(path: &'a str) -> Option<Self> {
        let mut segments = [""; MAX_SEGMENTS];
        let mut count = 0;
        let mut rest = path;
        while !rest.is_empty() {
            rest = rest.strip_prefix('/')?;
            let end = rest.bytes().position(|byte| byte == b'/');
            let (segment, others) = rest.split_at(end.unwrap_or(rest.len()));
            if segment.is_empty() {
                return None;
            }
            *segments.get_mut(count)? = segment;
            count += 1;
            rest = others;
        }
        Some(Self { segments, count })
    }

    fn iter(&self) -> slice::Iter<'_, &'a str> {
        self.segments[..self.count].iter()
    }
}
