use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::{Error, ErrorKind};

/// An error with a source, which its message contains if `embeds` is set.
#[derive(Debug)]
struct Outer {
    embeds: bool,
    source: Box<dyn StdError + Send + Sync>,
}

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.embeds {
            true => write!(f, "outer: {}", self.source),
            false => f.write_str("outer"),
        }
    }
}

impl StdError for Outer {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}

fn outer(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Outer {
    Outer {
        embeds: false,
        source: source.into(),
    }
}

fn embedding(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Outer {
    Outer {
        embeds: true,
        source: source.into(),
    }
}

#[test]
fn chain_contains_each_message_once() {
    let table = [
        (Error::from("a"), "a", "a"),
        (Error::from(String::new()), "", ""),
        (outer(outer("")).into(), "outer", "outer"),
        (
            Error::not_found(outer(embedding(""))),
            "outer",
            "outer: outer: ",
        ),
        (outer("a").into(), "outer", "outer: a"),
        (outer(outer("a")).into(), "outer", "outer: a"),
        (embedding("a").into(), "outer: a", "outer: a"),
        (outer(embedding("a")).into(), "outer", "outer: outer: a"),
        (Error::not_found(outer("a")), "outer", "outer: a"),
        (
            outer(Error::not_found(outer("a")).into_std()).into(),
            "outer",
            "outer: a",
        ),
    ];
    for (error, short, long) in table {
        assert_eq!(error.to_string(), short);
        assert_eq!(format!("{error:#}"), long);
    }
}

#[test]
fn kind_survives_conversions_at_every_depth() {
    use ErrorKind::*;
    let kinds = [
        InvalidArgument,
        NotFound,
        ResourceExhausted,
        Unavailable,
        DeadlineExceeded,
        Unimplemented,
        Internal,
        Unrecoverable,
    ];
    for kind in kinds {
        let new = || Error::new(kind, "a").retry_after(Duration::from_secs(3));
        let boxed: Box<dyn StdError + Send + Sync> = new().into_std().into();
        // An error that displays it, instead of having it as a source.
        let displaying = embedding(Error::of(&new()).into_std());
        let converted: [Error; 8] = [
            displaying.into(),
            Error::of(
                &anyhow::Error::new(new().into_std())
                    .context("b")
                    .context("c"),
            ),
            Error::of(&new()),
            Error::of(&boxed),
            new().into_std().into(),
            outer(new().into_std()).into(),
            outer(outer(new().into_std())).into(),
            Error::from(outer(new().into_std())).into_std().into(),
        ];
        for error in converted {
            assert_eq!(error.kind(), kind, "{error:?}");
            assert_eq!(error.retry_time(), Some(Duration::from_secs(3)));
        }
    }
}

/// Displays an error in another one, only in the alternate form, as `anyhow::Error` does.
struct Alternate<'a>(&'a dyn fmt::Display);

impl fmt::Display for Alternate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.alternate() {
            true => write!(f, "alternate: {}", self.0),
            false => f.write_str("alternate"),
        }
    }
}

/// An error whose `Display` fails.
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken")?;
        Err(fmt::Error)
    }
}

#[test]
fn kind_of_a_displayed_error_is_found() {
    let inner = Error::not_found("a");
    let outer = Error::unavailable(outer(Error::not_found("a").into_std()));
    let standard = Error::not_found("a").into_std();
    let boxed: Box<dyn StdError> = Error::not_found(self::outer("a")).into_std().into();
    let table: [(&dyn fmt::Display, ErrorKind, &str); 8] = [
        (&inner, ErrorKind::NotFound, "a"),
        (&standard, ErrorKind::NotFound, "a"),
        (&boxed, ErrorKind::NotFound, "outer: a"),
        (&Alternate(&inner), ErrorKind::NotFound, "alternate: a"),
        (&Alternate(&&standard), ErrorKind::NotFound, "alternate: a"),
        // The outermost error counts.
        (&outer, ErrorKind::Unavailable, "outer: a"),
        (&inner.to_string(), ErrorKind::Internal, "a"),
        (&Broken, ErrorKind::Internal, "broken"),
    ];
    for (error, kind, message) in table {
        let error = Error::of(error);
        assert_eq!((error.kind(), &*error.to_string()), (kind, message));
    }
}

#[test]
fn other_errors_are_internal() {
    #[derive(Debug)]
    struct Number(f32);
    impl fmt::Display for Number {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "number {}", self.0)
        }
    }
    let table = [
        (Error::of(&"a"), "a"),
        (Error::of(&"a".to_owned()), "a"),
        (Error::of(&Number(1.5)), "number 1.5"),
        (
            Error::from(fmt::Error),
            "an error occurred when formatting an argument",
        ),
    ];
    for (error, message) in table {
        assert_eq!(
            (error.kind(), &*error.to_string()),
            (ErrorKind::Internal, message)
        );
    }
}

#[test]
fn anyhow_keeps_kind_and_chain() {
    let error = || Error::not_found(outer("a")).into_std();
    let table = [
        (anyhow::Error::new(error()), "outer: a"),
        (anyhow::Error::new(error()).context("b"), "b: outer: a"),
        (
            anyhow::Error::new(error()).context("b").context("c"),
            "c: b: outer: a",
        ),
    ];
    for (error, expected) in table {
        let returned = Error::of(&error);
        assert_eq!(
            (returned.kind(), format!("{returned:#}")),
            (ErrorKind::NotFound, expected.into())
        );
        let converted = Error::from(error);
        assert_eq!(
            (converted.kind(), format!("{converted:#}")),
            (ErrorKind::NotFound, expected.into())
        );
    }
}

#[test]
fn sources_do_not_contain_the_error_itself() {
    let error = Error::from(outer(outer("a")));
    let sources: Vec<String> = error.sources().map(ToString::to_string).collect();
    assert_eq!(sources, ["outer", "a"]);
    assert_eq!(Error::from("a").sources().count(), 0);
}
