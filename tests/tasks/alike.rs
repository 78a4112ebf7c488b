//! One task filter implemented three ways: literally as in the proposal, in memory, and in SQLite.

use mcp_sieve::{
    filter::OnUnknownMember,
    json::Raw,
    task::{Query, Scan, TaskFilter},
};
use mcp_sieve_gateway::host::Era;
use mcp_sieve_gateway::tasks::Task;
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    random::{BEGIN, Random},
    storage::Storage,
};

const CASES: u64 = 400;

/// T-30: within three milliseconds most tasks have equal times. They are in one order, and no page repeats or skips
/// one.
#[test]
fn memory_and_storage_find_what_the_proposal_says() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let span = random.pick(&[3, 1_000]);
        let tasks: Vec<Task> = (0..random.below(60)).map(|number| random.task(number, span)).collect();
        let storage = Storage::of(&tasks);
        for _ in 0..8 {
            let params = random.params(&tasks, span);
            let era = random.pick(&[Era::Session, Era::Stateless]);
            let now = BEGIN + random.below(2 * span);
            let text = params.to_string();
            let filter =
                TaskFilter::read(Some(Raw::parse(&text).unwrap()), OnUnknownMember::Error).unwrap().filter;
            let expected = naive(&tasks, &params, era, now);
            let size = 1 + random.below(9) as usize;
            let mut scan = Scan { query: Query::new(&filter, era), from: None, limit: size, now };
            let mut found = Vec::new();
            let mut began = scan.began(None::<&Task>);
            if let Some(latest) = scan.latest() {
                assert_eq!(storage.look(&latest).first(), latest.pick(&tasks).first().copied());
                began = scan.began(latest.pick(&tasks).first().copied());
            }
            loop {
                let page = scan.pick(&tasks);
                let kept: Vec<&Task> = page.clone();
                let stored = storage.look(&scan);
                assert_eq!(
                    stored.iter().collect::<Vec<_>>(),
                    kept,
                    "seed {seed}: {text} {era:?} {:?}",
                    mcp_sieve_gateway::tasks::Statement::for_scan(&scan)
                );
                found.extend(page.iter().map(|task| task.id.clone()));
                match page.last() {
                    Some(last) if page.len() == size => scan.from = Some(scan.behind(*last, began)),
                    _ => break,
                }
            }
            let whole = Scan { from: None, limit: usize::MAX, ..scan };
            let all: Vec<_> = whole.pick(&tasks).into_iter().map(|task| task.id.clone()).collect();
            assert_eq!(all, expected, "seed {seed}: {text} {era:?}");
            // Some of the tasks have times later than the clock's, and appear on a page like the others.
            assert_eq!(found, expected, "seed {seed}: pages make the list");
        }
    }
}

/// Selects tasks literally as the proposal specifies it.
fn naive(tasks: &[Task], params: &Value, era: Era, now: u64) -> Vec<String> {
    let filter = params.get("filter").unwrap_or(params);
    let instant = |text: &str| OffsetDateTime::parse(text, &Rfc3339).unwrap();
    let at = |ms: u64| OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).unwrap();
    let one_of = |key: &str, value: &str| {
        let wanted = filter.get(key).and_then(Value::as_array).filter(|wanted| !wanted.is_empty());
        wanted.is_none_or(|wanted| wanted.iter().any(|wanted| wanted == value))
    };
    let after =
        |key: &str, ms: u64| filter.get(key).is_none_or(|bound| at(ms) > instant(bound.as_str().unwrap()));
    let before =
        |key: &str, ms: u64| filter.get(key).is_none_or(|bound| at(ms) < instant(bound.as_str().unwrap()));
    let mut found: Vec<&Task> = tasks
        .iter()
        .filter(|task| task.ttl.is_none_or(|ttl| now < task.created + ttl))
        .filter(|task| one_of("methods", &task.method) && one_of("taskIds", &task.id))
        .filter(|task| one_of("status", task.state.status(era).name()))
        .filter(|task| after("createdAfter", task.created) && before("createdBefore", task.created))
        .filter(|task| after("lastUpdatedAfter", task.updated) && before("lastUpdatedBefore", task.updated))
        .collect();
    let by_created = filter.get("orderBy").is_some_and(|by| by == "createdAt");
    let time = |task: &Task| if by_created { task.created } else { task.updated };
    found.sort_by(|a, b| a.id.cmp(&b.id));
    match filter.get("order").is_some_and(|order| order == "asc") {
        true => found.sort_by_key(|task| time(task)),
        false => found.sort_by_key(|task| std::cmp::Reverse(time(task))),
    }
    found.into_iter().map(|task| task.id.clone()).collect()
}

