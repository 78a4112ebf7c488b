//! The operator's documents for context middleware, and the contexts that middleware stores.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use futures_util::{FutureExt, future::LocalBoxFuture};
use http::StatusCode;
use mcp_sieve::Error;
use mcp_sieve_gateway::{
    error::RpcError,
    middleware::{Document, Documents, MAX_DOCUMENT, MAX_DOCUMENTS, Passage, Record, passages, rank},
    server::MAX_BODY,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use worker::{DurableObject, Env, Method, Request, Response, Result, SqlStorageValue, State, durable_object};

use super::{
    query::{parameter, whole_number},
    sql::{Database, Row, first_number, number, text, whole},
};
use crate::{
    console,
    deployment::Deployment,
    http::{body, convert},
    middleware::{DOCUMENTS_PATH, RECORDS_PATH},
    objects,
};

const SEARCH_PATH: &str = "/search";
const KEEP_PATH: &str = "/keep";
/// Maximum number of passages with a word of the query, and of other passages, that are ranked.
const CANDIDATES: u64 = 64;
/// Maximum number of words of a query that are looked up in the index.
const WORDS: usize = 48;
/// Maximum length, in bytes, of the id, source and title of a document.
const MAX_NAME: usize = 1024;
/// Maximum number of stored contexts. Beyond it the oldest is deleted.
const RECORDS: u64 = 10_000;
/// Maximum number of documents or contexts on a page.
const PAGE: u64 = 100;
/// Maximum size, in bytes, of the contexts on a page, unless it has only one. An object has 128 MB of memory.
const MAX_PAGE: usize = 4 * 1024 * 1024;
/// Maximum size, in bytes, of a stored context. The platform takes rows of 2 MB.
const MAX_CONTEXT: usize = 1_900_000;

const TABLES: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS documents (id TEXT PRIMARY KEY, source TEXT NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE IF NOT EXISTS passages
        USING fts5(title, text, document UNINDEXED, source UNINDEXED, tokenize = 'porter unicode61')",
    "CREATE TABLE IF NOT EXISTS records
        (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, reason TEXT NOT NULL, label TEXT NOT NULL, context TEXT NOT NULL)",
];

/// The operator's documents and the stored contexts: tables in one Durable Object.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct LibraryObject {
    database: Database,
}

