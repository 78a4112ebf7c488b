//! Conditions on the arguments of calls: the rows of `tests/fixtures/arguments.json`.
#![allow(clippy::unwrap_used)]

use mcp_sieve::{
    expr::{Arguments, Expr, NoCaller},
    json::{Members, Raw},
};

#[test]
fn conditions_accept_only_arguments_for_which_they_hold() {
    let rows = include_str!("fixtures/arguments.json");
    for row in Raw::parse(rows).unwrap().elements().unwrap() {
        let row = Members::read(row).unwrap();
        let text = |key| row.get(key).and_then(Raw::text).unwrap().into_owned();
        let condition = Expr::from_json_with_arguments(row.get("condition").unwrap()).unwrap();
        for (list, expected) in [("accepts", true), ("refuses", false)] {
            for arguments in row.get(list).and_then(Raw::elements).unwrap_or_default() {
                let arguments = arguments.text().unwrap();
                let read = Arguments::read(Some(Raw::parse(&arguments).unwrap()));
                let holds = read.and_then(|read| read.evaluate(&condition, &NoCaller)) == Some(true);
                assert_eq!(holds, expected, "{}: {condition} on {arguments}", text("name"));
            }
        }
    }
}
