//! Suggestions for misspelt names of a filter's fields. Ignoring a filter would show everything, so a URL with such a
//! name is rejected.

use super::field::{parameter_aliases, parameters};
use crate::expr::distance;
use crate::filter::Filter;

/// The name that some clients use for a whole filter in a URL.
const WHOLE: &str = "filter";
/// The parameter to use instead of [`WHOLE`].
const CONDITION: &str = "q";

/// Minimum length, in letters, of a name for which two typos are allowed.
const LONG: usize = 8;
/// Maximum length, in letters, of a name that is compared.
const MAX_NAME: usize = 32;

/// Returns the URL field of which `name` is probably a typo. Names that other software uses in URLs have no match.
pub(super) fn suggest_parameter(name: &str) -> Option<&'static str> {
    // The part before a separator: `limit.tools`, `concerns.cost`, `concern[cost]`.
    let head = name.split(is_mark).next().unwrap_or(name);
    let mut known = parameters();
    known.extend([Filter::DISCLOSURE_PARAMETER, Filter::TOOLSETS_PARAMETER]);
    find_nearest(name, &known).or_else(|| {
        let mut aliases = parameter_aliases();
        aliases.push((WHOLE, CONDITION));
        let known: Vec<&'static str> = aliases.iter().map(|(alias, _)| *alias).collect();
        let head = find_nearest(head, &known)?;
        aliases.iter().find(|(alias, _)| *alias == head).map(|(_, parameter)| *parameter)
    })
}

/// Returns the first name with the fewest typos, if there are few. Case and separators are ignored.
pub(super) fn find_nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let name = letters(name);
    if name.len() > MAX_NAME {
        return None;
    }
    let (mut nearest, mut least) = (None, if name.len() < LONG { 2 } else { 3 });
    for &known in known {
        let slips = distance(&name, &letters(known));
        // `q` and `not` would be within one typo of too many words.
        if slips < least && (slips == 0 || known.len() > 3) {
            (nearest, least) = (Some(known), slips);
        }
    }
    nearest
}

/// Returns a name in lowercase without separators.
fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| !is_mark(*c)).take(MAX_NAME + 1).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns whether a character separates the words of a name, or marks a name with several values.
fn is_mark(c: char) -> bool {
    matches!(c, '.' | '[' | ']' | ':' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::{find_nearest, parameters, suggest_parameter};
    use crate::{
        error::ErrorKind,
        filter::{Filter, FilterField, wire::UNKNOWN},
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
        for name in FilterField::ALL.iter().map(|field| field.name()) {
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
            ("Disclosure", "disclosure"),
            ("disclosur", "disclosure"),
            ("disclose", "disclosure"),
            ("toolset", "toolsets"),
            ("Toolsets", "toolsets"),
            ("tool_sets", "toolsets"),
            ("toolsets[]", "toolsets"),
        ] {
            assert_eq!(suggest_parameter(name), Some(meant), "{name}");
        }
    }

    #[test]
    fn fields_of_other_software_are_left_alone() {
        let others = "code state iss error error_description scope session session_id session_state sessionId token \
            access_token api_key apiKey apikey key profile user tenant region env debug v version lang locale theme page \
            cursor sort order offset size count name uri url path id app ref source gclid fbclid utm_source utm_medium \
            utm_campaign utm_term utm_content utm_id tools readonly preset mode redirect_uri client_id nonce \
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
            let known = FilterField::ALL.each_ref().map(FilterField::name);
            assert_eq!(find_nearest(name, &known), meant, "{name}");
        }
    }
}
