//! Work that several requests wait for, and that is done once.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, Shared},
};
use worker::wasm_bindgen_futures::spawn_local;

type Flight<T> = Shared<LocalBoxFuture<'static, T>>;

/// The work in progress, by what it is about. It goes on even if every request that waits for it is gone.
pub(super) struct Flights<T>(RefCell<BTreeMap<String, Flight<T>>>);

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone + 'static> Flights<T> {
    /// Waits for the work about `key`, which begins now unless it is in progress.
    pub fn join(
        self: &Rc<Self>,
        key: &str,
        begin: impl FnOnce() -> LocalBoxFuture<'static, T>,
    ) -> LocalBoxFuture<'static, T> {
        if let Some(flight) = self.0.borrow().get(key) {
            return flight.clone().boxed_local();
        }
        let (flights, name, work) = (Rc::clone(self), key.to_owned(), begin());
        let flight = async move {
            let landed = work.await;
            flights.0.borrow_mut().remove(&name);
            landed
        };
        let flight = flight.boxed_local().shared();
        self.0.borrow_mut().insert(key.to_owned(), flight.clone());
        spawn_local(flight.clone().map(drop));
        flight.boxed_local()
    }

    /// Returns whether work about `key` is in progress.
    pub fn has(&self, key: &str) -> bool {
        self.0.borrow().contains_key(key)
    }
}
