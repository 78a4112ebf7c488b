use mcp_sieve::middleware::Zone;
use worker::{
    js_sys::{Array, Date, Function, Object, Reflect, global},
    wasm_bindgen::{JsCast, JsValue},
};

/// What the clocks of a time zone show, as the platform's `Intl` knows it: with its tables this Worker would be
/// larger than with everything else.
pub(crate) fn at(name: &str, ms: u64) -> Option<Zone> {
    let short = written(name, ms, "short")?;
    let long = written(name, ms, "longOffset")?;
    Some(Zone { ahead: ahead(&long)?, name: short })
}

/// The zone's name in one of the platform's styles. An unknown zone is an exception, and none.
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

/// Seconds ahead of UTC, from `GMT`, `GMT+02:00`, `GMT-00:44:30`.
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
