//! The content items of a context, with limits on their number and size.

use std::borrow::Cow;

use mcp_sieve::{
    Error, ErrorKind,
    json::{Members, Object, Raw},
};
use mcp_sieve_redact::PlaceholderMap;

use crate::middleware::framework::item::{Item, ItemText};

/// Maximum number of items in a context.
pub const MAX_ITEMS: usize = 4096;
/// Maximum size of a context that a caller sends, in bytes of JSON. Placeholders do not count, so that a caller can
/// send a result again.
pub const MAX_CONTEXT: usize = 4 << 20;
/// Maximum size of a context that a function returns, in bytes of JSON. It exceeds [`MAX_CONTEXT`] because placeholders
/// can be longer than the values that they replace.
pub const MAX_RESULT: usize = 8 * MAX_CONTEXT;

/// The content items of a context, in order. Unchanged items of any type keep their original bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content<'a>(Vec<Item<'a>>);

/// The position of a text in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The index of the item.
    pub item: usize,
    /// The index of the text within the item.
    pub text: usize,
}

impl<'a> Content<'a> {
    /// Parses an array of content items.
    ///
    /// # Errors
    /// [`ErrorKind::ContextInvalid`] for an element that is not an object with a `type`;
    /// [`ErrorKind::ContextLimit`] beyond [`MAX_CONTEXT`], [`MAX_ITEMS`] and [`Raw::MAX_DEPTH`].
    pub fn read(raw: Raw<'a>) -> Result<Self, Error> {
        Self::read_beside(raw, Vec::new())
    }

    /// Parses an array of content items, some of whose texts are passed separately, in order, each with the index of
    /// its item. In the array, the `text` of such an item is empty.
    ///
    /// # Errors
    /// As [`Content::read`].
    pub fn read_beside(raw: Raw<'a>, texts: Vec<(usize, String)>) -> Result<Self, Error> {
        let mut size = raw.get().len();
        // `text_size` counts the quotes, which the array already contains.
        texts.iter().for_each(|(_, text)| size += Object::text_size(text) - 2);
        let mut most = MAX_CONTEXT;
        if size > most {
            let sources = texts.iter().map(|(_, text)| &**text).chain([raw.get()]);
            most = MAX_RESULT.min(most + sources.map(PlaceholderMap::size_in).sum::<usize>());
            limit_size(size, most)?;
        }
        let mut content = Self::read_within(raw, most)?;
        for (at, text) in texts {
            if let Some(item) = content.0.get_mut(at) {
                item.set_beside(text, Some(at));
            }
        }
        Ok(content)
    }

    /// Parses an array of content items of at most `most` bytes.
    pub fn read_within(raw: Raw<'a>, most: usize) -> Result<Self, Error> {
        limit_size(raw.get().len(), most)?;
        let invalid = |field: String, expected: &str| {
            Error::new(ErrorKind::ContextInvalid, format!("expected {expected}")).field(field)
        };
        let items =
            raw.elements().ok_or_else(|| invalid("context".to_owned(), "an array of content items"))?;
        limit_items(items.len())?;
        for (at, item) in items.iter().enumerate() {
            limit_depth(*item).map_err(|error| error.within(&format!("context[{at}]")))?;
            let kind = Members::read(Raw::known(&item.well_formed()))
                .ok_or_else(|| invalid(format!("context[{at}]"), "an object"))?
                .get("type")
                .is_some_and(|kind| kind.get().starts_with('"'));
            if !kind {
                return Err(invalid(format!("context[{at}].type"), "a string"));
            }
        }
        Ok(Self(items.into_iter().map(|item| Item::new(item.get())).collect()))
    }

