//! The texts of a primitive that a search reads, with the weight of each field.

use super::lexicon::Weight;
use crate::{
    catalog::{Catalog, Kind},
    error::Error,
    json::Scanner,
};

/// Maximum length, in bytes, of a text under `_meta` that counts as a label. Longer texts are data.
const MAX_LABEL: usize = 64;

/// The part of a primitive to which a text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The name. For resources and templates also the URI.
    Name,
    /// The title.
    Title,
    /// The description.
    Description,
    /// The name of a parameter, at any depth.
    Parameter,
    /// The description of a parameter.
    ParameterDescription,
    /// An allowed value of a parameter.
    Choice,
    /// A group, a tag, or a short text under `_meta`.
    Label,
    /// An example request from the operator. It does not add to the length, so any number of examples is possible.
    Example,
    /// The name of the server. It does not add to the length.
    Server,
}

/// Returns the maximum count of a word in any field. A tool named `now` does not fit every request with that word.
pub(super) fn most(weight: Weight) -> u16 {
    match weight {
        Weight::Faint => 10,
        Weight::Weak => 15,
        Weight::Full => 36,
    }
}

impl Field {
    /// Returns the count of each word in a text of `words` words, in tenths of a word in a description. The number of
    /// words matters only for names: a request about prices fits `prices` better than `fuel_prices_australia`.
    pub fn weight(self, words: u16) -> u16 {
        match self {
            Self::Name => (3 + 36 / words.max(1)).max(10),
            Self::Title => 15,
            Self::Description | Self::Label | Self::Example | Self::Server => 10,
            Self::Parameter => 6,
            Self::ParameterDescription => 4,
            Self::Choice => 3,
        }
    }
}

/// Calls `visit` with each text that describes a primitive, given its JSON as sent to clients.
pub(super) fn fields(kind: Kind, source: &str, visit: &mut dyn FnMut(Field, &str)) {
    // A catalog holds only well-formed objects. Of other text, the readable part is read.
    let _ = Reader { visit }.primitive(kind, &mut Scanner::new(source));
}

struct Reader<'a> {
    visit: &'a mut dyn FnMut(Field, &str),
}

