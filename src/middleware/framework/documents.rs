use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::{
    catalog::{Assignments, Catalog, Kind, Lists, Source},
    error::{Error, ErrorKind},
    json::{Object, push_array},
    rank::{Index, Scratch},
};

/// Longest passage, in bytes: what a paragraph or two take.
pub const MAX_PASSAGE: usize = 1200;
/// Longest document, in bytes.
pub const MAX_DOCUMENT: usize = 1 << 20;
/// Most documents of a library.
pub const MAX_DOCUMENTS: usize = 10_000;

/// Passages that fit less than this part as well as the best are not retrieved. It is lower than that of searches for
/// tools: a letter that shares one rare word with a question is often wanted beside its minutes.
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

/// A part of a document that can be read on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passage {
    /// The document's.
    pub id: String,
    /// The document's.
    pub title: String,
    /// The part.
    pub text: String,
    /// The relevance, from 0 to 1000, once it was ranked.
    pub relevance: u32,
}

/// A collection of documents that can be searched.
pub trait Documents {
    /// The passages that fit `query` best, at most `most` of them and of each document at most one. With
    /// `sources`, of these collections only.
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
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or puts it in the place of the one that had its name.
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

    /// Removes a document; false if there was none.
    pub fn remove(&mut self, id: &str) -> bool {
        let before = self.documents.len();
        self.documents.retain(|document| document.id != id);
        self.documents.len() < before
    }

    /// The documents, in the order in which they came.
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

/// The parts of a document: paragraphs, as many together as fit into [`MAX_PASSAGE`].
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

/// Where the part of a paragraph ends that is a passage: behind a sentence, else behind a word.
fn cut(text: &str) -> usize {
    if text.len() <= MAX_PASSAGE {
        return text.len();
    }
    let most = text.floor_char_boundary(MAX_PASSAGE);
    let head = text.get(..most).unwrap_or_default();
    let sentence = head.rfind(". ").map(|at| at + 2).filter(|at| *at > MAX_PASSAGE / 2);
    sentence.or_else(|| head.rfind(' ').map(|at| at + 1)).unwrap_or(most).max(1)
}

/// Returns the passages that fit `query` best, the best first, each with its relevance; of each document the best. A
/// passage without an id is not returned: it shows how rare words are in a library that is searched elsewhere.
pub fn rank(mut candidates: Vec<Passage>, query: &str, most: usize) -> Vec<Passage> {
    // To the ranking a passage is a resource: a name, and what is said about it.
    let mut listed = b"{\"resources\":".to_vec();
    push_array(&mut listed, candidates.iter().enumerate(), |out, (at, passage)| {
        let mut object = Object::open(out);
        // Equal scores are in the order of these names: that of the documents.
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
