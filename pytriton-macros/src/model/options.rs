use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::{instances, versions};
use crate::errors::Errors;
use crate::options::Options;
use crate::path::CratePath;
use crate::tensor::{refusal, spanned_call};
use crate::value::{Form, Value};

/// The option that says where the instances are.
const INSTANCES: &str = "instances";
/// The option that says which versions are served.
const VERSIONS: &str = "version_policy";
/// The option that says how sequences are batched.
const SEQUENCES: &str = "sequence_batching";
/// The option that gives a priority level a policy of its own.
const POLICY: &str = "priority_queue_policy";
/// The options of the model and what their values look like; their rules and defaults are the runtime's.
const MODEL: [(&str, Form); 21] = [
    ("name", Form::Text),
    ("version", Form::Number),
    (VERSIONS, Form::Versions),
    ("max_batch_size", Form::Number),
    ("batching", Form::Boolean),
    (INSTANCES, Form::Instances),
    ("batches_in_flight", Form::Number),
    ("max_call_microseconds", Form::Number),
    ("unrecoverable_panics", Form::Boolean),
    ("dynamic_batching", Form::Boolean),
    ("preferred_batch_size", Form::Numbers),
    ("max_queue_delay_microseconds", Form::Number),
    ("preserve_ordering", Form::Boolean),
    ("priority_levels", Form::Number),
    ("default_priority_level", Form::Number),
    (SEQUENCES, Form::Strategy),
    ("max_sequence_idle_microseconds", Form::Number),
    ("minimum_slot_utilization", Form::Fraction),
    ("max_candidate_sequences", Form::Number),
    ("response_cache", Form::Boolean),
    ("description", Form::Text),
];
/// The options beside which others cannot stand.
const CONFLICTING: [&str; 11] = [
    "preferred_batch_size",
    "batching",
    "dynamic_batching",
    "preserve_ordering",
    "priority_levels",
    "default_priority_level",
    SEQUENCES,
    "max_sequence_idle_microseconds",
    "minimum_slot_utilization",
    "max_candidate_sequences",
    "response_cache",
];
/// The options of a queue: the model's, or that of one level.
const QUEUE: [(&str, Form); 4] = [
    ("max_queue_size", Form::Number),
    ("default_timeout_microseconds", Form::Number),
    ("timeout_action", Form::Text),
    ("allow_timeout_override", Form::Boolean),
];

/// What stands between the parentheses of `#[model(…)]`.
#[derive(Debug)]
pub(super) struct ModelOptions {
    pub(super) root: CratePath,
    model: Vec<Row>,
    queue: Vec<Row>,
    policies: Vec<Policy>,
    /// The key of [`POLICY`], which stands once for each level.
    policy_key: Option<Ident>,
    parameters: Vec<(String, String)>,
    /// Over which of OpenAI's routes the model is served besides.
    pub(super) openai: Option<TokenStream>,
    /// The function's doc comment, which describes the model where no option does.
    pub(super) docs: String,
    /// Whether a parameter is the state of a sequence.
    pub(super) state: bool,
    /// Whether every option that others may depend on could be read.
    pub(super) sound: bool,
}

/// The policy of one level.
#[derive(Debug)]
struct Policy {
    level: Option<Value>,
    queue: Vec<Row>,
}

/// An option that is there.
#[derive(Debug)]
struct Row {
    name: &'static str,
    key: Option<Ident>,
    value: Value,
}

