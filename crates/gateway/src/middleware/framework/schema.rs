//! The JSON Schema subset by which function arguments are validated.

use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Number, Raw},
};

use crate::middleware::framework::arguments::Arguments;

/// The schema of a function's arguments: the subset of JSON Schema 2020-12 that is needed for arguments.
///
/// The supported keywords are `type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`,
/// `minItems`, `maxItems`, `minLength`, `maxLength`, `minimum` and `maximum`, and `default` for top-level properties.
/// The annotations `title`, `description`, `examples`, `deprecated`, `format`, `$schema` and `$comment` are accepted
/// and ignored. A schema with any other keyword is rejected when its function is registered, because ignoring it would
/// skip a check of the arguments.
///
/// The catalog validates the lists of servers with other code (`catalog::parse::schema`): a fixed table of the
/// protocol's own types, which reads no schema, and reports problems instead of rejecting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    kinds: Vec<&'static str>,
    choices: Option<Vec<String>>,
    properties: Vec<(String, Schema)>,
    required: Vec<String>,
    /// The members that `properties` does not list: `additionalProperties`.
    others: Others,
    items: Option<Box<Schema>>,
    item_count: Range,
    length: Range,
    minimum: Option<Number>,
    maximum: Option<Number>,
    default: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
enum Others {
    #[default]
    Any,
    None,
    Like(Box<Schema>),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Range {
    least: Option<u32>,
    most: Option<u32>,
}

impl Range {
    /// Returns what was expected instead of `count` of something, such as `at least 2 elements`, if that many are
    /// refused. `one` is its name in the singular.
    fn refuses(self, count: usize, one: &str) -> Option<String> {
        let [least, most] = [self.least, self.most].map(|bound| bound.map(|bound| bound as usize));
        let (words, bound) = match (least, most) {
            (Some(least), _) if count < least => ("at least", least),
            (_, Some(most)) if count > most => ("at most", most),
            _ => return None,
        };
        Some(format!("{words} {bound} {one}{}", if bound == 1 { "" } else { "s" }))
    }
}

/// The type names of JSON Schema.
const KINDS: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
/// The keywords that are accepted and ignored.
const NOTES: [&str; 7] = ["title", "description", "examples", "deprecated", "format", "$schema", "$comment"];

impl Schema {
    /// Parses the schema of a function, whose `type` must be `object`.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path, for an unsupported keyword, for a keyword with an invalid value, and for a
    /// default that its own schema rejects. [`ErrorKind::Json`] for invalid JSON.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let schema = Self::read(Raw::parse(source)?, 0)?;
        if schema.kinds != ["object"] {
            return Err(refuse("expected `object`").field("type"));
        }
        // An invalid default would make every call fail that omits the argument.
        for (name, property) in &schema.properties {
            let Some(default) = &property.default else { continue };
            property.check(Raw::known(default)).map_err(|error| {
                let error = error.with_kind(ErrorKind::Config).within("default");
                error.within(name).within("properties")
            })?;
        }
        Ok(schema)
    }

    fn read(raw: Raw<'_>, depth: usize) -> Result<Self, Error> {
        let members = Members::read(raw).ok_or_else(|| refuse("expected an object"))?;
        let mut schema = Self::default();
        for (key, value) in &members.0 {
            schema.keyword(key, *value, depth).map_err(|error| error.within(key))?;
        }
        Ok(schema)
    }

