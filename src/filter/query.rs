use super::Filter;
use crate::{
    concern::{Configuration, MAX_VALUES, check_length, limit_error},
    error::Error,
};

impl Filter {
    /// Reads the filter that a URL's query spells: `groups=issues,pulls&tags=stable&concern.cost=low`.
    /// A list is separated by commas; a repeated name adds to it; other names are not ours.
    ///
    /// # Errors
    /// [`FilterLimit`](crate::error::ErrorKind::FilterLimit) for too many or too long values.
    pub fn from_query(query: &str) -> Result<Self, Error> {
        let mut filter = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let values =
                || value.split(',').map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned);
            let field = format!("?{name}");
            let concern = name.strip_prefix("concern.").filter(|name| !name.is_empty());
            if concern.is_none() && !matches!(name.as_ref(), "groups" | "tags") {
                continue;
            }
            check_length(concern.unwrap_or_default(), &field)?;
            values().try_for_each(|value| check_length(&value, &field))?;
            let count = match name.as_ref() {
                "groups" => extend(&mut filter.groups, values()),
                "tags" => extend(&mut filter.tags, values()),
                _ => match concern {
                    Some(concern) if values().next().is_some() => {
                        let Configuration(concerns) = &mut filter.concerns;
                        extend(
                            concerns.entry(concern.to_owned()).or_default().get_or_insert_default(),
                            values(),
                        )
                    }
                    _ => 0,
                },
            };
            if count > MAX_VALUES || filter.concerns.0.len() > MAX_VALUES {
                return Err(limit_error(&field, format!("at most {MAX_VALUES} values")));
            }
        }
        filter.concerns.0.values_mut().flatten().for_each(|values| values.sort_unstable());
        Ok(filter)
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