impl DurableObject for LibraryObject {
    fn new(state: State, _: Env) -> Self {
        Self { database: Database::new(state.storage().sql(), &TABLES) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match (request.method(), request.path().as_str()) {
            (Method::Post, SEARCH_PATH) => Response::from_json(&self.search(&request.json().await?)?),
            (Method::Post, KEEP_PATH) => Response::from_json(&self.keep(&request.json().await?)?),
            (Method::Get, DOCUMENTS_PATH) => match after(&request) {
                Ok(after) => Response::from_json(&self.list(after)?),
                Err(refused) => convert::write(refused.into_response()),
            },
            (Method::Put, DOCUMENTS_PATH) => self.put(&request.json().await?),
            (Method::Delete, DOCUMENTS_PATH) => match parameter(&request, "id").filter(|id| !id.is_empty()) {
                Some(id) => Response::from_json(&json!({"removed": self.remove(&id)?})),
                None => convert::write(bad_request("expected the `id` of a document").into_response()),
            },
            (Method::Get, RECORDS_PATH) => match after(&request) {
                Ok(after) => Response::from_json(&self.records(after)?),
                Err(refused) => convert::write(refused.into_response()),
            },
            (Method::Delete, RECORDS_PATH) => self.delete_records(&request),
            _ => Response::error("no such thing", 404),
        }
    }
}

/// A document as the operator sends it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sent {
    id: String,
    #[serde(default)]
    source: String,
    title: String,
    text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Search {
    query: String,
    sources: Option<Vec<String>>,
    most: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Found {
    id: String,
    title: String,
    text: String,
    relevance: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    at: u64,
    reason: String,
    label: String,
    context: String,
}

impl LibraryObject {
    fn count(&self, query: &str, bound: Vec<SqlStorageValue>) -> Result<u64> {
        Ok(first_number(&self.database.rows(query, bound)?).unwrap_or_default())
    }

    fn put(&self, sent: &Sent) -> Result<Response> {
        let Sent { id, source, title, text } = sent;
        let replaced = self.remove(id)?;
        if self.count("SELECT count(*) FROM documents", Vec::new())? >= MAX_DOCUMENTS as u64 {
            let message = format!("there are {MAX_DOCUMENTS} documents already");
            return convert::write(refusal(StatusCode::CONFLICT, message).into_response());
        }
        let size = number(text.len() as u64)?;
        let row = vec![words(id), words(source), words(title), size];
        self.database.rows("INSERT INTO documents (id, source, title, size) VALUES (?, ?, ?, ?)", row)?;
        let document =
            Document { id: id.clone(), source: source.clone(), title: title.clone(), text: text.clone() };
        for passage in passages(&document) {
            let row = vec![words(title), words(&passage.text), words(id), words(source)];
            self.database
                .rows("INSERT INTO passages (title, text, document, source) VALUES (?, ?, ?, ?)", row)?;
        }
        Response::from_json(&json!({"replaced": replaced}))
    }

    fn remove(&self, id: &str) -> Result<bool> {
        let deleted =
            self.database.rows("DELETE FROM documents WHERE id = ? RETURNING id", vec![words(id)])?;
        // The index has no order by document, so this reads all passages.
        if !deleted.is_empty() {
            self.database.rows("DELETE FROM passages WHERE document = ?", vec![words(id)])?;
        }
        Ok(!deleted.is_empty())
    }

    fn list(&self, after: u64) -> Result<Value> {
        let query =
            "SELECT rowid, id, source, title, size FROM documents WHERE rowid > ? ORDER BY rowid LIMIT ?";
        let rows = self.database.rows(query, vec![number(after)?, number(PAGE)?])?;
        let next = rows.last().filter(|_| rows.len() as u64 == PAGE).and_then(|row| whole(row.first()?));
        let shown = rows.into_iter().filter_map(|row| {
            let [_, id, source, title, size] = <[_; 5]>::try_from(row).ok()?;
            Some(json!({"id": text(id), "source": text(source), "title": text(title), "bytes": whole(&size)}))
        });
        Ok(json!({"documents": shown.collect::<Vec<_>>(), "next": next}))
    }

    /// Finds passages that share words with the query in the index, and ranks them as all forms of Sieve do.
    fn search(&self, request: &Search) -> Result<Vec<Found>> {
        let matched = matching(&request.query);
        if matched.is_empty() {
            return Ok(Vec::new());
        }
        let sources = request.sources.as_ref().map(serde_json::to_string).transpose()?;
        let query = "SELECT document, title, text FROM passages WHERE passages MATCH ?1
            AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2))) ORDER BY bm25(passages) LIMIT ?3";
        // The weight of a word depends on its rarity, which is measured on passages without it.
        let others = "SELECT document, title, text FROM passages
            WHERE rowid NOT IN (SELECT rowid FROM passages WHERE passages MATCH ?1)
            AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2))) LIMIT ?3";
        let sources = || sources.clone().map_or(SqlStorageValue::Null, SqlStorageValue::String);
        let rows = self.database.rows(query, vec![words(&matched), sources(), number(CANDIDATES)?])?;
        let others = self.database.rows(others, vec![words(&matched), sources(), number(CANDIDATES)?])?;
        let candidate = |row: Row| {
            let [id, title, body] = <[_; 3]>::try_from(row).ok()?;
            Some(Passage { id: text(id)?, title: text(title)?, text: text(body)?, relevance: 0 })
        };
        let others = others.into_iter().filter_map(candidate);
        let others = others.map(|passage| Passage { id: String::new(), ..passage });
        let candidates = rows.into_iter().filter_map(candidate).chain(others).collect();
        let best = rank(candidates, &request.query, request.most).into_iter();
        Ok(best.map(|Passage { id, title, text, relevance }| Found { id, title, text, relevance }).collect())
    }

    fn keep(&self, kept: &Kept) -> Result<String> {
        let Kept { at, reason, label, context } = kept;
        let omitted = (context.len() > MAX_CONTEXT).then(|| {
            json!({"omitted": format!("{} bytes, at most {MAX_CONTEXT}", context.len())}).to_string()
        });
        let context = omitted.as_ref().unwrap_or(context);
        let row = vec![number(*at)?, words(reason), words(label), words(context)];
        let insert = "INSERT INTO records (at, reason, label, context) VALUES (?, ?, ?, ?) RETURNING id";
        let id = self.count(insert, row)?;
        if let Some(oldest) = id.checked_sub(RECORDS) {
            self.database.rows("DELETE FROM records WHERE id <= ?", vec![number(oldest)?])?;
        }
        Ok(id.to_string())
    }

    fn records(&self, after: u64) -> Result<Value> {
        let query = "SELECT id, at, reason, label, context FROM records WHERE id > ? ORDER BY id LIMIT ?";
        let (mut shown, mut bytes, mut last, mut next) = (Vec::new(), 0, None, None);
        for row in self.database.each(query, vec![number(after)?, number(PAGE + 1)?])? {
            let Ok([id, at, reason, label, context]) = <[_; 5]>::try_from(row?) else { continue };
            let context = text(context).unwrap_or_default();
            bytes += context.len();
            if shown.len() as u64 == PAGE || bytes > MAX_PAGE && last.is_some() {
                next = last;
                break;
            }
            last = whole(&id);
            let context: Value = serde_json::from_str(&context).unwrap_or_default();
            let id = last.unwrap_or_default().to_string();
            shown.push(json!({"id": id, "at": whole(&at), "reason": text(reason), "label": text(label), "context": context}));
        }
        Ok(json!({"records": shown, "next": next}))
    }

    /// Deletes the context with the `id`, or those that were stored `before` a time in milliseconds since 1970.
    fn delete_records(&self, request: &Request) -> Result<Response> {
        let [id, before] =
            ["id", "before"].map(|name| parameter(request, name).map(|value| value.parse::<u64>().ok()));
        let (query, bound) = match (id, before) {
            (Some(Some(id)), None) => ("DELETE FROM records WHERE id = ? RETURNING id", id),
            (None, Some(Some(before))) => ("DELETE FROM records WHERE at < ? RETURNING id", before),
            _ => {
                let refused = bad_request("expected `id`, or `before` in milliseconds since 1970");
                return convert::write(refused.into_response());
            }
        };
        Response::from_json(&json!({"removed": self.database.rows(query, vec![number(bound)?])?.len()}))
    }
}

