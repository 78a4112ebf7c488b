use super::lexicon::Weight;
use crate::{
    catalog::{Kind, PREFIX},
    error::Error,
    json::{self, Raw, Scanner},
};

/// Longest text under `_meta` that is taken for a label. What is longer is data.
const MAX_LABEL: usize = 64;

/// Which part of a primitive a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// What it is called by; of resources and templates the URI as well.
    Name,
    /// What a person reads first.
    Title,
    /// What it is for.
    Description,
    /// The name of a parameter, at any depth.
    Parameter,
    /// What a parameter is for.
    ParameterDescription,
    /// A value that a parameter takes.
    Choice,
    /// A group, a tag, a short text under `_meta`.
    Label,
    /// A request that it answers, by the operator. It makes it no longer, so that any number of them can be given.
    Example,
    /// The name of its server, which makes it no longer.
    Server,
}

/// The most that a word counts in any field: a tool named `now` is not what every request with this word
/// is about.
pub(super) fn most(weight: Weight) -> u16 {
    match weight {
        Weight::Faint => 10,
        Weight::Weak => 15,
        Weight::Full => 36,
    }
}

impl Field {
    /// Returns what each word of a text of `words` words counts, in tenths of a word in a description. Only for names does
    /// the number matter: a request about prices is more likely meant for `prices` than for `fuel_prices_australia`.
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

/// Calls `visit` with each text of a primitive that says what it is for, given the JSON it is sent as.
pub(super) fn fields(kind: Kind, source: &str, visit: &mut dyn FnMut(Field, &str)) {
    // A catalog holds well-formed objects only; of anything else what can be read is.
    let _ = Reader { visit }.primitive(kind, &mut Scanner::new(source));
}

struct Reader<'a> {
    visit: &'a mut dyn FnMut(Field, &str),
}

impl Reader<'_> {
    fn primitive(&mut self, kind: Kind, scanner: &mut Scanner<'_>) -> Result<bool, Error> {
        scanner.object(&mut |scanner, key| match key.as_deref() {
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
            _ => scanner.value().map(drop),
        })
    }

    /// What a skill is called and what it is for.
    fn frontmatter(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| match key {
            "name" => reader.text(Field::Name, scanner),
            "description" => reader.text(Field::Description, scanner),
            _ => scanner.value().map(drop),
        })
    }

    /// The title's older place.
    fn annotations(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| match key {
            "title" => reader.text(Field::Title, scanner),
            _ => scanner.value().map(drop),
        })
    }

    /// Short texts that a server or a gateway attached. Our own repeat what stands elsewhere.
    fn meta(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        self.members(scanner, &mut |reader, scanner, key| {
            let value = scanner.value()?;
            if !key.starts_with(PREFIX) && value.get().len() <= MAX_LABEL {
                reader.raw(Field::Label, value);
            }
            Ok(())
        })
    }

    /// What a prompt takes.
    fn arguments(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        let is_array = scanner.elements(&mut |scanner| {
            self.members(scanner, &mut |reader, scanner, key| match key {
                "name" => reader.text(Field::Parameter, scanner),
                "description" => reader.text(Field::ParameterDescription, scanner),
                _ => scanner.value().map(drop),
            })
        })?;
        if is_array { Ok(()) } else { scanner.value().map(drop) }
    }

    /// A schema, or an array of them: names and descriptions of properties wherever they stand.
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
            _ => scanner.value().map(drop),
        })
    }

    /// The members of an object whose keys are Unicode; any other value is passed.
    fn members(
        &mut self,
        scanner: &mut Scanner<'_>,
        member: &mut dyn FnMut(&mut Self, &mut Scanner<'_>, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_object = scanner.object(&mut |scanner, key| match key {
            Some(key) => member(self, scanner, &key),
            None => scanner.value().map(drop),
        })?;
        if is_object { Ok(()) } else { scanner.value().map(drop) }
    }

    fn texts(&mut self, field: Field, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        if scanner.elements(&mut |scanner| self.text(field, scanner))? {
            return Ok(());
        }
        scanner.value().map(drop)
    }

    fn text(&mut self, field: Field, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        let value = scanner.value()?;
        self.raw(field, value);
        Ok(())
    }

    fn raw(&mut self, field: Field, value: Raw<'_>) {
        if let Some(text) = json::text(value) {
            (self.visit)(field, &text);
        }
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
        for value in ["1", "null", "[]", "{}", "[[1]]", "\"\\ud800\"", "{\"\\ud800\":1}"] {
            for key in ["name", "groups", "inputSchema", "arguments", "annotations", "_meta"] {
                let source = format!("{{\"{key}\":{value},\"title\":\"t\"}}");
                reads(Kind::Tool, &source, &[(Field::Title, "t")]);
            }
            let source =
                format!("{{\"inputSchema\":{{\"properties\":{value},\"enum\":{value}}},\"title\":\"t\"}}");
            reads(Kind::Tool, &source, &[(Field::Title, "t")]);
        }
        reads(Kind::Tool, "[]", &[]);
        reads(Kind::Tool, "{\"name\":\"n\",", &[(Field::Name, "n")]);
    }
}