    /// Rejects content that is too large to be the result of a function. The items need no check: every constructor
    /// validates them.
    pub(crate) fn check_result(&self) -> Result<(), Error> {
        // The brackets, and a comma between two items.
        limit_size(self.size() + 1 + self.len().max(1), MAX_RESULT)?;
        limit_items(self.len())
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the size of the items, in bytes.
    pub fn size(&self) -> usize {
        self.0.iter().map(Item::size).sum()
    }

    /// Iterates over the items, as JSON.
    pub fn items(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(Item::json)
    }

    /// Visits every text in order: the strings of each item, and text that is encoded as Base64. Skips keys, `_meta`,
    /// and members that the protocol or a call reads: types, ids, names, URIs, media types, icons.
    pub fn each_text(&self, visit: &mut dyn FnMut(Place, &str)) {
        for (at, item) in self.0.iter().enumerate() {
            let mut texts = 0;
            item.each_text(&mut |text| {
                visit(Place { item: at, text: texts }, text);
                texts += 1;
            });
        }
    }

    /// Visits texts as [`Content::each_text`] does, and replaces those for which `visit` returns another text.
    pub fn rewrite(&mut self, visit: &mut dyn FnMut(Place, &str) -> Option<String>) {
        for (at, item) in self.0.iter_mut().enumerate() {
            let mut texts = 0;
            item.rewrite(&mut |text| {
                let given = visit(Place { item: at, text: texts }, text);
                texts += 1;
                given
            });
        }
    }

    /// Returns the index and the text of the first or last item of type `text`.
    pub fn text_item(&self, which: TextItem) -> Option<(usize, Cow<'_, str>)> {
        let mut texts = self.0.iter().enumerate().filter_map(|(at, item)| Some((at, item.plain()?)));
        match which {
            TextItem::First => texts.next(),
            TextItem::Last => texts.next_back(),
        }
    }

    /// Prepends `prefix` to the text of a text item. If there is no text item, adds one with the prefix as its text.
    pub fn prepend_to_text(&mut self, which: TextItem, prefix: &str) {
        let Some((at, text)) = self.text_item(which) else { return self.prepend(prefix.trim_end()) };
        let joined = format!("{prefix}{text}");
        if let Some(item) = self.0.get_mut(at) {
            item.set_plain(joined);
        }
    }

    /// Adds a text item before all others.
    pub fn prepend(&mut self, text: &str) {
        self.0.insert(0, Item::new(text_json(text)));
    }

    /// Adds a text item after all others.
    pub fn append(&mut self, text: &str) {
        self.0.push(Item::new(text_json(text)));
    }

    /// Keeps the last `most` items, and returns the items before them.
    #[must_use]
    pub fn split_last(&mut self, most: usize) -> Self {
        let kept = self.0.split_off(self.0.len().saturating_sub(most));
        Self(std::mem::replace(&mut self.0, kept))
    }

    /// Moves the item at `index` behind all others.
    pub fn move_to_end(&mut self, index: usize) {
        if index < self.0.len() {
            let item = self.0.remove(index);
            self.0.push(item);
        }
    }

    /// Inserts the items that [`Content::split_last`] returned before the others.
    pub fn put_back(&mut self, before: Self) {
        let behind = std::mem::replace(&mut self.0, before.0);
        self.0.extend(behind);
    }

    /// Returns the content with owned data.
    pub fn into_owned(self) -> Content<'static> {
        Content(self.0.into_iter().map(Item::into_owned).collect())
    }

    /// Appends the items as a JSON array.
    pub fn write(&self, out: &mut Vec<u8>) {
        Object::push_array(out, self.items(), |out, item| out.extend_from_slice(item.as_bytes()));
    }

    /// Appends the array that [`Content::read_beside`] parses, and returns the texts that are kept apart from it, each
    /// with the index of its item.
    pub fn write_beside(&self, out: &mut Vec<u8>) -> impl Iterator<Item = (usize, &ItemText<'a>)> {
        Object::push_array(out, &self.0, |out, item| out.extend_from_slice(item.stub().as_bytes()));
        self.0.iter().enumerate().filter_map(|(at, item)| Some((at, item.beside()?)))
    }

    /// Returns the items as a JSON array.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}

/// A choice of one text item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextItem {
    /// The first text item.
    First,
    /// The last text item: in a conversation, the current question.
    Last,
}

fn limit_size(size: usize, most: usize) -> Result<(), Error> {
    if size <= most {
        return Ok(());
    }
    let message = format!("the context is larger than {most} bytes");
    Err(Error::new(ErrorKind::ContextLimit, message).field("context"))
}

/// Rejects an item that nests too deeply for the functions, which read all of it.
fn limit_depth(item: Raw<'_>) -> Result<(), Error> {
    if !item.is_deeper(Raw::MAX_DEPTH) {
        return Ok(());
    }
    let message = format!("the item nests deeper than {} levels", Raw::MAX_DEPTH);
    Err(Error::new(ErrorKind::ContextLimit, message))
}

fn limit_items(count: usize) -> Result<(), Error> {
    if count <= MAX_ITEMS {
        return Ok(());
    }
    let message = format!("the context has more than {MAX_ITEMS} items");
    Err(Error::new(ErrorKind::ContextLimit, message).field("context"))
}

fn text_json(text: &str) -> String {
    let mut out = Vec::new();
    let mut item = Object::open(&mut out);
    item.text("type", "text");
    item.text("text", text);
    item.close();
    String::from_utf8(out).unwrap_or_default()
}
