//! `docs/errors.md` explains every message. Its tables are generated from the doc comments of all
//! error variants.
//!
//! `UPDATE=1` regenerates them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::{Attribute, Expr, ExprLit, Item, Lit, LitStr, Meta};

use crate::root;

const BEGIN: &str = "<!-- messages -->\n";
const END: &str = "<!-- end of messages -->\n";

/// The headings, and the source folders of each; the first match applies.
const READERS: [(&str, &[&str]); 5] = [
    ("Errors of the Rust clients", &["pytriton-client/"]),
    ("Errors of the Python module", &["pytriton-python/"]),
    (
        "Errors at start and at exit",
        &[
            "pytriton-runtime/core/src/runtime_models/",
            "pytriton-runtime/core/src/call/state",
            "pytriton-runtime/engine/",
            "pytriton-runtime/src/engine/",
            "pytriton-runtime/embedded/src/metrics/",
            "pytriton-runtime/embedded/src/server/",
            "pytriton-runtime/core/src/registry/",
            "pytriton-runtime/core/src/instance/",
            "pytriton-runtime/src/server/",
            "pytriton-runtime/tritonserver/src/server/",
            "pytriton-runtime/embedded/src/trace_extension/",
            "pytriton-runtime/net/src/tls/",
            "pytriton-runtime/scheduler/src/cache/",
            "pytriton-runtime/core/src/warmup/",
            "pytriton-runtime/signature/",
        ],
    ),
    (
        "Errors of the tritonserver engine",
        &[
            "pytriton-runtime/tritonserver/",
            "pytriton-runtime/backend/",
        ],
    ),
    (
        "Errors that clients receive",
        &[
            "pytriton-runtime/src/",
            "pytriton-runtime/core/",
            "pytriton-runtime/embedded/",
            "pytriton-runtime/kserve/",
            "pytriton-runtime/net/",
            "pytriton-runtime/protocol/",
            "pytriton-runtime/scheduler/",
        ],
    ),
];

/// A message with `…` for its variable parts, and its cause.
type Explained = (String, String);

#[test]
fn every_message_is_explained() -> Result<(), Box<dyn std::error::Error>> {
    let path = root().join("docs/errors.md");
    let document = fs::read_to_string(&path)?;
    let (head, rest) = document.split_once(BEGIN).ok_or("no tables begin")?;
    let (_, tail) = rest.split_once(END).ok_or("no tables end")?;
    let expected = format!("{head}{BEGIN}{}{END}{tail}", tables()?);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, expected)?;
        return Ok(());
    }
    assert!(
        document == expected,
        "docs/errors.md differs from the sources: UPDATE=1 regenerates it"
    );
    Ok(())
}

fn tables() -> Result<String, Box<dyn std::error::Error>> {
    let mut by_reader: BTreeMap<usize, Vec<Explained>> = BTreeMap::new();
    let crates = [
        "pytriton-client/src",
        "pytriton-python/src",
        "pytriton-runtime/src",
        "pytriton-runtime/backend/src",
        "pytriton-runtime/core/src",
        "pytriton-runtime/embedded/src",
        "pytriton-runtime/engine/src",
        "pytriton-runtime/kserve/src",
        "pytriton-runtime/net/src",
        "pytriton-runtime/protocol/src",
        "pytriton-runtime/scheduler/src",
        "pytriton-runtime/signature/src",
        "pytriton-runtime/tritonserver/src",
    ];
    for file in crates
        .iter()
        .flat_map(|folder| sources(&root().join(folder)))
    {
        let name = file.strip_prefix(root())?.to_string_lossy().into_owned();
        if name.contains("test") {
            continue;
        }
        let reader = READERS
            .iter()
            .position(|(_, folders)| folders.iter().any(|folder| name.starts_with(folder)))
            .ok_or_else(|| format!("nobody reads {name}"))?;
        let source = syn::parse_file(&fs::read_to_string(&file)?)?;
        for item in source.items {
            let explained_messages =
                explained(&item).map_err(|missing| format!("{name}: {missing}"))?;
            by_reader
                .entry(reader)
                .or_default()
                .extend(explained_messages);
        }
    }
    let mut text = String::new();
    for (reader, mut explained_messages) in by_reader {
        explained_messages.sort();
        explained_messages.dedup();
        text += &format!(
            "\n## {}\n\n| message | why |\n| --- | --- |\n",
            READERS[reader].0
        );
        for (message, cause) in explained_messages {
            text += &format!("| {} | {} |\n", cell(&code(&message)), cell(&cause));
        }
    }
    Ok(text + "\n")
}

/// Returns all Rust files below a directory, sorted.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|rust| rust == "rs") => found.push(path),
            false => {}
        }
    }
    found
}

/// Returns the messages of an enum or struct. The error is the name of a variant without a doc
/// comment.
fn explained(item: &Item) -> Result<Vec<Explained>, String> {
    let described: Vec<(&[Attribute], String)> = match item {
        Item::Enum(of) => {
            let variants = of.variants.iter();
            let variants =
                variants.map(|one| (&one.attrs[..], format!("{}::{}", of.ident, one.ident)));
            variants.collect()
        }
        Item::Struct(of) => vec![(&of.attrs[..], of.ident.to_string())],
        _ => Vec::new(),
    };
    let mut messages = Vec::new();
    for (attributes, name) in described {
        let Some(message) = attributes.iter().find_map(message) else {
            continue;
        };
        // The message consists of its arguments, so it is explained where these are defined.
        if message.chars().all(|letter| "… :'".contains(letter)) {
            continue;
        }
        let cause = documentation(attributes);
        if cause.is_empty() {
            return Err(name);
        }
        messages.push((message, cause));
    }
    Ok(messages)
}

/// Returns the text of `#[error("…")]`, with `…` in place of every argument.
fn message(attribute: &Attribute) -> Option<String> {
    if !attribute.path().is_ident("error") {
        return None;
    }
    let parse = |input: syn::parse::ParseStream<'_>| {
        let text: LitStr = input.parse()?;
        // Skips the arguments after the text.
        let _: proc_macro2::TokenStream = input.parse()?;
        Ok(text.value())
    };
    let text = attribute.parse_args_with(parse).ok()?;
    let mut shown = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '}' if letters.peek() == Some(&letter) => shown.extend(letters.next()),
            '{' => {
                letters.by_ref().find(|letter| *letter == '}');
                shown.push('…');
            }
            letter => shown.push(letter),
        }
    }
    Some(shown)
}

fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(line),
                    ..
                }) => Some(line.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        });
    let lines: Vec<String> = lines.collect();
    lines.join(" ").trim().to_owned()
}

/// Formats a text as code, even if it contains backquotes.
fn code(text: &str) -> String {
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
