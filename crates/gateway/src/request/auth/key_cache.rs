//! The freshness of a cached key set, and the minimum delay between its fetches.

/// Time, in milliseconds, for which a key set without `max-age` is fresh, and the limits of what `max-age` can set.
const KEEP_MS: u64 = 60 * 60 * 1000;
const LEAST_MS: u64 = 60 * 1000;
const MOST_MS: u64 = 24 * 60 * 60 * 1000;
/// Time, in milliseconds, for which a stale set remains usable while no newer one can be fetched.
const STALE_MS: u64 = 60 * 60 * 1000;
/// Minimum delay, in milliseconds, between two fetches. It protects the issuer from tokens with made-up key ids.
const PAUSE_MS: u64 = 30 * 1000;

/// The freshness of a key set and the times of its fetches. Times are in milliseconds since 1970; the clock may jump.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyCache {
    /// The times at which the current set was fetched and at which it becomes stale.
    validity: Option<(u64, u64)>,
    /// The times of the last fetch while the current set was usable, and of the last fetch that failed.
    last_renewal: Option<u64>,
    last_failure: Option<u64>,
}

impl KeyCache {
    /// Returns whether there is a set and it is fresh.
    pub fn is_fresh(&self, now: u64) -> bool {
        self.validity.is_some_and(|(from, until)| (from..until).contains(&now))
    }

    /// Returns whether there is a set that may still be used if no newer one can be fetched.
    pub fn is_usable(&self, now: u64) -> bool {
        self.validity.is_some_and(|(from, until)| (from..until.saturating_add(STALE_MS)).contains(&now))
    }

    /// Returns whether a set may be fetched now, and records the fetch if a usable set exists.
    pub fn begin_fetch(&mut self, now: u64) -> bool {
        // Without a usable set no request can be served, so concurrent requests all fetch until a fetch fails.
        let renews = self.is_usable(now);
        let last = if renews { self.last_renewal } else { self.last_failure };
        let pause = last.is_some_and(|last| (last..last.saturating_add(PAUSE_MS)).contains(&now));
        if renews && !pause {
            self.last_renewal = Some(now);
        }
        !pause
    }

    /// Records that a fetch failed.
    pub fn record_failure(&mut self, now: u64) {
        self.last_failure = Some(now);
    }

    /// Records that a set was fetched, and computes its freshness from `Cache-Control`.
    pub fn record_fetch(&mut self, now: u64, cache_control: Option<&str>) {
        let directives = || cache_control.into_iter().flat_map(|value| value.split(',')).map(str::trim);
        let age = directives().find_map(|directive| {
            let (name, seconds) = directive.split_once('=')?;
            name.eq_ignore_ascii_case("max-age").then(|| seconds.trim_matches('"').parse::<u64>().ok())?
        });
        let never =
            directives().any(|name| ["no-store", "no-cache"].iter().any(|no| name.eq_ignore_ascii_case(no)));
        let ms = if never { 0 } else { age.map_or(KEEP_MS, |seconds| seconds.saturating_mul(1000)) };
        self.last_failure = None;
        self.validity = Some((now, now.saturating_add(ms.clamp(LEAST_MS, MOST_MS))));
    }
}
