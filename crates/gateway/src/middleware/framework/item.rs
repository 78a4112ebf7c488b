//! One content item, whose text may be kept apart from its JSON.

use std::{borrow::Cow, sync::OnceLock};

use mcp_sieve::json::{self, Members, Object, Raw};

use crate::middleware::framework::text_visitor::{self, TextVisitor};

/// A content item as JSON. Its member `text` may be kept beside the JSON: a long text is then neither escaped nor
/// parsed.
#[derive(Debug, Clone)]
pub(crate) struct Item<'a> {
    /// The JSON of the item. Its `text` is empty if the text is kept beside it.
    json: Cow<'a, str>,
    beside: Option<ItemText<'a>>,
}

/// A text that is kept beside the JSON of its item.
#[derive(Debug, Clone)]
pub struct ItemText<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The index of the item with which the caller passed the text; `None` for a text that a function wrote.
    pub given: Option<usize>,
    /// The complete JSON, with the text in it; computed on first use.
    whole: OnceLock<String>,
}

impl<'a> Item<'a> {
    /// Returns an item whose text, if any, is in its JSON.
    pub fn new(json: impl Into<Cow<'a, str>>) -> Self {
        Self { json: json.into(), beside: None }
    }

    /// Keeps a text beside the JSON, whose `text` is empty.
    pub fn set_beside(&mut self, text: String, given: Option<usize>) {
        self.beside = Some(ItemText { text: Cow::Owned(text), given, whole: OnceLock::new() });
    }

    /// Returns the JSON, with an empty `text` if that is kept beside it.
    pub fn stub(&self) -> &str {
        &self.json
    }

    /// Returns the text that is kept beside the JSON.
    pub fn beside(&self) -> Option<&ItemText<'a>> {
        self.beside.as_ref()
    }

    /// Returns the JSON.
    pub fn json(&self) -> &str {
        match &self.beside {
            Some(beside) => beside.whole.get_or_init(|| with_text(&self.json, &beside.text)),
            None => &self.json,
        }
    }

    /// Returns the size of the JSON, in bytes.
    pub fn size(&self) -> usize {
        // `text_size` counts the quotes, which the JSON already contains.
        self.json.len() + self.beside().map_or(0, |beside| Object::text_size(&beside.text) - 2)
    }

    /// Visits the texts, and replaces those for which `visit` returns another text.
    pub fn rewrite(&mut self, visit: TextVisitor<'_>) {
        let beside = self.beside().map(|beside| &*beside.text);
        let (json, text) = text_visitor::visit_item_beside(Raw::known(&self.json), beside, visit);
        if let Some(json) = json {
            self.json = Cow::Owned(json);
        }
        match (text, &mut self.beside) {
            (Some(text), _) => self.set_beside(text, None),
            // Another member may have changed, which would make the complete JSON stale.
            (None, Some(beside)) => beside.whole = OnceLock::new(),
            (None, None) => {}
        }
    }

    /// Visits the texts.
    pub fn each_text(&self, visit: &mut dyn FnMut(&str)) {
        let beside = self.beside().map(|beside| &*beside.text);
        text_visitor::visit_item_beside(Raw::known(&self.json), beside, &mut |text| {
            visit(text);
            None
        });
    }

    /// Returns the text of a text item.
    pub fn plain(&self) -> Option<Cow<'_, str>> {
        let json = Raw::known(&self.json).well_formed();
        let members = Members::parse(&json)?;
        let kind = members.get("type").and_then(json::Raw::text)?;
        if kind != "text" {
            return None;
        }
        match self.beside() {
            Some(beside) => Some(Cow::Borrowed(&*beside.text)),
            None => Some(Cow::Owned(members.get("text").and_then(json::Raw::text)?.into_owned())),
        }
    }

    /// Replaces the text of a text item.
    pub fn set_plain(&mut self, text: String) {
        match self.beside {
            Some(_) => self.set_beside(text, None),
            None => {
                if let Some(json) = text_visitor::replace_text(Raw::known(&self.json), &text) {
                    self.json = Cow::Owned(json);
                }
            }
        }
    }

    /// Returns the item with owned data.
    pub fn into_owned(self) -> Item<'static> {
        let owned =
            |ItemText { text, given, whole }| ItemText { text: Cow::Owned(text.into_owned()), given, whole };
        Item { json: Cow::Owned(self.json.into_owned()), beside: self.beside.map(owned) }
    }
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.beside(), other.beside()) {
            (Some(one), Some(another)) => one.text == another.text && self.json == other.json,
            _ => self.json() == other.json(),
        }
    }
}

impl Eq for Item<'_> {}

/// Returns the JSON of an item with its text in it.
fn with_text(json: &str, text: &str) -> String {
    text_visitor::replace_text(Raw::known(json), text).unwrap_or_else(|| json.to_owned())
}
