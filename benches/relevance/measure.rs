//! How good an order is: nDCG and hits.

use std::{collections::BTreeMap, fmt};

use crate::sets::Set;

/// Means over the queries of a set, in percent.
pub struct Quality {
    ndcg5: Mean,
    ndcg10: Mean,
    hit1: Mean,
    hit3: Mean,
    tools: Mean,
    halves: [Mean; 2],
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn percent(&self) -> f64 {
        100.0 * self.sum / self.count.max(1) as f64
    }
}

impl Quality {
    /// Asks every question of a set; `search` gives the places of the first ten.
    pub fn measure(set: &Set, mut search: impl FnMut(&str) -> Vec<usize>) -> Self {
        let mut means: [Mean; 4] = Default::default();
        let mut halves: [Mean; 2] = Default::default();
        let mut tools: BTreeMap<usize, Mean> = BTreeMap::new();
        for (query, wanted) in &set.questions {
            let found = search(query);
            let hit = |k: usize| f64::from(u8::from(found.iter().take(k).any(|at| wanted.contains(at))));
            let five = ndcg(&found, wanted, 5);
            let [ndcg5, ndcg10, hit1, hit3] = &mut means;
            ndcg5.add(five);
            ndcg10.add(ndcg(&found, wanted, 10));
            hit1.add(hit(1));
            hit3.add(hit(3));
            halves[wanted[0] % 2].add(five);
            tools.entry(wanted[0]).or_default().add(five);
        }
        let [ndcg5, ndcg10, hit1, hit3] = means;
        let mut by_tool = Mean::default();
        tools.values().for_each(|tool| by_tool.add(tool.percent() / 100.0));
        Self { ndcg5, ndcg10, hit1, hit3, tools: by_tool, halves }
    }
}

/// Every wanted tool is worth one, the less the later it comes, over the best order there could be.
fn ndcg(found: &[usize], wanted: &[usize], k: usize) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
    let hits = found.iter().take(k).enumerate().filter(|(_, at)| wanted.contains(at));
    let best: f64 = (0..wanted.len().min(k)).map(gain).sum();
    hits.map(|(rank, _)| gain(rank)).sum::<f64>() / best
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mean in [&self.ndcg5, &self.ndcg10, &self.hit1, &self.hit3, &self.tools] {
            write!(f, "{:.1} | ", mean.percent())?;
        }
        write!(f, "{:.1} / {:.1} |", self.halves[0].percent(), self.halves[1].percent())
    }
}
