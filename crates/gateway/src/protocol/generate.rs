//! A stream of the items that an asynchronous function emits while it runs.

use std::{
    cell::RefCell,
    collections::VecDeque,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{
    StreamExt,
    future::LocalBoxFuture,
    stream::{self, LocalBoxStream},
    task::AtomicWaker,
};

/// The queue to which the function emits items.
#[derive(Debug)]
pub(crate) struct Emitter<T>(Rc<RefCell<VecDeque<T>>>);

impl<T> Clone for Emitter<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Emitter<T> {
    /// Emits an item. Only the function itself may call this, while it is polled, because nothing else wakes the
    /// stream.
    pub fn push(&self, item: T) {
        self.0.borrow_mut().push_back(item);
    }
}

/// Wakes the task that polled the stream last. A stream may move to another task, and not every future stores the waker
/// of a later poll.
#[derive(Debug, Default)]
struct Relay(AtomicWaker);

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }
}

/// Returns a stream of the items that `work` emits, followed by its result. The work runs only while the stream is
/// polled, and is dropped with the stream.
pub(crate) fn generate<T: 'static>(
    work: impl FnOnce(Emitter<T>) -> LocalBoxFuture<'static, T>,
) -> LocalBoxStream<'static, T> {
    let out = Emitter(Rc::default());
    let mut work = Some(work(out.clone()));
    let relay = Arc::new(Relay::default());
    let waker = Waker::from(Arc::clone(&relay));
    stream::poll_fn(move |context| {
        relay.0.register(context.waker());
        if out.0.borrow().is_empty()
            && let Some(running) = &mut work
            && let Poll::Ready(last) = running.as_mut().poll(&mut Context::from_waker(&waker))
        {
            work = None;
            out.push(last);
        }
        match out.0.borrow_mut().pop_front() {
            Some(item) => Poll::Ready(Some(item)),
            None if work.is_none() => Poll::Ready(None),
            None => Poll::Pending,
        }
    })
    .boxed_local()
}
