//! Notes, which are free text with tags, and their tools.

use serde_json::{Value, json};

use super::{
    args::Args,
    error::Fail,
    limits::{self, MAX_NOTES},
    search,
    store::{self, Store},
    tools::Reply,
};

/// Maximum length of a note in characters, also after appending. The schemas of `create_note` and `update_note` set the
/// same limit.
const MAX_BODY: i64 = 20_000;

/// SQL expression for a note in a list, from a row `n` of `notes`.
const BRIEF: &str = "json_object('id', n.id, 'title', n.title,
    'tags', json((SELECT json_group_array(tag ORDER BY tag) FROM note_tags WHERE note = n.id)), 'updated_at', n.updated_at)";

/// Returns a note with its full text.
///
/// # Errors
/// When there is no note with this number.
pub(crate) fn read(store: &Store<'_>, id: i64) -> Result<Value, Fail> {
    let query = format!(
        "SELECT json_set({BRIEF}, '$.body', n.body, '$.created_at', n.created_at) FROM notes n WHERE id = ?"
    );
    store.row(&query, [id.into()])?.ok_or_else(|| Fail::absent("note", id))
}

/// Replaces the tags of a note; `tags` is a JSON array.
fn set_tags(store: &Store<'_>, id: i64, tags: String) -> Result<(), Fail> {
    store.run("DELETE FROM note_tags WHERE note = ?", [id.into()])?;
    store.run(
        "INSERT OR IGNORE INTO note_tags (note, tag) SELECT ?1, value FROM json_each(?2)",
        [id.into(), tags.into()],
    )
}

/// Handles `list_notes`.
pub(crate) fn list(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const WHERE: &str = "?1 IS NULL OR EXISTS (SELECT 1 FROM note_tags t WHERE t.note = n.id AND t.tag = ?1)";
    let tag = args.may_text("tag")?;
    let offset = args.integer("offset")?;
    let total = store.number(&format!("SELECT count(*) FROM notes n WHERE {WHERE}"), [tag.into()])?;
    let rows = store.rows(
        &format!("SELECT {BRIEF} FROM notes n WHERE {WHERE} ORDER BY n.updated_at DESC, n.id DESC LIMIT ?2 OFFSET ?3"),
        [tag.into(), args.integer("limit")?.into(), offset.into()],
    )?;
    Ok(Reply::Data(store::page("notes", rows, total, offset)))
}

/// Handles `get_note`.
pub(crate) fn get(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    read(store, args.integer("note")?).map(Reply::Data)
}

/// Handles `create_note`.
pub(crate) fn create(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    limits::room(store, "SELECT count(*) FROM notes", MAX_NOTES, "notes")?;
    let id = store.number(
        "INSERT INTO notes (title, body, created_at, updated_at) VALUES (?1, ?2, ?3, ?3) RETURNING id",
        [args.text("title")?.into(), args.text("body")?.into(), store.now_text()],
    )?;
    set_tags(store, id, args.json_list("tags")?)?;
    read(store, id).map(Reply::Data)
}

/// Handles `update_note`.
pub(crate) fn update(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("note")?;
    let note = read(store, id)?;
    let old = note.get("body").and_then(Value::as_str).unwrap_or_default();
    let mut body = args.may_text("body")?.unwrap_or(old).to_owned();
    if let Some(addition) = args.may_text("append")? {
        if !body.is_empty() {
            body.push_str("\n\n");
        }
        body.push_str(addition);
    }
    if i64::try_from(body.chars().count()).unwrap_or(i64::MAX) > MAX_BODY {
        return Err(Fail::refused(format!(
            "the text of note {id} would be longer than {MAX_BODY} characters"
        )));
    }
    store.run(
        "UPDATE notes SET title = coalesce(?2, title), body = ?3, updated_at = ?4 WHERE id = ?1",
        [id.into(), args.may_text("title")?.into(), body.into(), store.now_text()],
    )?;
    if args.has("tags") {
        set_tags(store, id, args.json_list("tags")?)?;
    }
    read(store, id).map(Reply::Data)
}

/// Handles `search_notes`.
pub(crate) fn search(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const FROM: &str = "FROM note_text JOIN notes n ON n.id = note_text.rowid WHERE note_text MATCH ?1";
    let words = search::words(args.text("query")?)?;
    let total = store.number(&format!("SELECT count(*) {FROM}"), [words.as_str().into()])?;
    let rows = store.rows(
        &format!(
            "SELECT json_set({BRIEF}, '$.excerpt', snippet(note_text, -1, '**', '**', '…', 16))
             {FROM} ORDER BY rank, n.id DESC LIMIT ?2"
        ),
        [words.into(), args.integer("limit")?.into()],
    )?;
    Ok(Reply::Data(json!({ "notes": rows, "total": total })))
}

/// Handles `delete_note`.
pub(crate) fn delete(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("note")?;
    if !store.any("DELETE FROM notes WHERE id = ? RETURNING id", [id.into()])? {
        return Err(Fail::absent("note", id));
    }
    Ok(Reply::Said(format!("Deleted note {id}.")))
}
