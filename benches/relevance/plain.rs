//! The yardstick: BM25 as it stands in every textbook.

use std::collections::HashMap;

use serde_json::Value;

const K1: f64 = 1.2;
const B: f64 = 0.75;

pub struct Plain {
    /// Word → the tools that hold it, and how often.
    postings: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

impl Plain {
    /// Names and descriptions, words as they are written.
    pub fn new(tools: &[Value]) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (at, tool) in tools.iter().enumerate() {
            let mut counts: HashMap<String, f64> = HashMap::new();
            for field in ["name", "description"] {
                words(tool[field].as_str().unwrap_or_default())
                    .for_each(|word| *counts.entry(word).or_default() += 1.0);
            }
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                postings.entry(word).or_default().push((at, count));
            }
        }
        Self { postings, lengths }
    }

    pub fn search(&self, query: &str, limit: usize) -> Vec<usize> {
        let count = self.lengths.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / count;
        let mut scores = vec![0.0; self.lengths.len()];
        for word in words(query) {
            let Some(postings) = self.postings.get(&word) else { continue };
            let holders = postings.len() as f64;
            let idf = (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln();
            for (at, times) in postings {
                let norm = K1 * (1.0 - B + B * self.lengths[*at] / average);
                scores[*at] += idf * times * (K1 + 1.0) / (times + norm);
            }
        }
        let mut found: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        found.truncate(limit);
        found
    }
}
