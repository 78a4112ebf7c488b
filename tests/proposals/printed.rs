//! The printed texts of the proposals, read from `../shared/seeds` and split into blocks. No text is copied.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Words that make a sentence normative.
const MODALS: [&str; 3] = ["must", "should", "may"];

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object, alone or within a line of text.
    Json,
    /// Lines of a program.
    Code,
    /// A sentence that says `must`, `should` or `may`.
    Normative,
    /// Any other sentence.
    Plain,
}

/// A part of a printed text.
#[derive(Debug)]
pub struct Block {
    /// Line on which the block begins, counted from 1.
    pub line: usize,
    pub form: Form,
    /// The text, trimmed.
    pub text: String,
    /// SHA-256 of the canonical JSON, or of the text if the block is not JSON.
    pub hash: String,
}

/// Returns the folder of the printed texts if this machine has it.
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/seeds");
    folder.is_dir().then_some(folder)
}

/// Returns the text of the document whose file name begins with `document`.
pub fn text(document: &str) -> Option<String> {
    let mut files = fs::read_dir(folder()?).unwrap().map(|entry| entry.unwrap().path());
    let begins = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(document);
    Some(fs::read_to_string(files.find(begins)?).unwrap())
}

/// Returns the SHA-256 of a JSON value: sorted keys, no white space, UTF-8.
pub fn hash_of(value: &Value) -> String {
    digest(value.to_string().as_bytes())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Cuts a text into JSON objects, runs of code and sentences, each kind in the order of the text.
pub fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, rest) = objects(text);
    let rest = programs(&rest, &mut blocks);
    sentences(&rest, &mut blocks);
    blocks
}

/// Returns every JSON object, and the text with line breaks in their place, so that line numbers stay valid.
fn objects(text: &str) -> (Vec<Block>, String) {
    let (mut blocks, mut rest, mut at) = (Vec::new(), String::new(), 0);
    while let Some(found) = text[at..].find('{') {
        let start = at + found;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else {
            rest.push_str(&text[at..=start]);
            at = start + 1;
            continue;
        };
        let end = start + values.byte_offset();
        rest.push_str(&text[at..start]);
        let lines = text[start..end].matches('\n').count();
        rest.push_str(if lines == 0 { " " } else { "" });
        rest.push_str(&"\n".repeat(lines));
        let line = line_of(text, start);
        blocks.push(Block {
            line,
            form: Form::Json,
            text: text[start..end].to_owned(),
            hash: hash_of(&value),
        });
        at = end;
    }
    rest.push_str(&text[at..]);
    (blocks, rest)
}

/// Collects runs of code lines, including blank lines between them, and returns the rest of the text.
fn programs(text: &str, blocks: &mut Vec<Block>) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut rest: Vec<&str> = lines.clone();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_usize;
    for (at, line) in lines.iter().enumerate() {
        let inside = depth > 0;
        let closes = inside && line.starts_with('}');
        if !inside && !is_code(line) {
            continue;
        }
        depth = (depth + line.matches(['{', '(']).count()).saturating_sub(line.matches(['}', ')']).count());
        if closes && depth == 0 {
            // A heading printed directly after the brace is not code.
            rest[at] = &line[1..];
        } else {
            rest[at] = "";
        }
        match runs.last_mut() {
            Some((_, end))
                if lines[*end + 1..at].iter().all(|line| line.trim().is_empty()) && rest[*end].is_empty() =>
            {
                *end = at;
            }
            _ => runs.push((at, at)),
        }
    }
    for (start, end) in runs {
        let mut run = lines[start..=end].to_vec();
        if let (Some(last), true) = (run.last_mut(), !rest[end].is_empty()) {
            *last = "}";
        }
        let text = run.join("\n").trim().to_owned();
        blocks.push(Block { line: start + 1, form: Form::Code, hash: digest(text.as_bytes()), text });
    }
    rest.join("\n")
}

/// Returns whether a line outside of braces begins or continues a program.
fn is_code(line: &str) -> bool {
    let code = line.split(" //").next().unwrap_or_default().trim_end();
    let calls = code.strip_suffix('(').is_some_and(|callee| callee.ends_with(char::is_alphanumeric));
    line.starts_with("//") || code == "@Override" || code.ends_with([';', '{']) || calls
}

/// Collects every sentence of the remaining text.
fn sentences(text: &str, blocks: &mut Vec<Block>) {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let mut blank = true;
    for (at, line) in text.split('\n').enumerate() {
        let trimmed = line.trim();
        match paragraphs.last_mut() {
            Some((_, paragraph)) if !blank && !trimmed.is_empty() && continues(paragraph, trimmed) => {
                paragraph.push(' ');
                paragraph.push_str(trimmed);
            }
            _ if trimmed.is_empty() => {}
            _ => paragraphs.push((at + 1, trimmed.to_owned())),
        }
        blank = trimmed.is_empty();
    }
    for (line, paragraph) in paragraphs {
        for sentence in split(&paragraph) {
            let normative = sentence
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| MODALS.iter().any(|modal| word.eq_ignore_ascii_case(modal)));
            let form = if normative { Form::Normative } else { Form::Plain };
            blocks.push(Block { line, form, hash: digest(sentence.as_bytes()), text: sentence.to_owned() });
        }
    }
}

/// Returns whether a line break before `next` is within a sentence: the next line begins with a lower-case letter or a
/// backquote.
fn continues(before: &str, next: &str) -> bool {
    let ended = before.ends_with(['.', ':', '?', '!', '|']) || before.starts_with('#');
    !ended && next.starts_with(|first: char| first == '`' || first.is_lowercase())
}

/// Splits a paragraph into sentences, which end with `.`, `?` or `!` before a space and a capital letter.
fn split(paragraph: &str) -> Vec<&str> {
    let (mut sentences, mut start) = (Vec::new(), 0);
    let ends = paragraph.match_indices(['.', '?', '!']).map(|(at, mark)| at + mark.len());
    for end in ends.chain([paragraph.len()]) {
        let mut next = paragraph[end..].chars();
        let over = end == paragraph.len()
            || next.next() == Some(' ') && next.next().is_some_and(|next| next.is_uppercase());
        if over && start < end {
            sentences.push(paragraph[start..end].trim());
            start = end;
        }
    }
    sentences
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
