use std::borrow::Cow;

use crate::middleware::scan::{
    action::{Action, Actions},
    expansion::{ExpandedText, KnownPlaceholders},
    finding::{Finding, Scan},
    kind::{KINDS, Kind},
    placeholder_map::{PlaceholderMap, PlaceholderName},
    replacements::{Replacement, Replacements},
};

/// Puts placeholders in place of what a scanner finds, over as many texts as belong together.
#[derive(Debug, Clone)]
pub struct Redactor<S> {
    scanner: S,
    table: Table,
}

impl<S: Scan> Redactor<S> {
    /// A redactor that goes on from some placeholders. Where one of them stands in a text, it stays.
    pub fn new(scanner: S, mut placeholders: PlaceholderMap) -> Self {
        placeholders.learn(scanner.patterns());
        let known = KnownPlaceholders::new(&placeholders);
        let actions = Actions::default();
        Self { scanner, table: Table { placeholders, known, actions, counts: vec![0; KINDS] } }
    }

    /// Treats findings by these actions.
    pub(crate) fn with_actions(mut self, actions: Actions) -> Self {
        self.table.actions = actions;
        self
    }

    /// A text with placeholders in it; the text itself where nothing was found.
    pub fn redact<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        self.table.redact(text, &self.scanner)
    }

    /// The same for the part of a text from `place` on, of which `behind` bytes of the expanded text may still change:
    /// appends what is certain, and returns where it ends.
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
        let pieces = Replacements::new(&mut cursor, &expanded, expanded.place(place));
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

    /// A text with values in place of the placeholders that are known.
    pub(crate) fn expand<'t>(&mut self, text: &'t str) -> ExpandedText<'t> {
        self.table.known.expand(&self.table.placeholders, text)
    }

    /// What finds.
    pub(crate) fn scanner(&self) -> &S {
        &self.scanner
    }

    /// What the placeholders stand for.
    pub fn placeholders(&self) -> &PlaceholderMap {
        &self.table.placeholders
    }

    /// How often something of each kind was replaced.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u32)> {
        let own = self.table.placeholders.patterns().kinds();
        let kinds = Kind::ALL.iter().copied().chain(own);
        let count = |kind: Kind| self.table.counts.get(kind.number()).copied().unwrap_or(0);
        kinds.map(move |kind| (kind, count(kind))).filter(|(_, count)| *count > 0)
    }
}

/// What a redactor keeps from one text to the next.
#[derive(Debug, Clone)]
struct Table {
    placeholders: PlaceholderMap,
    /// Those that stay in a text.
    known: KnownPlaceholders,
    actions: Actions,
    /// How many findings were replaced, of each kind.
    counts: Vec<u32>,
}

impl Table {
    fn redact<'t>(&mut self, text: &'t str, scanner: &impl Scan) -> Cow<'t, str> {
        let expanded = self.known.expand(&self.placeholders, text);
        let mut cursor = scanner.cursor(&expanded.text);
        self.replace_all(text, &expanded, &mut cursor)
    }

    /// Once for all scanners: they come as a pointer.
    fn replace_all<'t>(
        &mut self,
        text: &'t str,
        expanded: &ExpandedText<'t>,
        scan: &mut dyn FnMut(usize) -> Option<Finding>,
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

    /// Appends what stands for a piece of a text.
    fn replace(&mut self, text: &str, expanded: &ExpandedText<'_>, piece: Replacement, out: &mut String) {
        // A text that looks like a placeholder has one of its own whatever else is kept: restoration relies on it.
        let action = match piece.kind {
            Kind::Placeholder => Action::Handle,
            kind => self.actions.of(kind),
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