impl Reader<'_> {
    fn primitive(&mut self, kind: Kind, scanner: &mut Scanner<'_>) -> Result<bool, Error> {
        scanner.object(&mut |scanner, key| match key {
            Some("name") => self.text(Field::Name, scanner),
            Some("uri" | "uriTemplate") if !kind.is_named() => self.text(Field::Name, scanner),
            Some("frontmatter") if kind == Kind::Skill => self.frontmatter(scanner),
            Some("title") => self.text(Field::Title, scanner),
            Some("description") => self.text(Field::Description, scanner),
            Some("groups" | "tags") => self.texts(Field::Label, scanner),
            Some("inputSchema") => self.schema(scanner),
            Some("arguments") => self.arguments(scanner),
            Some("annotations") => self.annotations(scanner),
            Some("_meta") => self.meta(scanner),
            _ => scanner.pass(),
        })
    }

    /// Reads the name and description of a skill.
    fn frontmatter(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| match key {
            "name" => reader.text(Field::Name, scanner),
            "description" => reader.text(Field::Description, scanner),
            _ => scanner.pass(),
        })
    }

    /// Reads the title from `annotations`, its place in older revisions.
    fn annotations(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| match key {
            "title" => reader.text(Field::Title, scanner),
            _ => scanner.pass(),
        })
    }

    /// Reads the short texts that a server or a gateway added. Sieve's own texts repeat other members, so they are
    /// skipped.
    fn meta(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| {
            let value = scanner.value()?;
            if !key.starts_with(Catalog::PREFIX)
                && value.get().len() <= MAX_LABEL
                && let Some(text) = value.text()
            {
                (reader.visit)(Field::Label, &text);
            }
            Ok(())
        })
    }

    /// Reads the arguments of a prompt.
    fn arguments(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        let is_array = scanner.elements(&mut |scanner| {
            self.members(scanner, &mut |reader, scanner, key| match key {
                "name" => reader.text(Field::Parameter, scanner),
                "description" => reader.text(Field::ParameterDescription, scanner),
                _ => scanner.pass(),
            })
        })?;
        if is_array { Ok(()) } else { scanner.pass() }
    }

    /// Reads a schema or an array of schemas: the names and descriptions of properties at any depth.
    fn schema(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        if scanner.elements(&mut |scanner| self.schema(scanner))? {
            return Ok(());
        }
        self.members(scanner, &mut |reader, scanner, key| match key {
            "description" => reader.text(Field::ParameterDescription, scanner),
            "enum" => reader.texts(Field::Choice, scanner),
            "properties" => reader.members(scanner, &mut |reader, scanner, name| {
                (reader.visit)(Field::Parameter, name);
                reader.schema(scanner)
            }),
            "$defs" | "definitions" => {
                reader.members(scanner, &mut |reader, scanner, _| reader.schema(scanner))
            }
            "items" | "anyOf" | "oneOf" | "allOf" => reader.schema(scanner),
            _ => scanner.pass(),
        })
    }

    /// Calls `member` with each member of an object whose key is valid Unicode. Skips any other value.
    fn members(
        &mut self,
        scanner: &mut Scanner<'_>,
        member: &mut dyn FnMut(&mut Self, &mut Scanner<'_>, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_object = scanner.object(&mut |scanner, key| match key {
            Some(key) => member(self, scanner, key),
            None => scanner.pass(),
        })?;
        if is_object { Ok(()) } else { scanner.pass() }
    }

    fn texts(&mut self, field: Field, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        if scanner.elements(&mut |scanner| self.text(field, scanner))? {
            return Ok(());
        }
        scanner.pass()
    }

    fn text(&mut self, field: Field, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        if let Some(text) = scanner.lossy_text()? {
            (self.visit)(field, &text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, fields};
    use crate::catalog::Kind;

    #[track_caller]
    fn reads(kind: Kind, source: &str, expected: &[(Field, &str)]) {
        let mut found = Vec::new();
        fields(kind, source, &mut |field, text| found.push((field, text.to_owned())));
        let expected: Vec<_> = expected.iter().map(|(field, text)| (*field, (*text).to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_tool() {
        let source = r#"{"name":"n","title":"t","description":"d\u00e9","x":{"name":"no"},
            "annotations":{"title":"a","readOnlyHint":true},"groups":["g"],"tags":["h",1],
            "_meta":{"x/server":"s","x/n":1,"dev.mcpsieve/groups":["g"],
                "y":"more than sixty-four bytes are no label but data, and nobody looks for a tool by its data"},
            "inputSchema":{"type":"object","title":"no","description":"sd","properties":{
                "p":{"type":"string","description":"pd","enum":["e1",2,"e2"]},
                "description":{"items":{"properties":{"q":{"anyOf":[{"description":"qd"},{"type":"null"}]}}}},
                "r":true},
              "required":["p"],"$defs":{"D":{"properties":{"z":{}}}}}}"#;
        reads(
            Kind::Tool,
            source,
            &[
                (Field::Name, "n"),
                (Field::Title, "t"),
                (Field::Description, "dé"),
                (Field::Title, "a"),
                (Field::Label, "g"),
                (Field::Label, "h"),
                (Field::Label, "s"),
                (Field::ParameterDescription, "sd"),
                (Field::Parameter, "p"),
                (Field::ParameterDescription, "pd"),
                (Field::Choice, "e1"),
                (Field::Choice, "e2"),
                (Field::Parameter, "description"),
                (Field::Parameter, "q"),
                (Field::ParameterDescription, "qd"),
                (Field::Parameter, "r"),
                (Field::Parameter, "z"),
            ],
        );
    }

    #[test]
    fn the_other_kinds() {
        let source = r#"{"uri":"file:///a","name":"n"}"#;
        reads(Kind::Resource, source, &[(Field::Name, "file:///a"), (Field::Name, "n")]);
        reads(Kind::Tool, source, &[(Field::Name, "n")]);
        reads(Kind::Template, r#"{"uriTemplate":"x:{y}"}"#, &[(Field::Name, "x:{y}")]);
        let source = r#"{"name":"n","arguments":[{"name":"a","description":"ad","required":true},1]}"#;
        let expected = [(Field::Name, "n"), (Field::Parameter, "a"), (Field::ParameterDescription, "ad")];
        reads(Kind::Prompt, source, &expected);
    }

    #[test]
    fn whatever_stands_in_a_place_is_passed() {
        for value in ["1", "null", "[]", "{}", "[[1]]", "{\"\\ud800\":1}"] {
            for key in ["name", "groups", "inputSchema", "arguments", "annotations", "_meta"] {
                let source = format!("{{\"{key}\":{value},\"title\":\"t\"}}");
                reads(Kind::Tool, &source, &[(Field::Title, "t")]);
            }
            let source =
                format!("{{\"inputSchema\":{{\"properties\":{value},\"enum\":{value}}},\"title\":\"t\"}}");
            reads(Kind::Tool, &source, &[(Field::Title, "t")]);
        }
        reads(Kind::Tool, "[]", &[]);
        reads(Kind::Tool, "{\"title\":\"cut \\ud800\"}", &[(Field::Title, "cut \u{fffd}")]);
        reads(Kind::Tool, "{\"name\":\"n\",", &[(Field::Name, "n")]);
    }
}
