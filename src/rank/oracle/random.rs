//! A random generator of queries and tools, for tests against the reference implementation.

/// A SplitMix64 generator of numbers and texts.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns random words that are related in many ways: inflections, families, equivalents, typos, joined words,
    /// other scripts.
    pub fn text(&mut self, most: usize) -> String {
        const WORDS: [&str; 55] = [
            "the",
            "of",
            "list",
            "lists",
            "get",
            "current",
            "data",
            "issue",
            "issues",
            "Issue",
            "createIssue",
            "photo",
            "photos",
            "picture",
            "image",
            "weather",
            "forecast",
            "wether",
            "weatherForecast",
            "weatherforecast",
            "calendar",
            "calender",
            "calendars",
            "schedule",
            "meeting",
            "birthdays",
            "notes",
            "receipt",
            "document",
            "emails",
            "recommend",
            "recommendation",
            "recommends",
            "crypto",
            "cryptocurrency",
            "bitcoin",
            "stock",
            "stockprice",
            "price",
            "prices",
            "hotel",
            "trip",
            "mp3",
            "3",
            "2026",
            "x",
            "café",
            "天气",
            "天气预报",
            "погода",
            "web",
            "site",
            "website",
            "data base",
            "database",
        ];
        const BETWEEN: [&str; 6] = [" ", " ", "_", "-", ", ", ". "];
        (0..=self.below(most)).map(|_| [self.pick(&WORDS), self.pick(&BETWEEN)].concat()).collect()
    }

    pub fn tool(&mut self, at: usize) -> String {
        let (name, description) = (self.text(2), self.text(12));
        let property = self.text(1);
        let property_text = self.text(6);
        let tag = self.pick(&["photo", "weather", "finance"]);
        format!(
            r#"{{"name":"{name}{at}","description":"{description}","tags":["{tag}"],
                "inputSchema":{{"properties":{{"{property}":{{"description":"{property_text}"}}}}}}}}"#
        )
    }
}
