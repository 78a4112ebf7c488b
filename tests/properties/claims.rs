//! Claims that an operator describes have the same meaning as in a token.

use std::borrow::Cow;

use http::HeaderMap;
use mcp_sieve::{
    expr::{Field, Subject},
    policy::Described,
};
use mcp_sieve_gateway::host::{Caller, Revision};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::cases;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-1000i64..1000).prop_map(Value::from),
        Just(json!(0.5)),
        Just(json!(1e30)),
        "[a-c\"\\\\é]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c](\\.[a-c])?", inner, 0..3)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn described_claims_have_the_values_that_a_token_gives(
        claims in prop::collection::btree_map("[a-c](\\.[a-c])?", value(), 0..4),
        path in "[a-c](\\.[a-c]){0,2}",
    ) {
        let claims: Map<String, Value> = claims.into_iter().collect();
        let text = Value::from(claims.clone()).to_string();
        let headers = HeaderMap::new();
        let token = Caller { claims: Some(Cow::Borrowed(&claims)), ..Caller::new(&headers, Revision::LATEST_WITH_SESSIONS, "tools/list") };
        let of = |subject: &dyn Subject| {
            let mut values = Vec::new();
            subject.values(&Field::Claim(path.clone()), &mut |value| values.push(value.to_owned()));
            values
        };
        prop_assert_eq!(of(&Described::read(&text).unwrap()), of(&token), "{} {}", text, path);
    }
}
