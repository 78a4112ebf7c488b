//! The comparison with the oracle for any number of cases: `make fuzz-filter CASES=n SEED=n`.

use std::{
    env,
    panic::catch_unwind,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use crate::oracle::{FILTERS, compare};

const CASES: u64 = 100_000_000;
const REPORT: Duration = Duration::from_secs(20);

/// Returns a number from an environment variable.
fn given(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")))
}

#[test]
#[ignore = "runs for many minutes; `make fuzz-filter`"]
fn selection_is_what_the_specification_says_many_times() {
    let cases = given("CASES").unwrap_or(CASES);
    // Lower seeds belong to the test that always runs.
    let first = given("SEED").unwrap_or(1_000_000);
    let catalogs = cases.div_ceil(FILTERS as u64);
    let (next, compared, wrong) = (AtomicU64::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    let work = || {
        while let at = next.fetch_add(1, Relaxed)
            && at < catalogs
        {
            let seed = first + at;
            // The panic message names the seed and the filter.
            match catch_unwind(|| compare(seed..seed + 1)) {
                Ok(count) => _ = compared.fetch_add(count, Relaxed),
                Err(_) => _ = wrong.fetch_add(1, Relaxed),
            }
        }
    };
    let report = || {
        let seconds = begun.elapsed().as_secs();
        println!("{} cases, {} catalogs disagree, {seconds} s", compared.load(Relaxed), wrong.load(Relaxed));
    };
    println!("{cases} cases from seed {first}");
    thread::scope(|scope| {
        let workers: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        let mut told = Instant::now();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(Duration::from_millis(50));
            if told.elapsed() >= REPORT {
                (told, _) = (Instant::now(), report());
            }
        }
    });
    report();
    assert_eq!(wrong.into_inner(), 0, "catalogs disagree; each is named by its seed above");
}
