//! Finds repeated keys in JSON objects at any depth.

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use super::{raw::Raw, scan::Scanner};
use crate::error::Error;

/// Maximum number of members of an object that are compared pair by pair. A set for so few costs more.
const PAIRWISE: usize = 16;

/// The members that a JSON value repeats, at any depth.
///
/// JSON parsers differ in such an object: most keep the last value, some the first, and some reject the text.
#[derive(Debug, Default)]
pub struct Repeated {
    /// The path of the member that was found first.
    pub path: Option<String>,
    /// The ranges of the text without which each member occurs once, with its last value. They are in order and do not
    /// overlap.
    pub cuts: Vec<Range<usize>>,
}

/// A key, and whether it is valid Unicode. Other keys are compared as they are written.
type Key<'a> = (bool, Cow<'a, str>);

struct Search<'a> {
    found: Repeated,
    path: Vec<Step<'a>>,
}

enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

impl Raw<'_> {
    /// Returns the path of a member that occurs twice in its object, such as `rules[0].match`; `None` if each occurs
    /// once.
    pub fn repeated_member(self) -> Option<String> {
        Repeated::find(self).path
    }
}

impl Repeated {
    /// Searches a value.
    pub fn find(value: Raw<'_>) -> Self {
        let mut search = Search { found: Self::default(), path: Vec::new() };
        // The text was parsed before, so there is no error.
        let _ = search.value(&mut Scanner::new(value.get()));
        search.found
    }
}

impl<'a> Search<'a> {
    fn value(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Error> {
        let Some(mut object) = scanner.open_object()? else { return self.elements(scanner) };
        let (mut members, inner) = (Vec::<(Key<'a>, usize)>::new(), self.found.cuts.len());
        while scanner.next_member(&mut object)? {
            let at = scanner.key_start();
            let key = match object.kept_key() {
                Some(key) => (true, key),
                None => (false, Cow::Borrowed(object.written())),
            };
            self.path.push(Step::Key(key.1.clone()));
            members.push((key, at));
            self.value(scanner)?;
            self.path.pop();
        }
        let earlier = earlier(&members);
        if let Some((key, _)) = earlier.first().and_then(|at| members.get(*at)) {
            let last = Step::Key(key.1.clone());
            let path = self.path.iter().chain([&last]);
            let path = path.fold(String::new(), |path, step| step.after(path));
            self.found.path.get_or_insert(path);
            self.cut(
                inner,
                earlier.iter().filter_map(|at| Some(members.get(*at)?.1..members.get(at + 1)?.1)),
            );
        }
        Ok(())
    }

    fn elements(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Error> {
        let mut index = 0;
        let is_array = scanner.elements(&mut |scanner| {
            self.path.push(Step::Index(index));
            self.value(scanner)?;
            self.path.pop();
            index += 1;
            Ok(())
        })?;
        if is_array { Ok(()) } else { scanner.pass() }
    }

    /// Adds the cuts of an object, which replace those within them. The cuts since `inner` are of its values.
    fn cut(&mut self, inner: usize, cuts: impl Iterator<Item = Range<usize>>) {
        let known = &mut self.found.cuts;
        let within = known.split_off(inner);
        let mut within = within.into_iter().peekable();
        for cut in cuts {
            while let Some(before) = within.next_if(|other| other.start < cut.start) {
                known.push(before);
            }
            while within.next_if(|other| other.start < cut.end).is_some() {}
            known.push(cut);
        }
        known.extend(within);
    }
}

impl Step<'_> {
    fn after(&self, path: String) -> String {
        match self {
            Self::Index(index) => [&path, "[", &index.to_string(), "]"].concat(),
            Self::Key(key) if path.is_empty() => key.clone().into_owned(),
            Self::Key(key) => [&path, ".", key].concat(),
        }
    }
}

/// Returns the indices of the members that a later one repeats, in order.
fn earlier(members: &[(Key<'_>, usize)]) -> Vec<usize> {
    let mut earlier = Vec::new();
    if members.len() <= PAIRWISE {
        for (at, (key, _)) in members.iter().enumerate() {
            if members.iter().skip(at + 1).any(|(other, _)| other == key) {
                earlier.push(at);
            }
        }
        return earlier;
    }
    // An ordered set: the text comes from a server, which could choose keys that collide in a hash table.
    let mut known = BTreeSet::new();
    for (at, (key, _)) in members.iter().enumerate().rev() {
        if !known.insert(key) {
            earlier.push(at);
        }
    }
    earlier.reverse();
    earlier
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Returns the path of the first repeated member, and the text without the cuts.
    fn once(text: &str) -> (Option<String>, String) {
        let Repeated { path, cuts } = Repeated::find(Raw::parse(text).unwrap());
        let mut kept = text.to_owned();
        for cut in cuts.into_iter().rev() {
            kept.replace_range(cut, "");
        }
        (path, kept)
    }

    #[test]
    fn each_member_is_kept_once_with_its_last_value() {
        let many: String = (0..40).map(|at| format!(r#""k{at}":{at},"#)).collect();
        let rows = [
            (
                r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#,
                None,
                r#"{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#,
            ),
            (r#"{"a":1,"b":2,"a":3}"#, Some("a"), r#"{"b":2,"a":3}"#),
            (r#"{ "a": 1 , "a" : 2, "a":3 }"#, Some("a"), r#"{ "a":3 }"#),
            (r#"{"a":1,"\u0061":2}"#, Some("a"), r#"{"\u0061":2}"#),
            (r#"[{"x":[0,{"a":1,"a":2}]}]"#, Some("[0].x[1].a"), r#"[{"x":[0,{"a":2}]}]"#),
            // The cut of a member replaces those within its value.
            (
                r#"{"a":{"b":1,"b":2},"c":{"d":1,"d":2},"a":{"e":1,"e":2}}"#,
                Some("a.b"),
                r#"{"c":{"d":2},"a":{"e":2}}"#,
            ),
            (r#"{"\ud800":1,"\\ud800":2,"\ud800":3}"#, Some(r"\ud800"), r#"{"\\ud800":2,"\ud800":3}"#),
            (
                &format!(r#"{{{many}"k7":true}}"#),
                Some("k7"),
                &format!(r#"{{{}"k7":true}}"#, many.replace(r#""k7":7,"#, "")),
            ),
        ];
        for (text, path, kept) in rows {
            assert_eq!(once(text), (path.map(str::to_owned), kept.to_owned()), "{text}");
            // The cheap test never misses one.
            let mut scanner = Scanner::watching(text);
            scanner.pass().unwrap();
            assert!(scanner.take_suspect() || path.is_none(), "{text}");
        }
    }

    #[test]
    fn few_objects_without_repeated_keys_are_suspect() {
        let mut suspects = 0;
        for at in 0..1000 {
            let text = format!(
                r#"{{"type":"object","properties":{{"{at}":{{"type":"string","description":""}},"limit":{{"type":"integer","minimum":{at}}},
                "created_at":{{}},"state":{{"enum":[]}},"assignee{at}":{{"items":{{"type":"string"}}}}}}}}"#
            );
            let mut scanner = Scanner::watching(&text);
            scanner.pass().unwrap();
            suspects += usize::from(scanner.take_suspect());
        }
        assert!(suspects < 50, "{suspects} of 1000");
    }
}
