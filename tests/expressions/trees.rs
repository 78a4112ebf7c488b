//! Generates random trees of every shape, with names that often coincide and values of every kind.

use mcp_sieve::expr::{Expr, Field, Op, Term};
use proptest::{prelude::*, sample::select};

pub const FIELDS: [Field; 17] = [
    Field::Kind,
    Field::Group,
    Field::Tag,
    Field::Name,
    Field::Title,
    Field::Description,
    Field::Uri,
    Field::Server,
    Field::Audience,
    Field::Priority,
    Field::LastModified,
    Field::ClientName,
    Field::ClientVersion,
    Field::Protocol,
    Field::Method,
    Field::Preset,
    Field::Scope,
];
const NAMED: [fn(String) -> Field; 6] =
    [Field::Concern, Field::Annotation, Field::Meta, Field::Capability, Field::Claim, Field::Header];
const ORDERS: [Op; 4] = [Op::Less, Op::AtMost, Op::Greater, Op::AtLeast];
const OTHERS: [Op; 5] = [Op::Matches, Op::Equals, Op::Differs, Op::Contains, Op::Starts];

/// Generates text that may look like anything: bare words, operators, quotes, white space of every kind.
pub fn text() -> impl Strategy<Value = String> {
    const ODD: [&str; 24] = [
        "", "=", "=x", ">", "-", "(", ")", "or", "and", "not", "\"", "\\", "a b", "*", "a*", "?", "\u{3000}",
        "né🧀", "true", "null", "0.5", "-0", "1e3", "007",
    ];
    prop_oneof![
        select(ODD.to_vec()).prop_map(str::to_owned),
        "[ab*?.]{0,4}",
        any::<String>().prop_map(|text| text.chars().take(12).collect()),
    ]
}

/// Generates a value that has an order in this field.
fn measure(field: &Field) -> impl Strategy<Value = String> + use<> {
    let measures = match field {
        Field::Priority => ["0", "0.5", "-1e3", "7"],
        Field::LastModified => {
            ["1970-01-01", "2026-07-28T12:00:00Z", "2026-07-28T12:00:00.5+02:00", "9999-12-31"]
        }
        Field::ClientVersion => ["0", "1.2", "1.2.3-rc.1", "v2"],
        _ => ["0.5", "2026-07-28", "1.2.3", "1e999.0"],
    };
    let measures =
        measures.into_iter().filter(|text| Term::new(Field::Meta("x".to_owned()), Op::Less, *text).is_ok());
    select(measures.collect::<Vec<_>>()).prop_map(str::to_owned)
}

fn field() -> impl Strategy<Value = Field> {
    let name = text().prop_filter_map("a name", |name| (!name.is_empty()).then_some(name));
    prop_oneof![
        2 => select(FIELDS.to_vec()),
        1 => (select(NAMED.to_vec()), name).prop_map(|(named, name)| match named(name) {
            Field::Header(name) => Field::Header(name.to_ascii_lowercase()),
            field => field,
        }),
    ]
}

fn term() -> impl Strategy<Value = Expr> {
    let compared = field().prop_flat_map(|field| {
        let ordered = (select(ORDERS.to_vec()), measure(&field));
        let other = (select(OTHERS.to_vec()), text());
        (Just(field), prop_oneof![ordered.boxed(), other.boxed()])
    });
    compared.prop_map(|(field, (op, value))| Expr::Term(Term::new(field, op, value).expect("a term")))
}

/// Generates lists of two or more elements, nested in every way, over these terms.
pub fn tree_of(term: impl Strategy<Value = Expr> + 'static) -> impl Strategy<Value = Expr> {
    term.prop_recursive(6, 48, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::Any),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

pub fn tree() -> impl Strategy<Value = Expr> {
    tree_of(term())
}