/// Returns the expression that matches any word of a query. Words are quoted, so that none is an operator of FTS5.
fn matching(query: &str) -> String {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(WORDS);
    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ")
}

fn words(text: &str) -> SqlStorageValue {
    SqlStorageValue::String(text.to_owned())
}

/// Returns the number after which a page begins; 0 for the first.
///
/// # Errors
/// The errors of [`whole_number`].
fn after(request: &Request) -> std::result::Result<u64, RpcError> {
    let after = whole_number(request, "after", || bad_request("expected `after` as the `next` of a page"));
    after.map(Option::unwrap_or_default)
}

fn object(env: &Env) -> Result<worker::Stub> {
    env.durable_object("LIBRARY")?.get_by_name("library")
}

/// Forwards the operator's request to the object.
pub(crate) async fn manage(request: &mut Request, env: &Env, deployment: &Deployment) -> Result<Response> {
    let url = request.url()?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", request.path());
    let method = request.method();
    let body = match method {
        // Bodies that are not documents are rejected here, with an error that gives the reason.
        Method::Put => {
            let read = body::whole(request, deployment, DOCUMENTS_PATH).await;
            match read.and_then(|(request, _lease)| document(request.body())) {
                Ok(sent) => Some(serde_json::to_string(&sent)?),
                Err(failure) => return convert::write(failure.into_response()),
            }
        }
        _ => None,
    };
    objects::send(&object(env)?, method, &path, body).await
}

/// Parses a body as a document of at most the allowed size.
fn document(body: &[u8]) -> std::result::Result<Sent, RpcError> {
    if body.len() > MAX_BODY {
        let message = format!("the body is larger than {MAX_BODY} bytes");
        return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let bad = |message: String| bad_request(&message);
    let sent: Sent =
        serde_json::from_slice(body).map_err(|error| bad(format!("expected a document: {error}")))?;
    if sent.id.is_empty() {
        return Err(bad("expected an `id`".to_owned()));
    }
    let names = [("id", &sent.id), ("source", &sent.source), ("title", &sent.title)];
    let sizes = names.map(|(name, value)| (name, value.len(), MAX_NAME)).into_iter();
    match sizes.chain([("text", sent.text.len(), MAX_DOCUMENT)]).find(|(_, size, most)| size > most) {
        Some((name, _, most)) => Err(bad(format!("expected at most {most} bytes of `{name}`"))),
        None => Ok(sent),
    }
}

fn bad_request(message: &str) -> RpcError {
    refusal(StatusCode::BAD_REQUEST, message.to_owned())
}

fn refusal(status: StatusCode, message: String) -> RpcError {
    RpcError::request(status, "document", message)
}

/// Stores a context.
pub(crate) async fn keep(env: &Env, record: &Record<'_>) -> Result<String> {
    let Record { at, reason, label, context } = *record;
    let kept = Kept { at, reason: reason.into(), label: label.into(), context: context.into() };
    let body = Some(serde_json::to_string(&kept)?);
    objects::send(&object(env)?, Method::Post, KEEP_PATH, body).await?.json().await
}

/// The documents, for a request at the edge.
#[derive(Debug)]
pub(crate) struct EdgeDocuments {
    pub env: Env,
}

impl Documents for EdgeDocuments {
    fn search<'a>(
        &'a self,
        query: &'a str,
        sources: Option<&'a [String]>,
        most: usize,
    ) -> LocalBoxFuture<'a, std::result::Result<Vec<Passage>, Error>> {
        async move {
            let request = Search { query: query.to_owned(), sources: sources.map(<[_]>::to_vec), most };
            let sent = async {
                let body = Some(serde_json::to_string(&request)?);
                let mut response =
                    objects::send(&object(&self.env)?, Method::Post, SEARCH_PATH, body).await?;
                response.json::<Vec<Found>>().await
            };
            let found = sent.await.map_err(|error| {
                console::error(&format!("middleware: documents: {error}"));
                Error::failed("the documents cannot be searched")
            })?;
            Ok(found
                .into_iter()
                .map(|Found { id, title, text, relevance }| Passage { id, title, text, relevance })
                .collect())
        }
        .boxed_local()
    }
}
