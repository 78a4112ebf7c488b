use super::{
    Fields, Filter, meant,
    wire::{UNKNOWN, of_primitives, room, words_of},
};
use crate::{
    concern::{MAX_VALUES, check_length, insert, kind_error, limit_error},
    error::{Error, ErrorKind, Ignored},
};

/// Maximum number of unknown fields of a URL that are reported.
pub const MAX_UNKNOWN: usize = 32;

impl Filter {
    /// Reads the filter in the query of a URL: `groups=issues,pulls&tags=stable&concern.cost=low`
    /// and `q=name:create_*`, an expression; `query=` takes words to search for. Each field is named by its path
    /// (`not.tags`, `limit.count`). Commas separate the values of a list, and a repeated name adds to it. A field
    /// without a value is absent. Other software puts fields into URLs too, so the first [`MAX_UNKNOWN`] unknown ones
    /// are ignored and reported.
    ///
    /// # Errors
    /// [`FilterField`](crate::error::ErrorKind::FilterField) for a misspelt field,
    /// [`Expression`](crate::error::ErrorKind::Expression) for a `q` that does not parse,
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for a `q` that reads the caller and for a value that is no
    /// number or flag, and [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values.
    pub fn from_query(query: &str) -> Result<(Self, Vec<Ignored>), Error> {
        let (mut filter, mut ignored) = (Self::default(), Vec::new());
        let mut fields = Vec::new();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (decode(name), decode(value));
            let (field, value) = (format!("?{name}"), value.trim());
            if value.is_empty() {
                continue;
            }
            match name.as_str() {
                "query" => filter.search(value, &field)?,
                "q" => filter.require(value).map_err(|error| error.within(&field))?,
                "groups" => add(&mut filter.groups, value, &field)?,
                "tags" => add(&mut filter.tags, value, &field)?,
                "not.groups" => add(&mut filter.not.groups, value, &field)?,
                "not.tags" => add(&mut filter.not.tags, value, &field)?,
                "namePatterns" => add(&mut filter.name_patterns, value, &field)?,
                "uriPatterns" => add(&mut filter.uri_patterns, value, &field)?,
                "fields" => add(&mut fields, value, &field)?,
                "limit.count" => filter.limit.count = room(value, &field)?,
                "limit.tokens" => filter.limit.tokens = room(value, &field)?,
                "applyDefaults" => {
                    filter.apply_defaults =
                        value.parse().map_err(|_| kind_error(&field, "`true` or `false`"))?;
                }
                _ => match name.strip_prefix("concern.") {
                    Some("") => {}
                    Some(concern) => filter.ask(concern, value, &field)?,
                    None => ignore(&name, field, &mut ignored)?,
                },
            }
        }
        filter.fields = Fields::of(&fields);
        Ok((filter, ignored))
    }

    /// Asks some more values of a concern.
    fn ask(&mut self, concern: &str, values: &str, field: &str) -> Result<(), Error> {
        check_length(concern, field)?;
        let mut named = self.concerns.get(concern).unwrap_or_default().to_vec();
        add(&mut named, values, field)?;
        let mut asked = Vec::with_capacity(named.len());
        named.into_iter().for_each(|value| insert(&mut asked, value));
        if !asked.is_empty() {
            self.concerns.set(concern, Some(asked));
        }
        check_count(self.concerns.iter().len(), field)
    }

    /// Looks for some more words.
    fn search(&mut self, words: &str, field: &str) -> Result<(), Error> {
        let query = [self.query.as_deref().unwrap_or_default(), words].join(" ");
        self.query = words_of(&query, field)?;
        Ok(())
    }

    /// Makes one more condition, in text, a part of `where`.
    fn require(&mut self, source: &str) -> Result<(), Error> {
        let read = of_primitives(source.parse()?)?;
        self.r#where = Some(match self.r#where.take() {
            Some(known) => known.both(read)?,
            None => read,
        });
        Ok(())
    }
}

/// Reports a field that is not known.
///
/// # Errors
/// [`FilterField`](crate::error::ErrorKind::FilterField) for one that is probably misspelt: what was to be left out would
/// be listed.
fn ignore(name: &str, field: String, ignored: &mut Vec<Ignored>) -> Result<(), Error> {
    if let Some(meant) = meant::field(name) {
        let message = format!("{UNKNOWN} (did you mean `{meant}`?)");
        return Err(Error::new(ErrorKind::FilterField, message).field(field));
    }
    let unknown = Ignored::new(field, UNKNOWN);
    if ignored.len() < MAX_UNKNOWN && !ignored.contains(&unknown) {
        ignored.push(unknown);
    }
    Ok(())
}

/// Adds those of the values, separated by commas, that are not there yet.
fn add(list: &mut Vec<String>, values: &str, field: &str) -> Result<(), Error> {
    for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
        check_length(value, field)?;
        if !list.iter().any(|known| known == value) {
            list.push(value.to_owned());
        }
    }
    check_count(list.len(), field)
}

fn check_count(count: usize, field: &str) -> Result<(), Error> {
    if count > MAX_VALUES {
        return Err(limit_error(field, format!("at most {MAX_VALUES} values")));
    }
    Ok(())
}

/// Decodes a name or a value of a query: `+` is a space, `%xx` a byte.
fn decode(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        let escaped = match behind {
            [high, low, ..] if *byte == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        let (decoded, length) = match escaped {
            Some((high, low)) => (high << 4 | low, 3),
            None => (if *byte == b'+' { b' ' } else { *byte }, 1),
        };
        bytes.push(decoded);
        rest = rest.get(length..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| value.try_into().ok())
}
