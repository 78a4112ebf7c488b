//! The values of a declared concern, as far as a server can be listed for each.

use mcp_sieve::json::{self, Members, Number, Raw};

/// Maximum number of values of a range that a server is listed for.
pub const MAX_RANGE_VALUES: usize = 16;

/// A concern that a server declares, with its values one by one.
pub(super) struct EnumerableConcern {
    pub name: String,
    /// The values as JSON, or why they cannot be listed one by one.
    pub values: Result<Vec<String>, String>,
}

impl EnumerableConcern {
    /// Reads a declaration. Returns `None` for one that is reported elsewhere: without a name, or without values.
    pub fn read(item: &str) -> Option<Self> {
        let members = Members::parse(item)?;
        let name = members.get("name").and_then(json::Raw::text)?.into_owned();
        let values = members.get("values")?;
        let values = match values.elements() {
            Some(values) if values.is_empty() => return None,
            Some(values) => Ok(values.iter().map(|value| value.get().to_owned()).collect()),
            None => whole_numbers(Members::read(values)?),
        };
        Some(Self { name, values })
    }
}

/// Returns the numbers of a range, if they are few and whole.
fn whole_numbers(range: Members<'_>) -> Result<Vec<String>, String> {
    let number = |key: &str| range.get(key)?.get().parse::<Number>().ok()?.whole();
    let is_whole =
        |key: &str| range.get(key).is_none_or(|raw: Raw<'_>| raw.is_null()) || number(key).is_some();
    let most = i64::try_from(MAX_RANGE_VALUES).unwrap_or(i64::MAX);
    let few = || {
        let (min, max) = number("min").zip(number("max")).filter(|_| is_whole("step"))?;
        let step = number("step").unwrap_or(1);
        let count = max.checked_sub(min)?.checked_div(step)?.checked_add(1)?;
        (step > 0 && (1..=most).contains(&count))
            .then(|| (0..count).map(|at| (min + at * step).to_string()).collect())
    };
    few().ok_or_else(|| format!("only ranges of at most {MAX_RANGE_VALUES} whole numbers can be learned"))
}
