use super::{Filter, wire::of_primitives};
use crate::{
    concern::{MAX_VALUES, check_length, insert, limit_error},
    error::Error,
};

impl Filter {
    /// Reads the filter that a URL's query spells: `groups=issues,pulls&tags=stable&concern.cost=low`
    /// and `q=name:create_*`, an expression. A list is separated by commas; a repeated name adds to it; other
    /// names are not ours.
    ///
    /// # Errors
    /// [`Expression`](crate::error::ErrorKind::Expression) for a `q` that does not parse,
    /// [`FilterType`](crate::error::ErrorKind::FilterType) for one that reads the caller, and
    /// [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values.
    pub fn from_query(query: &str) -> Result<Self, Error> {
        let mut filter = Self::default();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let (name, value) = (decode(name), decode(value));
            if name == "q" && !value.trim().is_empty() {
                filter.require(&value).map_err(|error| error.within("?q"))?;
                continue;
            }
            let values =
                || value.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
            let field = format!("?{name}");
            let concern = name.strip_prefix("concern.").filter(|name| !name.is_empty());
            if concern.is_none() && !matches!(name.as_str(), "groups" | "tags") {
                continue;
            }
            check_length(concern.unwrap_or_default(), &field)?;
            values().try_for_each(|value| check_length(&value, &field))?;
            let count = match name.as_str() {
                "groups" => extend(&mut filter.groups, values()),
                "tags" => extend(&mut filter.tags, values()),
                _ => match concern {
                    Some(concern) if values().next().is_some() => {
                        let mut asked = filter.concerns.get(concern).unwrap_or_default().to_vec();
                        values().for_each(|value| insert(&mut asked, value));
                        let count = asked.len();
                        filter.concerns.set(concern, Some(asked));
                        count
                    }
                    _ => 0,
                },
            };
            if count > MAX_VALUES || filter.concerns.iter().len() > MAX_VALUES {
                return Err(limit_error(&field, format!("at most {MAX_VALUES} values")));
            }
        }
        Ok(filter)
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

/// Adds what is not there yet and says how many there are now.
fn extend(list: &mut Vec<String>, values: impl Iterator<Item = String>) -> usize {
    for value in values {
        if !list.contains(&value) {
            list.push(value);
        }
    }
    list.len()
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