/// A server that stores tasks elsewhere may report that one changed before it was created.
#[test]
fn what_others_say_of_times_is_taken_word_by_word() {
    for seed in 0..CASES {
        let mut random = Random::new(seed);
        let mut tasks: Vec<Task> = (0..random.below(30)).map(|number| random.task(number, 20)).collect();
        for task in &mut tasks {
            std::mem::swap(&mut task.created, &mut task.updated);
        }
        let text = random.params(&tasks, 20).to_string();
        let filter =
            TaskFilter::read(Some(Raw::parse(&text).unwrap()), OnUnknownMember::Error).unwrap().filter;
        let scan =
            Scan { query: Query::new(&filter, Era::Session), from: None, limit: usize::MAX, now: BEGIN };
        let found: Vec<_> = scan.pick(&tasks).into_iter().map(|task| task.id.clone()).collect();
        let params = serde_json::from_str(&text).unwrap();
        assert_eq!(found, naive(&tasks, &params, Era::Session, BEGIN), "seed {seed}: {text}");
    }
}

/// T-36: a page is read from an index. With a hundred times as many tasks it takes no more steps, in any order and from
/// any cursor. Ids are looked up, and times bound the rows read.
#[test]
fn a_page_takes_as_many_steps_whatever_there_is_besides() {
    const PAGE: usize = 50;
    const DAY: u64 = 24 * 3_600_000;
    let tasks = |count: u64, random: &mut Random| -> Vec<Task> {
        // The same number of tasks per day, over more days.
        (0..count)
            .map(|number| Task { ttl: None, ..random.task(number, DAY * count.div_ceil(500)) })
            .collect()
    };
    let mut random = Random::new(36);
    let sets = [500, 50_000].map(|count| tasks(count, &mut random));
    let storages = sets.each_ref().map(|tasks| Storage::of(tasks));
    let ids: Vec<&str> = sets[0].iter().take(PAGE).map(|task| task.id.as_str()).collect();
    let by_ids = serde_json::json!({"taskIds": ids}).to_string();
    for (filter, index) in [
        ("{}", Some("tasks_updated")),
        (r#"{"order":"asc"}"#, Some("tasks_updated")),
        (r#"{"orderBy":"createdAt"}"#, Some("tasks_created")),
        (r#"{"orderBy":"createdAt","order":"asc"}"#, Some("tasks_created")),
        (r#"{"status":["failed","cancelled"]}"#, Some("tasks_updated")),
        (
            r#"{"orderBy":"createdAt","createdAfter":"2027-01-15T09:00:00Z","createdBefore":"2027-01-15T12:00:00Z","methods":["tools/call"]}"#,
            Some("tasks_created"),
        ),
        (&by_ids, None),
    ] {
        let filter = TaskFilter::read(Some(Raw::parse(filter).unwrap()), OnUnknownMember::Error).unwrap();
        let mut scan = Scan {
            query: Query::new(&filter.filter, Era::Session),
            from: None,
            limit: PAGE,
            now: BEGIN + 365 * DAY,
        };
        for page in 0..2 {
            let [few, many] = storages.each_ref().map(|storage| storage.steps(&scan));
            let plan = storages[1].plan(&scan);
            assert!(many < 2 * few, "page {page} of {filter:?}: {few} and {many} steps; {plan}");
            // SQLite sorts only tasks of the same millisecond, or tasks that the filter names.
            let read_off = index.is_none_or(|index| {
                plan.contains(&format!("USING INDEX {index}")) && !plan.contains("TEMP B-TREE FOR ORDER BY")
            });
            assert!(read_off, "{plan}");
            let began = scan.began(None::<&Task>);
            let Some(last) = scan.pick(&sets[0]).last().copied().cloned() else { break };
            scan.from = Some(scan.behind(&last, began));
        }
    }
}
