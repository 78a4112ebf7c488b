//! Places with coordinates, and their tools.

use serde_json::{Value, json};

use super::{
    args::Args,
    error::Fail,
    geo::{self, KM_PER_MILE, Point},
    limits::{self, MAX_PLACES},
    search,
    store::Store,
    tools::Reply,
};

/// SQL expression for a place, from a row `p` of `places`.
const PLACE: &str =
    "json_object('id', p.id, 'name', p.name, 'kind', p.kind, 'city', p.city, 'country', p.country,
    'latitude', p.latitude, 'longitude', p.longitude)";

fn read(store: &Store<'_>, id: i64) -> Result<Value, Fail> {
    let query = format!("SELECT {PLACE} FROM places p WHERE id = ?");
    store.row(&query, [id.into()])?.ok_or_else(|| Fail::absent("place", id))
}

/// Returns the coordinates of a place.
fn point(place: &Value) -> Option<Point> {
    let degrees = |name: &str| place.get(name)?.as_f64();
    Some(Point { latitude: degrees("latitude")?, longitude: degrees("longitude")? })
}

/// Handles `find_place`.
pub(crate) fn find(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const WHERE: &str = "(?1 IS NULL OR p.kind = ?1)
        AND (?2 IS NULL OR p.id IN (SELECT rowid FROM place_text WHERE place_text MATCH ?2))";
    let words = args.may_text("query")?.map(search::words).transpose()?;
    let mut places = store.rows(
        &format!("SELECT {PLACE} FROM places p WHERE {WHERE} ORDER BY p.name, p.id"),
        [args.may_text("kind")?.into(), words.into()],
    )?;
    let radius = args.may_number("radius_km")?;
    match args.may_object("near")? {
        Some(near) => {
            let near = Point { latitude: near.number("latitude")?, longitude: near.number("longitude")? };
            places = by_distance(places, near, radius.unwrap_or(f64::INFINITY));
        }
        None if radius.is_some() => return Err(Fail::refused("`radius_km` needs `near`")),
        None => {}
    }
    let total = places.len();
    places.truncate(usize::try_from(args.integer("limit")?).unwrap_or(0));
    Ok(Reply::Data(json!({ "places": places, "total": total })))
}

/// Returns the places within the radius in kilometres, closest first, each with its distance. There are at most
/// [`MAX_PLACES`], so measuring all of them costs less than a spatial index.
fn by_distance(places: Vec<Value>, near: Point, radius: f64) -> Vec<Value> {
    let measured = places.into_iter().filter_map(|place| Some((near.km_to(point(&place)?), place)));
    let mut measured: Vec<_> = measured.filter(|(km, _)| *km <= radius).collect();
    measured.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut places = Vec::with_capacity(measured.len());
    for (km, mut place) in measured {
        if let Value::Object(members) = &mut place {
            members.insert("distance_km".into(), geo::rounded(km, 3).into());
        }
        places.push(place);
    }
    places
}

/// Handles `get_place`.
pub(crate) fn get(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    read(store, args.integer("place")?).map(Reply::Data)
}

/// Handles `add_place`.
pub(crate) fn add(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    limits::room(store, "SELECT count(*) FROM places", MAX_PLACES, "places")?;
    let id = store.number(
        "INSERT INTO places (name, kind, city, country, latitude, longitude) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
        [
            args.text("name")?.into(),
            args.text("kind")?.into(),
            args.text("city")?.into(),
            args.text("country")?.into(),
            args.number("latitude")?.into(),
            args.number("longitude")?.into(),
        ],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `remove_place`.
pub(crate) fn remove(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("place")?;
    if !store.any("DELETE FROM places WHERE id = ? RETURNING id", [id.into()])? {
        return Err(Fail::absent("place", id));
    }
    Ok(Reply::Said(format!("Removed place {id}.")))
}

/// Handles `measure_distance`.
pub(crate) fn measure(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let (from, to) = (read(store, args.integer("from")?)?, read(store, args.integer("to")?)?);
    let (Some(start), Some(end)) = (point(&from), point(&to)) else {
        return Err(Fail::Fault("a place has no coordinates".into()));
    };
    let unit = args.text("unit")?;
    let km = start.km_to(end);
    let bearing = start.bearing_to(end);
    Ok(Reply::Data(json!({
        "from": from.get("name"),
        "to": to.get("name"),
        "distance": geo::rounded(if unit == "mi" { km / KM_PER_MILE } else { km }, 3),
        "unit": unit,
        "bearing_degrees": geo::rounded(bearing, 1),
        "direction": geo::wind(bearing),
    })))
}