    fn keyword(&mut self, key: &str, value: Raw<'_>, depth: usize) -> Result<(), Error> {
        match key {
            "type" => {
                let names = match value.elements() {
                    Some(none) if none.is_empty() => return Err(refuse("expected at least one type")),
                    Some(names) => names,
                    None => vec![value],
                };
                for name in names {
                    let name = name.text().unwrap_or_default();
                    let kind = KINDS.into_iter().find(|kind| *kind == name);
                    self.kinds
                        .push(kind.ok_or_else(|| refuse(format!("expected {}", Error::one_of(&KINDS))))?);
                }
            }
            "enum" => {
                let values = value.elements().ok_or_else(|| refuse("expected an array"))?;
                self.choices = Some(values.into_iter().map(scalar).collect::<Result<_, _>>()?);
            }
            "const" => self.choices = Some(vec![scalar(value)?]),
            "properties" => {
                let properties = Members::read(value).ok_or_else(|| refuse("expected an object"))?;
                for (name, property) in &properties.0 {
                    let property = Self::read(*property, depth + 1).map_err(|error| error.within(name))?;
                    self.properties.push((name.clone().into_owned(), property));
                }
            }
            "required" => {
                let names = value.elements().ok_or_else(|| refuse("expected an array"))?;
                let names = names.into_iter().map(json::Raw::text).map(|name| name.map(Into::into));
                self.required = names.collect::<Option<_>>().ok_or_else(|| refuse("expected strings"))?;
            }
            "additionalProperties" => {
                self.others = match value.get() {
                    "true" => Others::Any,
                    "false" => Others::None,
                    _ => Others::Like(Box::new(Self::read(value, depth + 1)?)),
                }
            }
            "items" => self.items = Some(Box::new(Self::read(value, depth + 1)?)),
            "minItems" => self.item_count.least = Some(count(value)?),
            "maxItems" => self.item_count.most = Some(count(value)?),
            "minLength" => self.length.least = Some(count(value)?),
            "maxLength" => self.length.most = Some(count(value)?),
            "minimum" => self.minimum = Some(number(value)?),
            "maximum" => self.maximum = Some(number(value)?),
            "default" if depth == 1 => self.default = Some(value.get().to_owned()),
            key if NOTES.contains(&key) => {}
            _ => return Err(refuse("an unknown keyword")),
        }
        Ok(())
    }

    /// Returns whether there is an argument of this name.
    pub fn has(&self, argument: &str) -> bool {
        self.properties.iter().any(|(name, _)| name == argument)
    }

    /// Validates the arguments of a call, and returns them with the defaults of missing ones filled in.
    ///
    /// # Errors
    /// [`ErrorKind::ArgumentsInvalid`] with the path.
    pub fn accept<'a>(&'a self, arguments: Option<Raw<'a>>) -> Result<Arguments<'a>, Error> {
        let given = arguments.unwrap_or(Raw::known("{}"));
        let invalid = |error: Error| error.within("arguments");
        let mut members = Members::read(given).ok_or_else(|| invalid(mismatch("an object")))?;
        for (name, property) in &self.properties {
            if let (Some(default), None) = (&property.default, members.get(name)) {
                members.0.push((name.into(), Raw::known(default)));
            }
        }
        self.object(&members).map_err(invalid)?;
        Ok(Arguments(members))
    }

    fn check(&self, value: Raw<'_>) -> Result<(), Error> {
        if !self.kinds.is_empty() && !self.kinds.iter().any(|kind| is(kind, value)) {
            return Err(mismatch(&article(&self.kinds)));
        }
        if let Some(choices) = &self.choices {
            let found = scalar(value).ok();
            if !choices.iter().any(|choice| found.as_ref() == Some(choice)) {
                let choices: Vec<&str> = choices.iter().map(|choice| choice.trim_matches('"')).collect();
                return Err(mismatch(&Error::one_of(&choices)));
            }
        }
        match value.get().as_bytes().first() {
            Some(b'{') => self.object(&Members::read(value).ok_or_else(|| mismatch("text that is Unicode"))?),
            Some(b'[') => self.array(&value.elements().unwrap_or_default()),
            Some(b'"') => {
                let text = value.text().ok_or_else(|| mismatch("text that is Unicode"))?;
                match self.length.refuses(text.chars().count(), "character") {
                    Some(expected) => Err(mismatch(&expected)),
                    None => Ok(()),
                }
            }
            Some(b'-' | b'0'..=b'9') => self.number(value),
            _ => Ok(()),
        }
    }