impl ModelOptions {
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let rows = MODEL.iter().chain(&QUEUE).map(|(name, _)| *name);
        let known: Vec<&str> = rows.chain([POLICY, "parameters", "crate"]).collect();
        let options =
            Options::parse_nested("#[pytriton::model]", tokens, &known, &[POLICY], errors);
        if options.lacks("name") {
            errors.push_missing(
                "`name` is missing: write `#[pytriton::model(name = \"…\")]` with the model's name",
            );
        }
        let root = CratePath::take(&options, errors);
        let before = errors.len();
        let mut model = values(&options, &MODEL, errors);
        model.retain(|row| match row.name {
            INSTANCES => instances::check(&row.value, errors),
            VERSIONS => versions::check(VERSIONS, &row.value, errors),
            _ => true,
        });
        let queue = values(&options, &QUEUE, errors);
        let policies = options.nested(POLICY);
        let policies = policies.map(|(key, inside)| Policy::parse(key, inside, errors));
        let policies = policies.collect();
        Self {
            root,
            model,
            queue,
            policies,
            sound: options.readable() && errors.len() == before,
            policy_key: options.key(POLICY).cloned(),
            parameters: options.texts("parameters", errors),
            openai: None,
            docs: String::new(),
            state: false,
        }
    }

    /// The value of an option that is `true` or `false`, and no constant.
    pub(super) fn boolean(&self, name: &str) -> Option<bool> {
        let mut options = self.model.iter();
        options.find(|row| row.name == name)?.value.boolean()
    }

    /// Whether the option is there.
    pub(super) fn says(&self, name: &str) -> bool {
        self.model.iter().any(|row| row.name == name)
    }

    /// Whether requests belong to sequences.
    pub(super) fn sequences(&self) -> bool {
        self.state || self.says(SEQUENCES)
    }

    /// The constant `__OPTIONS`, and what refuses each option that cannot be.
    pub(super) fn to_tokens(&self) -> TokenStream {
        let root = &self.root;
        let model = self.model.iter().map(|Row { name, value, .. }| {
            let field = format_ident!("{name}");
            match *name {
                INSTANCES => {
                    let groups = instances::to_groups(value, root);
                    quote!(#field: #groups)
                }
                VERSIONS => {
                    let policy = versions::to_policy(value, root);
                    quote!(#field: #policy)
                }
                SEQUENCES => {
                    let strategy = value.expression.to_token_stream().to_string();
                    quote!(#field: #root::SequenceScheduling::named(#strategy))
                }
                _ => quote!(#field: #value),
            }
        });
        let docs = &self.docs;
        let described = docs.is_empty() || self.says("description");
        let description = (!described).then(|| quote!(description: #docs,));
        let policy = (!self.queue.is_empty()).then(|| {
            let policy = queue_policy(&self.queue, root);
            quote!(queue_policy: #policy,)
        });
        let policies = self.policies.iter().map(|policy| {
            let level = match &policy.level {
                Some(level) => quote!(#level),
                None => quote!(1),
            };
            let queue = queue_policy(&policy.queue, root);
            quote!((#level, #queue))
        });
        let policies: Vec<TokenStream> = policies.collect();
        let policies =
            (!policies.is_empty()).then(|| quote!(priority_queue_policy: &[#(#policies),*],));
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| quote!((#name, #value)));
        let parameters: Vec<TokenStream> = parameters.collect();
        let parameters = (!parameters.is_empty()).then(|| quote!(parameters: &[#(#parameters),*],));
        let implied = (self.state && !self.says(SEQUENCES))
            .then(|| quote!(sequence_batching: #root::SequenceScheduling::named("direct"),));
        let openai = self.openai.as_ref().map(|surface| {
            let batching = (!self.says("batching")).then(|| quote!(batching: false,));
            quote!(openai: ::core::option::Option::Some(#surface), #batching)
        });
        let checks = self.to_checks();
        quote! {
            static __OPTIONS: #root::ModelOptions<'static> = #root::ModelOptions {
                #(#model,)*
                #description
                #policy
                #policies
                #parameters
                #implied
                #openai
                ..#root::ModelOptions::DEFAULT
            };
            #checks
        }
    }

    /// What refuses the options whose values are usual, without a constant around it.
    pub(super) fn to_usual_checks(&self) -> impl Iterator<Item = TokenStream> {
        let rows = self.model.iter().chain(&self.queue);
        let rows = rows.filter(|row| row.value.is_usual());
        rows.map(|Row { name, value, .. }| {
            spanned_call(&value.expression, "refuse", &quote!(__OPTIONS.flaw(#name)))
        })
    }

    /// Each option by itself, and then beside the others where each of them is right.
    fn to_checks(&self) -> TokenStream {
        let root = &self.root;
        let mut checks = TokenStream::new();
        let rows = || self.model.iter().chain(&self.queue);
        for Row { name, value, .. } in rows().filter(|row| !row.value.is_usual()) {
            let groups = value.elements().into_iter().enumerate();
            let groups = groups.filter(|_| *name == INSTANCES);
            let groups = groups
                .map(|(index, group)| refusal(group, &quote!(__OPTIONS.instance_flaw(#index))));
            let groups: TokenStream = groups.collect();
            checks.extend(match groups.is_empty() {
                true => refusal(&value.expression, &quote!(__OPTIONS.flaw(#name))),
                false => groups,
            });
        }
        let policies = self.policies.iter().flat_map(|policy| &policy.queue);
        let actions = self.queue.iter().chain(policies);
        let actions = actions.filter(|row| row.name == "timeout_action");
        let actions: Vec<&Value> = actions.map(|row| &row.value).collect();
        for value in &actions {
            let flaw = quote!(#root::timeout_action_flaw(#value));
            checks.extend(refusal(&value.expression, &flaw));
        }
        let apart = self.openai.is_some() && self.says("max_batch_size");
        let conflicts = apart || !self.queue.is_empty() || self.policy_key.is_some() || self.state;
        if !self.sound || !(conflicts || CONFLICTING.iter().any(|name| self.says(name))) {
            return checks;
        }
        let names = rows().map(|row| row.name);
        checks.extend(quote! {
            const __SOUND: bool = #root::sound(&[
                #(__OPTIONS.flaw(#names),)*
                #(#root::timeout_action_flaw(#actions),)*
            ]);
        });
        let beside = |flaw: TokenStream| quote!(#root::flaw_if(__SOUND, __OPTIONS.#flaw));
        for Row { name, key, value } in rows() {
            checks.extend(refusal(key, &beside(quote!(conflict(#name)))));
            let sizes = value.elements().into_iter().enumerate();
            let sizes = sizes.filter(|_| *name == "preferred_batch_size");
            checks.extend(
                sizes.map(|(index, size)| refusal(size, &beside(quote!(preferred_flaw(#index))))),
            );
        }
        if let Some(key) = &self.policy_key {
            checks.extend(refusal(key, &beside(quote!(conflict(#POLICY)))));
        }
        for (index, policy) in self.policies.iter().enumerate() {
            let level = policy.level.iter().map(|level| ("level", level));
            let queue = policy.queue.iter().map(|row| (row.name, &row.value));
            checks.extend(level.chain(queue).map(|(name, value)| {
                refusal(
                    &value.expression,
                    &beside(quote!(level_flaw(#index, #name))),
                )
            }));
        }
        checks
    }
}

impl Policy {
    fn parse(key: &Ident, inside: TokenStream, errors: &mut Errors) -> Self {
        let attribute = format!("{POLICY}(…)");
        let rows = QUEUE.iter().map(|(name, _)| *name);
        let known: Vec<&str> = ["level"].into_iter().chain(rows).collect();
        let options = Options::parse(&attribute, inside, &known, errors);
        if options.lacks("level") {
            errors.push(key, "`level` is missing: write `level = 1`");
        }
        Self {
            level: Value::take(&options, "level", Form::Number, errors),
            queue: values(&options, &QUEUE, errors),
        }
    }
}

fn values(options: &Options, rows: &[(&'static str, Form)], errors: &mut Errors) -> Vec<Row> {
    let rows = rows.iter().filter_map(|&(name, form)| {
        let value = Value::take(options, name, form, errors)?;
        let key = options.key(name).cloned();
        Some(Row { name, key, value })
    });
    rows.collect()
}

fn queue_policy(queue: &[Row], root: &CratePath) -> TokenStream {
    let fields = queue.iter().map(|Row { name, value, .. }| {
        let field = format_ident!("{name}");
        match *name {
            "timeout_action" => {
                quote!(#field: #root::timeout_action(#value))
            }
            _ => quote!(#field: #value),
        }
    });
    quote!(#root::QueuePolicy { #(#fields,)* ..#root::QueuePolicy::DEFAULT })
}
