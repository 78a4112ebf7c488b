//! Time zone offsets and names from the platform's `Intl`.

use mcp_sieve_gateway::middleware::Zone;
use worker::{
    js_sys::{Array, Date, Function, Object, Reflect, global},
    wasm_bindgen::{JsCast, JsValue},
};

/// Returns the offset and names of a time zone at a time, from the platform's `Intl`. Tables of its own would more than
/// double the Worker's size.
pub(crate) fn at(name: &str, ms: u64) -> Option<Zone> {
    let short = written(name, ms, "short")?;
    let long = written(name, ms, "longOffset")?;
    Some(Zone { ahead: ahead(&long)?, name: short })
}

/// Returns the zone's name in one of the platform's styles; `None` for an unknown zone.
fn written(name: &str, ms: u64, style: &str) -> Option<String> {
    let get = |object: &JsValue, key: &str| Reflect::get(object, &key.into()).ok();
    let constructor: Function = get(&get(&global(), "Intl")?, "DateTimeFormat")?.dyn_into().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"timeZone".into(), &name.into()).ok()?;
    Reflect::set(&options, &"timeZoneName".into(), &style.into()).ok()?;
    let format = Reflect::construct(&constructor, &Array::of2(&"en-US".into(), &options)).ok()?;
    let parts: Function = get(&format, "formatToParts")?.dyn_into().ok()?;
    let parts = parts.call1(&format, &Date::new(&JsValue::from_f64(ms as f64))).ok()?;
    let parts = Array::from(&parts);
    let part = parts.iter().find(|part| get(part, "type").is_some_and(|kind| kind == "timeZoneName"))?;
    get(&part, "value")?.as_string()
}

/// Parses an offset such as `GMT`, `GMT+02:00` or `GMT-00:44:30` into seconds ahead of UTC.
fn ahead(offset: &str) -> Option<i32> {
    let offset = offset.strip_prefix("GMT")?;
    let Some(sign) = offset.chars().next() else { return Some(0) };
    let sign = if sign == '-' || sign == '−' { -1 } else { 1 };
    let mut seconds = 0;
    for (part, unit) in offset.trim_start_matches(['+', '-', '−']).split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i32>().ok()? * unit;
    }
    Some(sign * seconds)
}
