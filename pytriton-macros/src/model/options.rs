use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Lit;

use super::attribute::Attribute;
use super::option_table::{Group, INLINE, OPTIONS, SEQUENCES};
use super::{instances, versions};
use crate::decorators::Decoration;
use crate::errors::Errors;
use crate::expression::literal;
use crate::options::Options;
use crate::path::CratePath;
use crate::tensor::{optional, refusal, spanned_call};
use crate::value::{Form, Value};

/// The option for the policy of a priority level.
const POLICY: &str = "priority_queue_policy";

/// The arguments of `#[model(…)]`.
#[derive(Debug)]
pub(crate) struct ModelOptions {
    pub(crate) root: CratePath,
    rows: Vec<Row>,
    policies: Vec<Policy>,
    /// The key of [`POLICY`], which may be repeated.
    policy_key: Option<Ident>,
    parameters: Vec<(String, String)>,
    /// The name of the type for typed clients.
    pub(super) client: Option<Ident>,
    /// Whether this type is declared elsewhere.
    pub(super) client_exists: bool,
    /// The OpenAI route of the model.
    pub(super) openai: Option<TokenStream>,
    /// Whether the model generates text for this route.
    pub(super) generates_text: bool,
    /// `#[cost]`, and the name of its input.
    pub(super) cost: Option<(Decoration, TokenStream)>,
    /// The function's doc comment, which is the default description of the model.
    pub(super) docs: String,
    /// Whether a parameter is the state of a sequence.
    pub(super) state: bool,
    /// Whether every option that others may depend on is valid.
    pub(super) valid: bool,
}

/// Returns the option `client`.
fn client(options: &Options, errors: &mut Errors) -> Option<Ident> {
    let value = options.value("client")?;
    let name = syn::parse2(value.clone());
    if name.is_err() {
        errors.push(value, "expected a name: write `client = MyModel`");
    }
    name.ok()
}

/// The policy of one level.
#[derive(Debug)]
struct Policy {
    level: Option<Value>,
    queue: Vec<Row>,
}

/// An option that is present.
#[derive(Debug)]
struct Row {
    name: &'static str,
    form: Form,
    /// Whether it conflicts with others.
    conflicting: bool,
    group: Group,
    key: Option<Ident>,
    value: Value,
}

impl ModelOptions {
    pub(crate) fn parse(attribute: &Attribute, tokens: TokenStream, errors: &mut Errors) -> Self {
        let Attribute {
            name,
            usage,
            excluded,
        } = attribute;
        let known: Vec<&str> = names(|_| true)
            .chain([POLICY, "parameters", "client", "crate"])
            .filter(|option| !excluded.contains(option))
            .collect();
        let options = Options::parse_nested(name, tokens, &known, &[POLICY], errors);
        if options.lacks("name") {
            errors.push_missing(format_args!(
                "`name` is missing: write `{usage}` with the model's name"
            ));
        }
        let root = CratePath::take(&options, errors);
        let before = errors.len();
        let mut rows = values(&options, |_| true, errors);
        rows.retain(|row| row.form != Form::Instances || instances::check(&row.value, errors));
        let policies = options.nested(POLICY);
        let policies = policies.map(|(key, inside)| Policy::parse(key, inside, errors));
        let policies = policies.collect();
        Self {
            root,
            rows,
            policies,
            valid: options.readable() && errors.len() == before,
            policy_key: options.key(POLICY).cloned(),
            parameters: options.texts("parameters", errors),
            client: client(&options, errors),
            client_exists: false,
            openai: None,
            generates_text: false,
            cost: None,
            docs: String::new(),
            state: false,
        }
    }

