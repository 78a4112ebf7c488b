//! The state transitions of a task.

use mcp_sieve::task::{Status, TaskState};
use mcp_sieve_gateway::host::Era;
use mcp_sieve_gateway::tasks::{Event, MAX_QUESTIONS, Refusal, Remote, Task};

use crate::random::{BEGIN, Random};

fn task() -> Task {
    Task { state: TaskState::Working, created: BEGIN, updated: BEGIN, ..Random::new(1).task(0, 1) }
}

fn ask(key: &str) -> Event {
    Event::Ask(vec![(key.to_owned(), "{}".to_owned())])
}

fn answer(key: &str, with: &str) -> Event {
    Event::Answer(vec![(key.to_owned(), with.to_owned())])
}

#[test]
fn what_has_ended_stays_as_it_is() {
    let ends = [
        (Event::Complete { result: "{}".to_owned(), is_error: false }, TaskState::Completed),
        (Event::Complete { result: "{}".to_owned(), is_error: true }, TaskState::Erred),
        (Event::Fail("{}".to_owned()), TaskState::Failed),
        (Event::Cancel, TaskState::Cancelled),
    ];
    for (end, state) in &ends {
        for asks in [false, true] {
            let mut ended = task();
            if asks {
                ended.apply(ask("a"), BEGIN).unwrap();
            }
            assert_eq!(ended.apply(end.clone(), BEGIN + 1), Ok(true));
            assert_eq!((ended.state, ended.updated), (*state, BEGIN + 1));
            let before = ended.clone();
            let later = ends.iter().map(|(end, _)| end.clone());
            for event in later.chain([ask("b"), answer("a", "{}"), Event::Progress(None)]) {
                assert_eq!(ended.apply(event, BEGIN + 2), Err(Refusal::Ended));
                assert_eq!(ended, before);
            }
        }
    }
}

