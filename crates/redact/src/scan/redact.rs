//! Replaces the findings of a scanner by placeholders.

use std::borrow::Cow;

use crate::scan::{
    action::{Action, Actions},
    expansion::{ExpandedText, KnownPlaceholders},
    finding::Scan,
    kind::{KINDS, Kind},
    placeholder_map::{PlaceholderMap, PlaceholderName},
    replacements::{Replacement, Replacements, Scanning},
};

/// Replaces the findings of a scanner by placeholders, in any number of texts that belong together, such as the
/// messages of a conversation.
#[derive(Debug, Clone)]
pub struct Redactor<S> {
    scanner: S,
    table: Table,
}

impl<S: Scan> Redactor<S> {
    /// Creates a redactor with the placeholders of earlier texts, which stay in the texts to come.
    pub fn new(scanner: S, mut placeholders: PlaceholderMap) -> Self {
        placeholders.learn(scanner.patterns());
        let known = KnownPlaceholders::new(&placeholders);
        let actions = Actions::default();
        Self { scanner, table: Table { placeholders, known, actions, counts: vec![0; KINDS] } }
    }

    /// Sets the actions for findings. By default, every finding is replaced by a placeholder.
    #[must_use]
    pub fn with_actions(mut self, actions: Actions) -> Self {
        self.table.actions = actions;
        self
    }

    /// Returns a text with its findings replaced; the text itself if there are none.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.table.redact(text, &self.scanner)
    }

    /// Redacts a text from `place` on, except for its end: the findings in the last `behind` bytes of the expanded text
    /// may still change. Appends the redacted part to `out`, and returns its end in `text`.
    pub(crate) fn redact_part(
        &mut self,
        text: &str,
        mut place: usize,
        behind: usize,
        out: &mut String,
    ) -> usize {
        let expanded = self.expand(text);
        let mut sure = expanded.text.len().saturating_sub(behind);
        let (scanner, table) = (&self.scanner, &mut self.table);
        let mut cursor = scanner.cursor(&expanded.text);
        let scan = Scanning { next: &mut cursor, all: &|text| scanner.findings(text).collect() };
        let pieces = Replacements::new(scan, &expanded, expanded.place(place));
        for piece in pieces.take_while(|piece| piece.start < sure) {
            if !piece.whole && piece.end > sure {
                sure = piece.start;
                break;
            }
            out.push_str(text.get(place..piece.from).unwrap_or_default());
            table.replace(text, &expanded, piece, out);
            place = piece.to;
        }
        let sure = expanded.origin(sure);
        let sure = (sure..).find(|place| text.is_char_boundary(*place)).unwrap_or(sure).max(place);
        out.push_str(text.get(place..sure).unwrap_or_default());
        sure
    }

    /// Replaces the known placeholders of a text by their values.
    pub(crate) fn expand<'t>(&mut self, text: &'t str) -> ExpandedText<'t> {
        self.table.known.expand(&self.table.placeholders, text)
    }

    /// Returns the scanner.
    pub(crate) fn scanner(&self) -> &S {
        &self.scanner
    }

    /// Returns the placeholders and their values.
    pub fn placeholders(&self) -> &PlaceholderMap {
        &self.table.placeholders
    }

    /// Iterates over the kinds that were replaced, with the number of replacements.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u32)> {
        let own = self.table.placeholders.patterns().kinds();
        let kinds = Kind::ALL.iter().copied().chain(own);
        let count = |kind: Kind| self.table.counts.get(kind.number()).copied().unwrap_or(0);
        kinds.map(move |kind| (kind, count(kind))).filter(|(_, count)| *count > 0)
    }
}

/// The state of a redactor, apart from its scanner.
#[derive(Debug, Clone)]
struct Table {
    placeholders: PlaceholderMap,
    /// The placeholders of earlier texts, which stay in the texts.
    known: KnownPlaceholders,
    actions: Actions,
    /// The number of replacements of each kind, by its number.
    counts: Vec<u32>,
}

impl Table {
    fn redact<'t>(&mut self, text: &'t str, scanner: &impl Scan) -> Cow<'t, str> {
        let expanded = self.known.expand(&self.placeholders, text);
        let mut cursor = scanner.cursor(&expanded.text);
        let scan = Scanning { next: &mut cursor, all: &|text| scanner.findings(text).collect() };
        self.replace_all(text, &expanded, scan)
    }

    /// Replaces the findings of a text.
    fn replace_all<'t, 's>(
        &mut self,
        text: &'t str,
        expanded: &'s ExpandedText<'t>,
        scan: Scanning<'s>,
    ) -> Cow<'t, str> {
        let mut pieces = Replacements::new(scan, expanded, 0);
        let Some(first) = pieces.next() else { return Cow::Borrowed(text) };
        let mut out = String::with_capacity(text.len());
        let (mut place, mut next) = (0, Some(first));
        while let Some(piece) = next {
            out.push_str(text.get(place..piece.from).unwrap_or_default());
            self.replace(text, expanded, piece, &mut out);
            place = piece.to;
            next = pieces.next();
        }
        out.push_str(text.get(place..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Appends the replacement of a part of a text.
    fn replace(&mut self, text: &str, expanded: &ExpandedText<'_>, piece: Replacement, out: &mut String) {
        // Restoration relies on every text that looks like a placeholder having one of its own, with any action.
        let action = match piece.kind {
            Kind::Placeholder => Action::Handle,
            kind => self.actions.get(kind),
        };
        if action == Action::Keep {
            out.push_str(text.get(piece.from..piece.to).unwrap_or_default());
            return;
        }
        if let Some(count) = self.counts.get_mut(piece.kind.number()) {
            *count += 1;
        }
        let value = expanded.text.get(piece.start..piece.end).unwrap_or_default();
        if action != Action::Handle {
            let name = self.placeholders.patterns().name(piece.kind);
            return self.actions.write(action, piece.kind, name, value, out);
        }
        let number = self.placeholders.number(piece.kind, value);
        out.push('[');
        PlaceholderName::Generated(piece.kind, number).push(self.placeholders.patterns(), out);
        out.push(']');
    }
}
