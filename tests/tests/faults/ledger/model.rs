/// A model of `tests/models/src/ledger.rs`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// The name.
    pub name: &'static str,
    /// The datatypes of its outputs.
    pub outputs: &'static [&'static str],
    /// Whether a request with a negative value fails without affecting others.
    pub refuses: bool,
}

/// All models.
pub(crate) const MODELS: [Model; 5] = [
    Model {
        name: "Ledger1",
        outputs: &["INT64"],
        refuses: false,
    },
    Model {
        name: "Ledger2",
        outputs: &["INT64", "INT64"],
        refuses: false,
    },
    Model {
        name: "Ledger5",
        outputs: &["INT64", "BYTES", "INT64", "FP64", "INT64"],
        refuses: false,
    },
    Model {
        name: "LedgerInFlight",
        outputs: &["INT64", "INT64"],
        refuses: false,
    },
    Model {
        name: "LedgerRaw",
        outputs: &["INT64", "INT64"],
        refuses: true,
    },
];
