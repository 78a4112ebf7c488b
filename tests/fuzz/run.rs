//! Runs inputs one after the other, and reports and shrinks those that fail.

use std::{
    cell::Cell,
    collections::HashSet,
    env, panic,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process,
    sync::{Arc, Mutex, Once, mpsc},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{corpus, mutate::mutate, random::Random, target::Target};

/// Time after which an input counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of inputs in the pool that mutations start from.
const MAX_POOL: usize = 20_000;
/// The seed of every build.
const BUILD_SEED: u64 = 1;
/// Maximum number of attempts to shrink a failing input.
const SHRINKING: usize = 2_000;

thread_local! {
    /// Whether this thread expects to panic.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Silences the panic messages of threads that expect to panic.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info)
            }
        }));
    });
}

/// Returns a number from an environment variable.
fn given(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")))
}

/// Runs the corpus and the target's number of mutations. They are the same in every build, so a new failure comes from
/// a change in the code. [`on_demand`] tries other mutations.
pub fn bounded(name: &str, target: &Target) {
    let mut left = target.mutations;
    Run::new(name, target, given("SEED").unwrap_or(BUILD_SEED)).go(|| {
        left = left.wrapping_sub(1);
        left != usize::MAX
    });
}

/// Runs every target, or the one that TARGET names, for SECONDS each, on every core.
pub fn on_demand(targets: &[(&str, Target)]) {
    let wanted = env::var("TARGET").ok().filter(|name| !name.is_empty());
    let seconds = given("SECONDS").unwrap_or(60);
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_micros() as u64);
    let seed = given("SEED").unwrap_or_else(now);
    let mut tried = 0;
    for (name, target) in
        targets.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name))
    {
        let until = Instant::now() + Duration::from_secs(seconds);
        thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || Run::new(name, target, seed + thread).go(|| Instant::now() < until));
            }
        });
        tried += 1;
    }
    let names: Vec<_> = targets.iter().map(|(name, _)| *name).collect();
    assert!(tried > 0, "no such target, expected one of {}", names.join(", "));
}

/// A run of one target: its pool of inputs and the outcomes so far.
struct Run<'a> {
    name: &'a str,
    target: &'a Target,
    seed: u64,
    pool: Vec<Vec<u8>>,
    outcomes: HashSet<String>,
    watch: Watch,
}

impl<'a> Run<'a> {
    fn new(name: &'a str, target: &'a Target, seed: u64) -> Self {
        hush();
        let watch = Watch::new(name);
        Self { name, target, seed, pool: corpus::of(name, target), outcomes: HashSet::new(), watch }
    }

    /// Runs the corpus, then mutations as long as `more` returns true.
    fn go(mut self, mut more: impl FnMut() -> bool) {
        let kept = self.pool.len();
        for at in 0..kept {
            let outcome = self.attempt(&self.pool[at]);
            self.outcomes.insert(outcome);
        }
        let mut random = Random::new(self.seed);
        let mut mutations = 0_u64;
        while more() {
            let (input, other) = (random.pick(&self.pool), random.pick(&self.pool));
            let input = mutate(input, other, self.target.words, &mut random);
            let outcome = self.attempt(&input);
            if self.outcomes.insert(outcome) && self.pool.len() < MAX_POOL {
                self.pool.push(input);
            }
            mutations += 1;
        }
        let (seed, outcomes) = (self.seed, self.outcomes.len());
        println!(
            "{}: {kept} kept and {mutations} mutated inputs, {outcomes} outcomes, seed {seed}",
            self.name
        );
    }

    /// Runs one input and returns its outcome. A failing input is shrunk, stored and reported.
    fn attempt(&self, input: &[u8]) -> String {
        self.watch.begin(input);
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.target.holds)(input)));
        self.watch.end();
        outcome.unwrap_or_else(|_| {
            let small = self.shrunk(input);
            let path = corpus::keep(self.name, &small);
            report(self.name, self.seed, &small, &path);
            panic!("{} does not hold", self.name)
        })
    }

    /// Returns the input without bytes that it does not need to fail.
    fn shrunk(&self, input: &[u8]) -> Vec<u8> {
        QUIET.set(true);
        let mut small = input.to_vec();
        let (mut part, mut left) = (small.len().div_ceil(2), SHRINKING);
        while part > 0 && left > 0 {
            let mut from = 0;
            while from < small.len() && left > 0 {
                let end = (from + part).min(small.len());
                let shorter = [&small[..from], &small[end..]].concat();
                left -= 1;
                if catch_unwind(AssertUnwindSafe(|| (self.target.holds)(&shorter))).is_err() {
                    small = shorter;
                } else {
                    from = end;
                }
            }
            part /= 2;
        }
        QUIET.set(false);
        small
    }
}

fn report(name: &str, seed: u64, input: &[u8], path: &std::path::Path) {
    eprintln!(
        "\n{name}, seed {seed}: this input fails ({} bytes), and is now {}",
        input.len(),
        path.display()
    );
    eprintln!("{}\n", input.escape_ascii());
}

/// The current input and its start time.
type Current = Mutex<Option<(Instant, Vec<u8>)>>;

/// A watchdog that ends the process if an input hangs; the test itself could not report it.
struct Watch {
    current: Arc<Current>,
    _alive: mpsc::Sender<()>,
}

impl Watch {
    fn new(name: &str) -> Self {
        let (alive, gone) = mpsc::channel::<()>();
        let current: Arc<Current> = Arc::default();
        let (name, watched) = (name.to_owned(), Arc::clone(&current));
        thread::spawn(move || {
            while gone.recv_timeout(PATIENCE / 10) == Err(mpsc::RecvTimeoutError::Timeout) {
                let current = watched.lock().unwrap();
                let late = current.as_ref().filter(|(begun, _)| begun.elapsed() > PATIENCE);
                if let Some((_, input)) = late {
                    let path: PathBuf = corpus::keep(&name, input);
                    eprintln!("{name} has hung for {} s", PATIENCE.as_secs());
                    report(&name, 0, input, &path);
                    process::exit(101);
                }
            }
        });
        Self { current, _alive: alive }
    }

    fn begin(&self, input: &[u8]) {
        *self.current.lock().unwrap() = Some((Instant::now(), input.to_vec()));
    }

    fn end(&self) {
        *self.current.lock().unwrap() = None;
    }
}
