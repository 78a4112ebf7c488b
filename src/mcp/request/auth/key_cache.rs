/// Milliseconds for which a key set is kept whose server says nothing, and the least and most it can say.
const KEEP_MS: u64 = 60 * 60 * 1000;
const LEAST_MS: u64 = 60 * 1000;
const MOST_MS: u64 = 24 * 60 * 60 * 1000;
/// How long a set is still good that could not be got anew.
const STALE_MS: u64 = 60 * 60 * 1000;
/// How long nothing is asked for after a set was: tokens with made-up keys cost their issuer nothing.
const PAUSE_MS: u64 = 30 * 1000;

/// When a key set is good, and when it is got anew. Times are milliseconds since 1970, and may jump.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCache {
    /// When the set that there is came, and until when it is fresh.
    came: Option<(u64, u64)>,
    /// When another was last asked for beside it, and when none came.
    asked: Option<u64>,
    failed: Option<u64>,
}

impl KeyCache {
    /// Whether there is a set that is fresh.
    pub fn fresh(&self, now: u64) -> bool {
        self.came.is_some_and(|(from, until)| (from..until).contains(&now))
    }

    /// Whether there is a set that will do if no other can be had.
    pub fn good(&self, now: u64) -> bool {
        self.came.is_some_and(|(from, until)| (from..until.saturating_add(STALE_MS)).contains(&now))
    }

    /// Whether another may be asked for now; if so, it is.
    pub fn ask(&mut self, now: u64) -> bool {
        // Without any set nobody can be served meanwhile: those who come together all ask, until it is known to fail.
        let renews = self.good(now);
        let last = if renews { self.asked } else { self.failed };
        let pause = last.is_some_and(|last| (last..last.saturating_add(PAUSE_MS)).contains(&now));
        if renews && !pause {
            self.asked = Some(now);
        }
        !pause
    }

    /// None has come.
    pub fn failed(&mut self, now: u64) {
        self.failed = Some(now);
    }

    /// A set has come, to be kept as `Cache-Control` says.
    pub fn come(&mut self, now: u64, cache_control: Option<&str>) {
        let directives = || cache_control.into_iter().flat_map(|value| value.split(',')).map(str::trim);
        let age = directives().find_map(|directive| {
            let (name, seconds) = directive.split_once('=')?;
            name.eq_ignore_ascii_case("max-age").then(|| seconds.trim_matches('"').parse::<u64>().ok())?
        });
        let never =
            directives().any(|name| ["no-store", "no-cache"].iter().any(|no| name.eq_ignore_ascii_case(no)));
        let ms = if never { 0 } else { age.map_or(KEEP_MS, |seconds| seconds.saturating_mul(1000)) };
        self.failed = None;
        self.came = Some((now, now.saturating_add(ms.clamp(LEAST_MS, MOST_MS))));
    }
}
