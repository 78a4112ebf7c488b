//! A custom middleware function for tests, which converts texts to capitals.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{Arguments, Content, Environment, Middleware, Outcome, Registry};

/// A custom function that converts every text to capitals except `keep`. It fails or refuses if the text asks for it.
#[derive(Debug)]
pub struct Shout(pub &'static str);

impl Middleware for Shout {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &str {
        "Puts texts in capitals."
    }

    fn input_schema(&self) -> &str {
        r#"{"type":"object","properties":{"keep":{"type":"string"},"redactions":{"type":"object","additionalProperties":{"type":"string"}}}}"#
    }

    fn apply<'a>(
        &'a self,
        mut context: Content<'a>,
        arguments: &'a Arguments<'a>,
        _: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let keep = arguments.text("keep").unwrap_or_default();
            let (mut count, mut whole) = (0, String::new());
            context.rewrite(&mut |_, text| {
                whole.push_str(text);
                count += 1;
                (text != keep).then(|| text.to_uppercase())
            });
            if whole.contains("broken") {
                return Ok(Outcome { metadata: Some("[]".to_owned()), ..Outcome::new(context) });
            }
            let carried = arguments.members("redactions").map_or(0, |map| map.0.len());
            let outcome = Outcome::new(context).with_metadata(|metadata| {
                metadata.raw("texts", count.to_string().as_bytes());
                metadata.raw("carried", carried.to_string().as_bytes());
                metadata.raw("redactions", format!(r#"{{"[T_{}]":"secret"}}"#, carried + 1).as_bytes());
            });
            Ok(if whole.contains("forbidden") {
                outcome.refuse("loud", "a word that is not said")
            } else {
                outcome
            })
        }
        .boxed_local()
    }
}

/// Returns the built-in functions and two instances of [`Shout`].
pub fn shouting() -> Registry {
    let mut registry = Registry::built_in();
    registry.add(Rc::new(Shout("shout"))).unwrap();
    registry.add(Rc::new(Shout("again"))).unwrap();
    registry
}