#[test]
fn the_status_message_is_that_of_the_end() {
    let failed = || Event::Fail(r#"{"code":-31000,"message":"it \"broke\""}"#.to_owned());
    let complete = |is_error| Event::Complete { result: "{}".to_owned(), is_error };
    let told = |event| Event::End { event: Box::new(event), message: "bye".to_owned() };
    for (end, message) in [
        (complete(false), None),
        (complete(true), None),
        (Event::Cancel, None),
        (failed(), Some("it \"broke\"")),
        (Event::Fail("{}".to_owned()), None),
        (told(complete(false)), Some("bye")),
        (told(failed()), Some("bye")),
    ] {
        let mut ended = task();
        ended.apply(Event::Progress(Some("half".to_owned())), BEGIN).unwrap();
        assert_eq!(ended.apply(end.clone(), BEGIN + 1), Ok(true));
        assert_eq!((ended.message.as_deref(), ended.updated), (message, BEGIN + 1), "{end:?}");
        assert_eq!(ended.apply(told(Event::Cancel), BEGIN + 2), Err(Refusal::Ended));
        assert_eq!(ended.message.as_deref(), message);
    }
}

#[test]
fn a_task_works_again_when_all_is_answered() {
    let mut task = task();
    task.apply(Event::Ask(vec![("a".into(), "{}".into()), ("b".into(), "{}".into())]), BEGIN).unwrap();
    assert_eq!(task.state, TaskState::InputRequired);
    assert_eq!(task.apply(answer("z", "{}"), BEGIN + 1), Ok(false), "an unknown key says nothing");
    assert_eq!(task.apply(answer("a", "1"), BEGIN + 1), Ok(true));
    assert_eq!(task.apply(answer("a", "2"), BEGIN + 2), Ok(false), "an answer is given once");
    assert_eq!((task.state, task.updated), (TaskState::InputRequired, BEGIN + 1));
    assert_eq!(task.apply(answer("b", "3"), BEGIN + 3), Ok(true));
    assert_eq!(task.state, TaskState::Working);
    assert_eq!(task.apply(ask("a"), BEGIN + 4), Err(Refusal::KeyUsed), "keys are for life");
    assert_eq!(task.questions.len(), 2);
    assert_eq!(task.questions[0].answer.as_deref(), Some("1"));
}

#[test]
fn a_report_of_the_server_replaces_what_was_open() {
    let report = |waits, keys: &[&str]| Event::Report {
        message: Some("busy".to_owned()),
        waits,
        questions: keys.iter().map(|key| ((*key).to_owned(), "{}".to_owned())).collect(),
    };
    let open = |task: &Task| -> Vec<String> { task.open_questions().map(|open| open.key.clone()).collect() };
    let mut task = task();
    for (event, changed, state, expected) in [
        (report(false, &["a", "b"]), true, TaskState::InputRequired, vec!["a", "b"]),
        (report(false, &["b", "a"]), false, TaskState::InputRequired, vec!["a", "b"]),
        (answer("a", "1"), true, TaskState::InputRequired, vec!["b"]),
        // The server has not read the answer yet.
        (report(false, &["a", "b"]), false, TaskState::InputRequired, vec!["b"]),
        (report(false, &["c"]), true, TaskState::InputRequired, vec!["c"]),
        (report(false, &[]), true, TaskState::Working, vec![]),
        (report(true, &[]), true, TaskState::InputRequired, vec![]),
        (report(true, &[]), false, TaskState::InputRequired, vec![]),
        (report(false, &[]), true, TaskState::Working, vec![]),
    ] {
        assert_eq!(task.apply(event.clone(), BEGIN), Ok(changed), "{event:?}");
        assert_eq!((task.state, open(&task)), (state, expected.iter().map(ToString::to_string).collect()));
    }
    let many: Vec<String> = (0..=MAX_QUESTIONS).map(|at| at.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let before = task.clone();
    assert_eq!(task.apply(report(false, &many), BEGIN), Err(Refusal::TooManyQuestions));
    assert_eq!(task, before);
}

#[test]
fn questions_are_bounded() {
    let mut task = task();
    for at in 0..MAX_QUESTIONS {
        task.apply(ask(&at.to_string()), BEGIN).unwrap();
    }
    assert_eq!(task.apply(ask("one more"), BEGIN), Err(Refusal::TooManyQuestions));
    assert_eq!(task.questions.len(), MAX_QUESTIONS);
    // Answered questions do not count.
    task.apply(answer("0", "{}"), BEGIN).unwrap();
    task.apply(ask("one more"), BEGIN).unwrap();
    assert_eq!(task.apply(ask("two more"), BEGIN), Err(Refusal::TooManyQuestions));
}

#[test]
fn a_clock_that_jumps_back_moves_no_task_back() {
    let mut task = task();
    task.apply(Event::Progress(Some("one".to_owned())), BEGIN + 10).unwrap();
    task.apply(Event::Progress(Some("two".to_owned())), BEGIN - 1_000).unwrap();
    assert_eq!(task.updated, BEGIN + 10);
}

#[test]
fn a_record_is_read_as_it_was_written() {
    for seed in 0..200 {
        let mut task = Random::new(seed).task(seed, 1_000);
        task.message = Some("\"quoted\" \u{1f980}\n".to_owned());
        if seed % 2 == 0 {
            task.remote = Some(Remote {
                server: "up".to_owned(),
                id: "their-id".to_owned(),
                era: Era::Stateless,
                client: if seed % 4 == 0 { Era::Session } else { Era::Stateless },
                capabilities: r#"{"elicitation":{}}"#.to_owned(),
            });
            task.state = TaskState::Working;
            task.apply(ask("k\"ey"), BEGIN).unwrap();
            task.apply(ask("other"), BEGIN).unwrap();
            task.apply(answer("other", r#"{"a":[1]}"#), BEGIN).unwrap();
        }
        assert_eq!(Task::read(&task.head(), None), Ok(task.clone()));
        assert_eq!(serde_json::from_str::<Task>(&serde_json::to_string(&task).unwrap()).unwrap(), task);
    }
    for broken in [
        "",
        "{}",
        "[]",
        r#"{"id":"a","owner":"b","method":"c","name":"d","state":9,"created":1,"updated":1}"#,
    ] {
        assert!(Task::read(broken, None).is_err(), "{broken}");
    }
}

#[test]
fn both_eras_have_words_for_every_state() {
    for state in TaskState::ALL {
        assert_eq!(TaskState::numbered(state.number()), Some(state));
        let [legacy, modern] = [Era::Session, Era::Stateless].map(|era| state.status(era));
        assert_eq!(legacy == modern, state != TaskState::Erred);
    }
    assert_eq!(TaskState::Erred.status(Era::Session), Status::Failed);
    assert_eq!(TaskState::Erred.status(Era::Stateless), Status::Completed);
    assert!(Status::ALL.iter().all(|status| Status::named(status.name()) == Some(*status)));
}
