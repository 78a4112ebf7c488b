//! The documents that a function can search: limits, passages and an in-memory library.

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{
    Error, ErrorKind, Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    json::Object,
    rank::{Index, Scratch},
};

/// Maximum size of a passage, in bytes: a paragraph or two.
pub const MAX_PASSAGE: usize = 1200;
/// Maximum size of a document, in bytes.
pub const MAX_DOCUMENT: usize = 1 << 20;
/// Maximum number of documents in a library.
pub const MAX_DOCUMENTS: usize = 10_000;

/// The divisor of the best score below which passages are dropped: a passage needs 1/12 of it.
///
/// The bar is lower than in searches for tools, because a document that shares only one rare word with a question
/// often belongs to the answer.
const FLOOR: u32 = 12;

/// A text that can be retrieved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The id, unique in its library; another document with this id replaces it.
    pub id: String,
    /// The collection that it belongs to.
    pub source: String,
    /// The title.
    pub title: String,
    /// The text.
    pub text: String,
}

/// A part of a document that makes sense on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The id of the document.
    pub id: String,
    /// The title of the document.
    pub title: String,
    /// The text of the part.
    pub text: String,
    /// The relevance, from 0 to 1000; 0 before ranking.
    pub relevance: u32,
}

/// A collection of documents that can be searched.
pub trait Documents {
    /// Returns the passages that match `query` best: at most `most`, and at most one from each document. With
    /// `sources`, searches only these collections.
    fn search<'a>(
        &'a self,
        query: &'a str,
        sources: Option<&'a [String]>,
        most: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, Error>>;
}

/// Documents in memory.
#[derive(Debug, Default)]
pub struct Library {
    documents: Vec<Document>,
}

impl Library {
    /// Returns an empty library.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or replaces the document with the same id.
    ///
    /// # Errors
    /// [`ErrorKind::ContextLimit`] beyond [`MAX_DOCUMENT`] and [`MAX_DOCUMENTS`].
    pub fn put(&mut self, document: Document) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::new(ErrorKind::ContextLimit, message).field("document"));
        if document.text.len() > MAX_DOCUMENT {
            return refuse(format!("the document is larger than {MAX_DOCUMENT} bytes"));
        }
        let count = self.documents.len();
        match self.documents.iter_mut().find(|known| known.id == document.id) {
            Some(known) => *known = document,
            None if count == MAX_DOCUMENTS => {
                return refuse(format!("there are more than {MAX_DOCUMENTS} documents"));
            }
            None => self.documents.push(document),
        }
        Ok(())
    }

    /// Removes a document, and returns whether it existed.
    pub fn remove(&mut self, id: &str) -> bool {
        let before = self.documents.len();
        self.documents.retain(|document| document.id != id);
        self.documents.len() < before
    }

    /// Returns the documents, in the order in which they were added.
    pub fn list(&self) -> &[Document] {
        &self.documents
    }
}

impl Documents for Library {
    fn search<'a>(
        &'a self,
        query: &'a str,
        sources: Option<&'a [String]>,
        most: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, Error>> {
        let wanted = |document: &&Document| sources.is_none_or(|sources| sources.contains(&document.source));
        let candidates = self.documents.iter().filter(wanted).flat_map(passages).collect();
        async move { Ok(rank(candidates, query, most)) }.boxed_local()
    }
}

/// Splits a document into passages: as many paragraphs together as fit into [`MAX_PASSAGE`].
pub fn passages(document: &Document) -> impl Iterator<Item = Passage> {
    let mut texts: Vec<String> = Vec::new();
    for paragraph in document.text.split("\n\n").map(str::trim).filter(|text| !text.is_empty()) {
        let mut rest = paragraph;
        while !rest.is_empty() {
            let (part, behind) = rest.split_at_checked(cut(rest)).unwrap_or((rest, ""));
            match texts.last_mut().filter(|last| last.len() + 2 + part.len() <= MAX_PASSAGE) {
                Some(last) => last.extend(["\n\n", part.trim_end()]),
                None => texts.push(part.trim_end().to_owned()),
            }
            rest = behind.trim_start();
        }
    }
    let Document { id, title, .. } = document;
    texts.into_iter().map(|text| Passage { id: id.clone(), title: title.clone(), text, relevance: 0 })
}

/// Returns the offset at which to cut a paragraph so that its head fits into [`MAX_PASSAGE`]: after a sentence,
/// otherwise after a word.
fn cut(text: &str) -> usize {
    if text.len() <= MAX_PASSAGE {
        return text.len();
    }
    let most = text.floor_char_boundary(MAX_PASSAGE);
    let head = text.get(..most).unwrap_or_default();
    let sentence = head.rfind(". ").map(|at| at + 2).filter(|at| *at > MAX_PASSAGE / 2);
    sentence.or_else(|| head.rfind(' ').map(|at| at + 1)).unwrap_or(most).max(1)
}

/// Returns the passages that match `query` best, the best first, with their relevance, and only the best from each
/// document.
///
/// Passages without an id are never returned. They only contribute word frequencies, for a library that is searched
/// elsewhere.
pub fn rank(mut candidates: Vec<Passage>, query: &str, most: usize) -> Vec<Passage> {
    // The ranking treats a passage as a resource with a name and a description.
    let mut listed = b"{\"resources\":".to_vec();
    Object::push_array(&mut listed, candidates.iter().enumerate(), |out, (at, passage)| {
        let mut object = Object::open(out);
        // Equal scores are ordered by URI, so these URIs keep the order of the documents.
        object.text("uri", &format!("p:{at:08}"));
        object.text("name", &passage.title);
        object.text("description", &passage.text);
        object.close();
    });
    listed.push(b'}');
    let Ok(Ok(lists)) = std::str::from_utf8(&listed).map(Lists::read) else { return Vec::new() };
    let catalog = Catalog::compile(&[Source { server: "", lists }], &Assignments::default());
    let index = Index::new(&catalog, Kind::Resource);
    let mut scratch = Scratch::default();
    let mut best: Vec<Passage> = Vec::new();
    let hits = index.shares(query, candidates.len(), &mut scratch);
    let bar = hits.first().map_or(0, |best| best.score.div_ceil(FLOOR));
    for hit in hits.iter().take_while(|hit| hit.score >= bar) {
        let Some(passage) = candidates.get_mut(hit.index) else { continue };
        if !passage.id.is_empty() && best.len() < most && best.iter().all(|other| other.id != passage.id) {
            best.push(Passage { relevance: hit.score, ..std::mem::take(passage) });
        }
    }
    best
}
