use super::Kind;
use crate::{
    error::{Error, ErrorKind},
    json::{Members, Raw, Scanner},
};

/// Where primitives come from: a server's name, for `server:` terms, and what it listed.
#[derive(Debug)]
pub struct Source<'a> {
    /// The operator's name for the server.
    pub server: &'a str,
    /// Its lists.
    pub lists: Lists<'a>,
}

/// Primitives as a server listed them, still the bytes they came as.
#[derive(Debug, Default)]
pub struct Lists<'a> {
    items: [Vec<Item<'a>>; 4],
}

/// One element of a list, whatever it is.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub raw: Raw<'a>,
    /// `None` when it is no object.
    pub members: Option<Members<'a>>,
}

impl<'a> Lists<'a> {
    /// Reads list results: an object with any of `tools`, `resources`, `resourceTemplates`, `prompts`;
    /// a JSON-RPC response that holds one as its `result`; or an array of these, such as the pages of a
    /// list. Order is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for text that is not JSON, [`ErrorKind::Catalog`] for another shape.
    pub fn read(source: &'a str) -> Result<Self, Error> {
        let (mut scanner, mut reader) = (Scanner::new(source), Reader::default());
        if !scanner.elements(&mut |scanner| reader.result(scanner))? {
            reader.result(&mut scanner)?;
        }
        scanner.end()?;
        reader.wrong.map_or(Ok(reader.lists), Err)
    }

    /// The primitives of one kind.
    pub fn of(&self, kind: Kind) -> Vec<Raw<'a>> {
        self.items(kind).iter().map(|item| item.raw).collect()
    }

    /// Leaves out the primitives of a kind for which `keep` does not hold.
    pub fn retain(&mut self, kind: Kind, mut keep: impl FnMut(Raw<'a>) -> bool) {
        let [tools, resources, templates, prompts] = &mut self.items;
        let items = match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        };
        items.retain(|item| keep(item.raw));
    }

    pub(super) fn items(&self, kind: Kind) -> &[Item<'a>] {
        let [tools, resources, templates, prompts] = &self.items;
        match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        }
    }
}

/// Lists on their way in, in one pass over the text. What has the wrong shape is noted and read past:
/// text that is not JSON is refused as such, wherever that shows.
#[derive(Default)]
struct Reader<'a> {
    lists: Lists<'a>,
    wrong: Option<Error>,
}

/// What a list result has for one kind.
#[derive(Default)]
enum Found<'a> {
    #[default]
    Nothing,
    Items(Vec<Item<'a>>),
    NoArray,
}

impl<'a> Reader<'a> {
    /// Adds the primitives of one list result.
    fn result(&mut self, scanner: &mut Scanner<'a>) -> Result<(), Error> {
        let mut found: [Found<'a>; 4] = Default::default();
        let mut inner = None;
        let is_object = scanner.object(&mut |scanner, key| {
            let kinds = found.iter_mut().zip(Kind::ALL);
            match kinds.into_iter().find(|(_, kind)| key.as_deref() == Some(kind.list_key())) {
                Some((found, _)) => *found = items(scanner)?,
                None if key.as_deref() == Some("result") => {
                    inner.insert(Self::default()).result(scanner)?;
                }
                None => _ = scanner.value()?,
            }
            Ok(())
        })?;
        if let Some(Self { lists, wrong }) = inner {
            self.lists.items.iter_mut().zip(lists.items).for_each(|(items, more)| items.extend(more));
            return self.note(wrong);
        }
        if !is_object {
            scanner.value()?;
            return self.note(Some(shape("a list result is an object")));
        }
        if found.iter().all(|found| matches!(found, Found::Nothing)) {
            let expected = "expected one of `tools`, `resources`, `resourceTemplates`, `prompts`";
            return self.note(Some(shape(expected)));
        }
        for ((found, items), kind) in found.into_iter().zip(&mut self.lists.items).zip(Kind::ALL) {
            match found {
                Found::Nothing => {}
                Found::Items(more) => items.extend(more),
                Found::NoArray => {
                    _ = self.wrong.get_or_insert(shape("expected an array").field(kind.list_key()));
                }
            }
        }
        Ok(())
    }

    /// Keeps the first thing that is wrong.
    fn note(&mut self, wrong: Option<Error>) -> Result<(), Error> {
        self.wrong = self.wrong.take().or(wrong);
        Ok(())
    }
}

fn items<'a>(scanner: &mut Scanner<'a>) -> Result<Found<'a>, Error> {
    let mut items = Vec::new();
    let is_array = scanner.elements(&mut |scanner| {
        let (raw, members) = scanner.item()?;
        items.push(Item { raw, members });
        Ok(())
    })?;
    if is_array {
        return Ok(Found::Items(items));
    }
    scanner.value()?;
    Ok(Found::NoArray)
}

fn shape(message: &str) -> Error {
    Error::new(ErrorKind::Catalog, message)
}