    fn object(&self, members: &Members<'_>) -> Result<(), Error> {
        if let Some(name) = self.required.iter().find(|name| members.get(name).is_none()) {
            return Err(Error::new(ErrorKind::ArgumentsInvalid, format!("missing field `{name}`")));
        }
        for (name, value) in &members.0 {
            let schema = self.properties.iter().find(|(known, _)| known == name).map(|(_, schema)| schema);
            let checked = match (schema, &self.others) {
                (Some(schema), _) => schema.check(*value),
                (None, Others::Like(schema)) => schema.check(*value),
                (None, Others::Any) => Ok(()),
                (None, Others::None) => Err(self.unknown()),
            };
            checked.map_err(|error| error.within(name))?;
        }
        Ok(())
    }

    fn unknown(&self) -> Error {
        let known: Vec<&str> = self.properties.iter().map(|(name, _)| name.as_str()).collect();
        let expected = if known.is_empty() { "none".to_owned() } else { Error::one_of(&known) };
        Error::new(ErrorKind::ArgumentsInvalid, format!("unknown field, expected {expected}"))
    }

    fn array(&self, elements: &[Raw<'_>]) -> Result<(), Error> {
        if let Some(expected) = self.item_count.refuses(elements.len(), "element") {
            return Err(mismatch(&expected));
        }
        let Some(items) = &self.items else { return Ok(()) };
        let mut elements = elements.iter().enumerate();
        elements.try_for_each(|(at, element)| {
            items.check(*element).map_err(|error| error.within(&format!("[{at}]")))
        })
    }

    fn number(&self, value: Raw<'_>) -> Result<(), Error> {
        let number: Number = value.get().parse().map_err(|_| mismatch("a shorter number"))?;
        match (self.minimum, self.maximum) {
            (Some(least), _) if number < least => Err(mismatch(&format!("at least {least}"))),
            (_, Some(most)) if number > most => Err(mismatch(&format!("at most {most}"))),
            _ => Ok(()),
        }
    }
}

/// Returns whether a value has a JSON Schema type. The only type that JSON itself lacks is `integer`.
fn is(kind: &str, value: Raw<'_>) -> bool {
    value.has_type(kind).unwrap_or_else(|| value.get().parse::<Number>().is_ok_and(Number::is_integer))
}

/// Returns the canonical spelling of a scalar value, so that `1` and `1.0` are equal.
fn scalar(value: Raw<'_>) -> Result<String, Error> {
    match value.get().as_bytes().first() {
        Some(b'"') => value.text().map(|text| format!("\"{text}\"")),
        Some(b'{' | b'[') => None,
        Some(b't' | b'f' | b'n') => Some(value.get().to_owned()),
        _ => value.get().parse::<Number>().ok().map(|number| number.to_string()),
    }
    .ok_or_else(|| refuse("expected a string, a number, a boolean or null"))
}

fn count(value: Raw<'_>) -> Result<u32, Error> {
    value.get().parse().map_err(|_| refuse("expected a whole number"))
}

fn number(value: Raw<'_>) -> Result<Number, Error> {
    value.get().parse().map_err(|_| refuse("expected a number"))
}

fn article(kinds: &[&str]) -> String {
    let article = |kind: &&str| match *kind {
        "null" => "null".to_owned(),
        "integer" => "a whole number".to_owned(),
        "array" | "object" => format!("an {kind}"),
        kind => format!("a {kind}"),
    };
    kinds.iter().map(article).collect::<Vec<_>>().join(" or ")
}

fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}

