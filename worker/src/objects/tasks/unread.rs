//! A queue of task changes for one watcher, with at most one entry for each task.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_channel::mpsc::{UnboundedSender, unbounded};
use futures_util::{Stream, StreamExt, future::ready};

/// The lines that a watcher has not read: at most one for each task, because a new line replaces an unread one.
#[derive(Debug)]
pub(super) struct Unread {
    lines: Rc<RefCell<BTreeMap<String, Rc<[u8]>>>>,
    /// The ids of the tasks with a line, in the order in which they are read.
    ids: UnboundedSender<String>,
}

impl Unread {
    /// Returns an empty queue, and the stream that reads it.
    pub fn new() -> (Self, impl Stream<Item = Vec<u8>>) {
        let lines: Rc<RefCell<BTreeMap<_, Rc<[u8]>>>> = Rc::default();
        let (ids, next) = unbounded();
        let unread = Rc::clone(&lines);
        let read = next
            .filter_map(move |id: String| ready(unread.borrow_mut().remove(&id).map(|line| line.to_vec())));
        (Self { lines, ids }, read)
    }

    /// Adds the line of a changed task.
    pub fn push(&self, id: &str, line: &Rc<[u8]>) {
        if self.lines.borrow_mut().insert(id.to_owned(), Rc::clone(line)).is_none() {
            // It fails if the watcher is gone, and the queue is then dropped.
            _ = self.ids.unbounded_send(id.to_owned());
        }
    }

    /// Returns whether the watcher is gone.
    pub fn is_closed(&self) -> bool {
        self.ids.is_closed()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_new_line_of_a_task_replaces_the_unread_one() {
        let (unread, mut lines) = Unread::new();
        let push = |id: &str, line: &str| unread.push(id, &Rc::from(line.as_bytes()));
        let mut read = || lines.next().now_or_never().flatten().unwrap_or_default();
        push("a", "a1");
        push("b", "b1");
        push("a", "a2");
        assert_eq!([read(), read(), read()], [&b"a2"[..], b"b1", b""]);
        push("a", "a3");
        assert_eq!(read(), b"a3");
        assert!(unread.lines.borrow().is_empty());
        assert!(!unread.is_closed());
        drop(lines);
        assert!(unread.is_closed());
    }
}