    /// Sets the type for typed clients, which is declared elsewhere.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn set_client(&mut self, name: Ident) {
        self.client = Some(name);
        self.client_exists = true;
    }

    /// Sets `batching = false`.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn disable_batching(&mut self) {
        let value = Value {
            expression: syn::parse_quote!(false),
        };
        self.rows.push(Row {
            name: "batching",
            form: Form::Boolean,
            conflicting: true,
            group: Group::Model,
            key: None,
            value,
        });
    }

    /// Returns the model's name; empty if it is missing.
    pub(super) fn model_name(&self) -> String {
        self.row("name")
            .map_or_else(String::new, |row| match literal(&row.value.expression) {
                Some(Lit::Str(text)) => text.value(),
                _ => row.value.to_token_stream().to_string(),
            })
    }

    /// Returns whether axis 0 of every tensor is the batch, as far as the tokens show.
    pub(crate) fn batching(&self) -> bool {
        let batching = self.row("batching");
        batching.and_then(|row| row.value.boolean()) != Some(false)
    }

    /// Returns the expression of the model's name.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn name(&self) -> Option<TokenStream> {
        self.row("name").map(|row| row.value.to_token_stream())
    }

    /// Returns the keys of the options that need batching.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn batching_keys(&self) -> impl Iterator<Item = &Ident> {
        const WITHOUT: [&str; 6] = [
            "name",
            "version",
            "version_policy",
            "instances",
            "batching",
            "description",
        ];
        let rows = self.rows.iter().filter(|row| match row.group {
            Group::Model => !WITHOUT.contains(&row.name),
            Group::Call => false,
            Group::Queue => true,
        });
        let keys = rows.filter_map(|row| row.key.as_ref());
        keys.chain(&self.policy_key)
    }

    /// Returns whether the option is present.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.row(name).is_some()
    }

    /// Returns the key of an option that is present.
    #[cfg(any(feature = "onnx", test))]
    pub(crate) fn key(&self, name: &str) -> Option<&Ident> {
        self.row(name)?.key.as_ref()
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Returns the key of the option `inline`, unless its value is `false`.
    pub(super) fn inline(&self) -> Option<&Ident> {
        let row = self.row(INLINE)?;
        match row.value.boolean() {
            Some(false) => None,
            _ => row.key.as_ref(),
        }
    }

    /// Returns whether requests belong to sequences.
    pub(super) fn sequences(&self) -> bool {
        self.state || self.is_set(SEQUENCES)
    }

    /// Returns the constant `__OPTIONS`, and the checks of the options.
    pub(super) fn to_tokens(&self) -> TokenStream {
        let model = fields(&self.rows, Group::Model);
        let docs = &self.docs;
        let described = docs.is_empty() || self.is_set("description");
        let description = (!described).then(|| quote!(description: #docs,));
        let has = |group| self.rows.iter().any(|row| row.group == group);
        let call = has(Group::Call).then(|| {
            let options = partial(&self.rows, Group::Call);
            quote!(call_options: #options,)
        });
        let policy = has(Group::Queue).then(|| {
            let policy = partial(&self.rows, Group::Queue);
            quote!(queue_policy: #policy,)
        });
        let policies = self.policies.iter().map(|policy| {
            let level = Value::or(policy.level.as_ref(), 1_u64);
            let queue = partial(&policy.queue, Group::Queue);
            quote!((#level, #queue))
        });
        let policies = list(POLICY, policies);
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| quote!((#name, #value)));
        let parameters = list("parameters", parameters);
        let implied = (self.state && !self.is_set(SEQUENCES))
            .then(|| quote!(sequence_batching: __private::SequenceScheduling::named("direct"),));
        let openai = self.openai.as_ref().map(|surface| {
            let implied = self.generates_text && !self.is_set("batching");
            let batching = implied.then(|| quote!(batching: false,));
            quote!(openai: ::core::option::Option::Some(#surface), #batching)
        });
        let cost = self.cost.as_ref().map(|(_, input)| {
            let input = optional(Some(input));
            quote!(cost: #input,)
        });
        let checks = self.to_checks();
        quote! {
            static __OPTIONS: __private::ModelOptions<'static> = __private::ModelOptions {
                #(#model,)*
                #description
                #call
                #policy
                #policies
                #parameters
                #implied
                #openai
                #cost
                ..__private::ModelOptions::DEFAULT
            };
            #checks
        }
    }

    /// Returns the checks of options with common values, without a constant of their own.
    pub(super) fn to_usual_checks(&self) -> impl Iterator<Item = TokenStream> {
        let rows = self.rows.iter().filter(|row| row.value.is_usual());
        rows.map(|Row { name, value, .. }| {
            spanned_call(&value.expression, "refuse", &quote!(__OPTIONS.flaw(#name)))
        })
    }

    /// Returns the checks of each option, and of combinations if each is valid.
    fn to_checks(&self) -> TokenStream {
        let mut checks = TokenStream::new();
        let unusual = self.rows.iter().filter(|row| !row.value.is_usual());
        for Row {
            name, form, value, ..
        } in unusual
        {
            let groups = value.elements().into_iter().enumerate();
            let groups = groups.filter(|_| *form == Form::Instances);
            let groups = groups
                .map(|(index, group)| refusal(group, &quote!(__OPTIONS.instance_flaw(#index))));
            let groups: TokenStream = groups.collect();
            checks.extend(match groups.is_empty() {
                true => refusal(&value.expression, &quote!(__OPTIONS.flaw(#name))),
                false => groups,
            });
        }
        let policies = self.policies.iter().flat_map(|policy| &policy.queue);
        let actions = self.rows.iter().chain(policies);
        let actions = actions.filter(|row| row.form == Form::Action);
        let actions: Vec<&Value> = actions.map(|row| &row.value).collect();
        for value in &actions {
            let flaw = quote!(__private::timeout_action_flaw(#value));
            checks.extend(refusal(&value.expression, &flaw));
        }
        let openai_batching = self.openai.is_some() && self.is_set("max_batch_size");
        let conflicts =
            openai_batching || self.policy_key.is_some() || self.state || self.cost.is_some();
        if !self.valid || !(conflicts || self.rows.iter().any(|row| row.conflicting)) {
            return checks;
        }
        let names = self.rows.iter().map(|row| row.name);
        checks.extend(quote! {
            const __VALID: bool = __private::all_valid(&[
                #(__OPTIONS.flaw(#names),)*
                #(__private::timeout_action_flaw(#actions),)*
            ]);
        });
        let if_valid =
            |flaw: TokenStream| quote!(__private::violation_if(__VALID, __OPTIONS.#flaw));
        for Row {
            name, key, value, ..
        } in &self.rows
        {
            checks.extend(refusal(key, &if_valid(quote!(conflict(#name)))));
            let sizes = value.elements().into_iter().enumerate();
            let sizes = sizes.filter(|_| *name == "preferred_batch_size");
            checks.extend(
                sizes.map(|(index, size)| refusal(size, &if_valid(quote!(preferred_flaw(#index))))),
            );
        }
        if let Some(key) = &self.policy_key {
            checks.extend(refusal(key, &if_valid(quote!(conflict(#POLICY)))));
        }
        if let Some((decoration, _)) = &self.cost {
            checks.extend(refusal(decoration, &if_valid(quote!(conflict("cost")))));
        }
        for (index, policy) in self.policies.iter().enumerate() {
            let level = policy.level.iter().map(|level| ("level", level));
            let queue = policy.queue.iter().map(|row| (row.name, &row.value));
            checks.extend(level.chain(queue).map(|(name, value)| {
                refusal(
                    &value.expression,
                    &if_valid(quote!(level_flaw(#index, #name))),
                )
            }));
        }
        checks
    }
}

impl Policy {
    fn parse(key: &Ident, inside: TokenStream, errors: &mut Errors) -> Self {
        let attribute = format!("{POLICY}(…)");
        let queue = names(|group| group == Group::Queue);
        let known: Vec<&str> = ["level"].into_iter().chain(queue).collect();
        let options = Options::parse(&attribute, inside, &known, errors);
        options.need("level = 1", key, errors);
        Self {
            level: Value::take(&options, "level", Form::Number, errors),
            queue: values(&options, |group| group == Group::Queue, errors),
        }
    }
}

impl Row {
    /// Returns the statement that sets the option in `__options`.
    fn to_assignment(&self) -> TokenStream {
        let field = format_ident!("{}", self.name);
        let value = self.to_value();
        quote!(__options.#field = #value;)
    }

    /// Returns the option as a field of the runtime's type.
    fn to_field(&self) -> TokenStream {
        let Self { name, value, .. } = self;
        if self.form == Form::Instances
            && let Some(count) = instances::to_count(value)
        {
            return count;
        }
        let field = format_ident!("{name}");
        let value = self.to_value();
        quote!(#field: #value)
    }

    fn to_value(&self) -> TokenStream {
        let Self { value, .. } = self;
        match self.form {
            Form::Instances => instances::to_groups(value),
            Form::Versions => optional(versions::to_policy(value)),
            Form::Strategy => {
                let strategy = value.expression.to_token_stream().to_string();
                quote!(__private::SequenceScheduling::named(#strategy))
            }
            Form::Action => quote!(__private::timeout_action(#value)),
            _ => quote!(#value),
        }
    }
}

fn names(of: fn(Group) -> bool) -> impl Iterator<Item = &'static str> {
    let options = OPTIONS.iter().filter(move |(.., group)| of(*group));
    options.map(|(name, ..)| *name)
}

fn values(options: &Options, of: fn(Group) -> bool, errors: &mut Errors) -> Vec<Row> {
    let known = OPTIONS.iter().filter(|(.., group)| of(*group));
    let rows = known.filter_map(|&(name, form, conflicting, group)| {
        let value = Value::take(options, name, form, errors)?;
        Some(Row {
            name,
            form,
            conflicting,
            group,
            key: options.key(name).cloned(),
            value,
        })
    });
    rows.collect()
}

fn fields(rows: &[Row], group: Group) -> Vec<TokenStream> {
    let rows = rows.iter().filter(|row| row.group == group);
    rows.map(Row::to_field).collect()
}

/// Returns the options of a group, with defaults for the others.
fn partial(rows: &[Row], group: Group) -> TokenStream {
    let ty = match group {
        Group::Model => quote!(__private::ModelOptions),
        Group::Call => quote!(__private::CallOptions),
        Group::Queue => quote!(__private::QueuePolicy),
    };
    let rows = rows.iter().filter(|row| row.group == group);
    let fields = rows.map(Row::to_assignment);
    // Other crates cannot build the types with a struct expression.
    quote!({
        let mut __options = #ty::DEFAULT;
        #(#fields)*
        __options
    })
}

/// Returns the field for a non-empty list.
fn list(name: &str, list: impl Iterator<Item = TokenStream>) -> Option<TokenStream> {
    let mut list = list.peekable();
    list.peek()?;
    let name = format_ident!("{name}");
    Some(quote!(#name: &[#(#list),*],))
}