fn mismatch(expected: &str) -> Error {
    Error::new(ErrorKind::ArgumentsInvalid, format!("expected {expected}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::Schema;
    use mcp_sieve::json::Raw;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "level":{"type":"string","enum":["standard","strict"],"default":"standard"},
        "most":{"type":"integer","minimum":1,"maximum":10,"default":3},
        "tags":{"type":"array","items":{"type":"string","minLength":1,"maxLength":4},"minItems":1,"maxItems":2},
        "map":{"type":["object","null"],"additionalProperties":{"type":"string"}},
        "on":{"const":true}},
      "required":["level"],"additionalProperties":false}"#;

    #[track_caller]
    fn accepts(arguments: &str, expected: &str) {
        let schema = Schema::parse(SCHEMA).unwrap();
        let accepted = schema.accept(Some(Raw::parse(arguments).unwrap())).unwrap();
        let members: Vec<String> =
            accepted.0.0.iter().map(|(key, value)| format!("{key}={}", value.get())).collect();
        assert_eq!(members.join(" "), expected);
    }

    #[track_caller]
    fn refuses(arguments: &str, expected: &str) {
        let schema = Schema::parse(SCHEMA).unwrap();
        let error = schema.accept(Some(Raw::parse(arguments).unwrap())).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.code()), (expected, "arguments_invalid"));
    }

    #[test]
    fn defaults_stand_where_nothing_is_given() {
        accepts("{}", "level=\"standard\" most=3");
        accepts(r#"{"most":1.0e1,"level":"strict"}"#, "most=1.0e1 level=\"strict\"");
        accepts(
            r#"{"map":null,"on":true,"tags":["é€😀x"]}"#,
            "map=null on=true tags=[\"é€😀x\"] level=\"standard\" most=3",
        );
    }

    #[test]
    fn what_the_schema_excludes_is_refused_with_its_place() {
        refuses("[]", "arguments: expected an object");
        refuses(r#"{"level":1}"#, "arguments.level: expected a string");
        refuses(r#"{"level":"lax"}"#, "arguments.level: expected `standard` or `strict`");
        refuses(r#"{"most":0}"#, "arguments.most: expected at least 1");
        refuses(r#"{"most":11}"#, "arguments.most: expected at most 10");
        refuses(r#"{"most":1.5}"#, "arguments.most: expected a whole number");
        refuses(r#"{"most":1e30}"#, "arguments.most: expected at most 10");
        refuses(r#"{"most":1e400}"#, "arguments.most: expected a whole number");
        refuses(r#"{"tags":[]}"#, "arguments.tags: expected at least 1 element");
        refuses(r#"{"tags":["a","b","c"]}"#, "arguments.tags: expected at most 2 elements");
        refuses(r#"{"tags":["a",""]}"#, "arguments.tags[1]: expected at least 1 character");
        refuses(r#"{"map":{"a":"b","c":1}}"#, "arguments.map.c: expected a string");
        refuses(r#"{"map":[]}"#, "arguments.map: expected an object or null");
        refuses(r#"{"on":false}"#, "arguments.on: expected `true`");
        refuses(
            r#"{"x":1}"#,
            "arguments.x: unknown field, expected one of `level`, `most`, `tags`, `map`, `on`",
        );
        refuses(r#"{"level":"\ud800"}"#, "arguments.level: expected `standard` or `strict`");
        refuses(r#"{"map":{"a":"\ud800"}}"#, "arguments.map.a: expected text that is Unicode");
    }

    #[test]
    fn a_keyword_that_would_be_passed_by_is_refused_at_once() {
        for (schema, expected) in [
            (r#"{"type":"object","patternProperties":{}}"#, "patternProperties: an unknown keyword"),
            (r#"{"type":"array"}"#, "type: expected `object`"),
            (r#"{}"#, "type: expected `object`"),
            (
                r#"{"type":"object","properties":{"a":{"pattern":"x"}}}"#,
                "properties.a.pattern: an unknown keyword",
            ),
            (
                r#"{"type":"object","properties":{"a":{"properties":{"b":{"default":1}}}}}"#,
                "properties.a.properties.b.default: an unknown keyword",
            ),
            (
                r#"{"type":"object","properties":{"a":{"enum":[[]]}}}"#,
                "properties.a.enum: expected a string, a number, a boolean or null",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":"integer","maximum":3,"default":4}}}"#,
                "properties.a.default: expected at most 3",
            ),
            (
                r#"{"type":"object","properties":{"a":{"items":{"type":"string"},"default":["x",1]}}}"#,
                "properties.a.default[1]: expected a string",
            ),
            (
                r#"{"type":"object","properties":{"a":{"type":[]}}}"#,
                "properties.a.type: expected at least one type",
            ),
            (
                r#"{"type":"objekt"}"#,
                "type: expected one of `null`, `boolean`, `integer`, `number`, `string`, `array`, `object`",
            ),
        ] {
            assert_eq!(Schema::parse(schema).unwrap_err().to_string(), expected);
        }
    }
}
