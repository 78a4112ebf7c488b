//! Misspelt names of a filter's fields. A filter that is not read shows everything, so a URL with such a name is refused.

use super::field::{FIELDS, FilterField, parameter_aliases, parameters};
use crate::expr::distance;

/// What a URL that should hold a whole filter calls it.
const WHOLE: &str = "filter";
/// The parameter to use instead of [`WHOLE`].
const CONDITION: &str = "q";

/// Length, in letters, from which two slips are one misspelt name.
const LONG: usize = 8;
/// Length, in letters, up to which a name is compared: no misspelt one is longer.
const MAX_NAME: usize = 32;

/// The field of a URL's query that `name` probably stands for. Names that other software puts into URLs stand for none.
pub(super) fn suggest_parameter(name: &str) -> Option<&'static str> {
    // `limit.tools`, `concerns.cost`, `concern[cost]`: the part in front of the mark.
    let head = name.split(is_mark).next().unwrap_or(name);
    find_nearest(name, &parameters()).or_else(|| {
        let mut aliases = parameter_aliases();
        aliases.push((WHOLE, CONDITION));
        let known: Vec<&'static str> = aliases.iter().map(|(alias, _)| *alias).collect();
        let head = find_nearest(head, &known)?;
        aliases.iter().find(|(alias, _)| *alias == head).map(|(_, parameter)| *parameter)
    })
}

/// The member of a filter in JSON that `name` probably stands for.
pub(super) fn suggest_member(name: &str) -> Option<&'static str> {
    find_nearest(name, &FIELDS.each_ref().map(FilterField::name))
}

/// The first of the names with the fewest slips, of those with few. Case and the marks between words do not count.
fn find_nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let name = letters(name);
    if name.len() > MAX_NAME {
        return None;
    }
    let (mut nearest, mut least) = (None, if name.len() < LONG { 2 } else { 3 });
    for &known in known {
        let slips = distance(&name, &letters(known));
        // `q` and `not` are one slip away from too many words.
        if slips < least && (slips == 0 || known.len() > 3) {
            (nearest, least) = (Some(known), slips);
        }
    }
    nearest
}

/// A name in lower case without the marks between its words.
fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| !is_mark(*c)).take(MAX_NAME + 1).map(|c| c.to_ascii_lowercase()).collect()
}

/// What other software writes between the words of a name, or behind a name that takes several values.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | ':' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::{FIELDS, parameters, suggest_member, suggest_parameter};
    use crate::{
        error::ErrorKind,
        filter::{Filter, wire::UNKNOWN},
    };

    #[test]
    fn every_name_that_is_suggested_is_read() {
        for name in parameters() {
            let known = match Filter::from_query(&format!("{name}=1")) {
                Ok(parsed) => parsed.ignored.is_empty(),
                Err(error) => error.kind() != ErrorKind::FilterField,
            };
            assert!(known, "{name}");
        }
        for name in FIELDS.iter().map(|field| field.name()) {
            let known = match Filter::parse(&format!(r#"{{"{name}":null}}"#)) {
                Ok(parsed) => parsed.ignored.iter().all(|part| part.reason != UNKNOWN),
                Err(_) => true,
            };
            assert!(known, "{name}");
        }
    }

    #[test]
    fn misspelt_fields_of_a_url_are_recognized() {
        for (name, meant) in [
            ("group", "groups"),
            ("Groups", "groups"),
            ("groups[]", "groups"),
            ("gruops", "groups"),
            ("tag", "tags"),
            ("Q", "q"),
            ("qeury", "query"),
            ("not.group", "not.groups"),
            ("notTags", "not.tags"),
            ("not", "not.groups"),
            ("not.names", "not.groups"),
            ("name_patterns", "namePatterns"),
            ("uriPattern", "uriPatterns"),
            ("field", "fields"),
            ("limit", "limit.count"),
            ("limits", "limit.count"),
            ("limit.tools", "limit.count"),
            ("limitTokens", "limit.tokens"),
            ("limit[token]", "limit.tokens"),
            ("apply-default", "applyDefaults"),
            ("concern", "concern.NAME"),
            ("concerns", "concern.NAME"),
            ("concerns.cost", "concern.NAME"),
            ("concern[cost]", "concern.NAME"),
            ("Concern.cost", "concern.NAME"),
            ("conern.cost", "concern.NAME"),
            ("where", "q"),
            ("filter", "q"),
        ] {
            assert_eq!(suggest_parameter(name), Some(meant), "{name}");
        }
    }

    #[test]
    fn fields_of_other_software_are_left_alone() {
        let others = "code state iss error error_description scope session session_id session_state sessionId token \
            access_token api_key apiKey apikey key profile user tenant region env debug v version lang locale theme page \
            cursor sort order offset size count name uri url path id app ref source gclid fbclid utm_source utm_medium \
            utm_campaign utm_term utm_content utm_id toolsets tools readonly preset mode redirect_uri client_id nonce \
            response_type resource type format callback signature expires no note notify a f x _";
        for name in others.split_ascii_whitespace() {
            assert_eq!(suggest_parameter(name), None, "{name}");
        }
    }

    #[test]
    fn misspelt_members_are_recognized() {
        for (name, meant) in [
            ("group", Some("groups")),
            ("Tags", Some("tags")),
            ("concern", Some("concerns")),
            ("wher", Some("where")),
            ("limits", Some("limit")),
            ("concerns_ref", Some("concernsRef")),
            ("$and", None),
            ("colour", None),
            ("com.example/groups", None),
        ] {
            assert_eq!(suggest_member(name), meant, "{name}");
        }
    }
}
