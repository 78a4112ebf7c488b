//! Questions of steps to the client.

use std::{cell::RefCell, rc::Rc};

use mcp_sieve::task::TaskState;
use mcp_sieve_gateway::local::{Input, Reply};
use mcp_sieve_gateway::tasks::{Event, MAX_QUESTIONS};
use serde_json::{Value, json};

use super::server::{advance, at_once, outcome, question, reason, result, run, store};

#[test]
fn questions_have_one_key_for_life_and_answers_come_back_under_the_tools_own() {
    let store = store(&["import"]);
    let runner = store.runner();
    let seen = Rc::new(RefCell::new(Vec::new()));
    let told = Rc::clone(&seen);
    let server = at_once(move |ask| {
        told.borrow_mut().push(Value::Object(ask.answers.clone()));
        let input = Input::default().ask("who", "elicitation/create", question("Who?"));
        Ok(match ask.state.as_deref() {
            None => Reply::Input(input.state("first")),
            Some(b"first") => {
                // The second key is the name that the first would be changed to.
                let input = Input::default().ask("who-2", "elicitation/create", question("Which?"));
                Reply::Input(input.ask("who", "elicitation/create", question("And who?")).state("second"))
            }
            _ => result("imported"),
        })
    });
    let keys = || store.named("import").open_questions().map(|open| open.key.clone()).collect::<Vec<_>>();
    let answer = |key: &str, text: &str| {
        let answer = (key.to_owned(), json!({"action": text}).to_string());
        runner.apply("id-import", Event::Answer(vec![answer])).unwrap().unwrap()
    };
    run(&runner, &server);
    assert_eq!((store.named("import").state, store.due("import")), (TaskState::InputRequired, None));
    assert_eq!(keys(), ["who"]);
    let request: Value = serde_json::from_str(&store.named("import").questions[0].request).unwrap();
    assert_eq!(request, json!({"method": "elicitation/create", "params": {"message": "Who?"}}));
    advance(&store, 10_000);
    run(&runner, &server);
    assert_eq!(seen.borrow().len(), 1, "a step before its answers");

    assert_eq!(answer("what", "none").changed, Ok(false), "no such question");
    assert_eq!(store.due("import"), None);
    let applied = answer("who", "alice");
    assert_eq!((applied.changed, applied.task.state), (Ok(true), TaskState::Working));
    assert_eq!(store.due("import"), Some(1_010_000));
    run(&runner, &server);
    assert_eq!(keys(), ["who-2", "who-3"]);

    answer("who-3", "carol");
    assert_eq!(store.due("import"), None, "one is open still");
    assert_eq!(answer("who", "mallory").changed, Ok(false), "answered before");
    answer("who-2", "bob");
    run(&runner, &server);
    let expected = [
        json!({}),
        json!({"who": {"action": "alice"}}),
        json!({"who": {"action": "carol"}, "who-2": {"action": "bob"}}),
    ];
    assert_eq!(*seen.borrow(), expected);
    assert_eq!(store.named("import").state, TaskState::Completed);
}

#[test]
fn what_a_client_cannot_be_asked_ends_the_task() {
    let store = store(&["import", "curious"]);
    let server = at_once(|ask| {
        let ask_all = |input: Input, at| input.ask(&format!("q{at}"), "elicitation/create", question("?"));
        Ok(Reply::Input(match ask.params["name"].as_str() {
            Some("import") => Input::default().ask("sum", "sampling/createMessage", json!({})),
            _ => (0..=MAX_QUESTIONS).fold(Input::default(), ask_all),
        }))
    });
    run(&store.runner(), &server);
    assert_eq!(store.named("import").state, TaskState::Failed);
    assert_eq!(outcome(&store, "import")["data"]["requiredCapabilities"], json!({"sampling": {}}));
    assert_eq!(reason(&store, "curious"), "task_questions");
    assert!(store.named("curious").questions.is_empty());
    assert!(store.steps.borrow().is_empty());
}
