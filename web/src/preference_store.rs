//! The class `PreferenceStore`: a user's preferences in the browser's local storage.

use std::{cell::RefCell, rc::Rc};

use gloo_events::EventListener;
use gloo_storage::{LocalStorage, Storage as _};
use gloo_timers::callback::Timeout;
use js_sys::Function;
use wasm_bindgen::prelude::*;
use web_sys::{Event, StorageEvent, Window};

use crate::failure::Failure;

/// The time, in milliseconds, after which saved preferences are written. A slider or a search box saves at every step.
const WRITE_AFTER_MS: u32 = 250;

/// The preferences of a person for one server, stored in the browser under a key.
///
/// The format is that of `Picker.preferences()` and of the npm package, so both can read what the other has stored.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PreferenceStore {
    pending: Rc<Pending>,
    /// Writes what is pending when the page is left.
    _leaving: EventListener,
    /// Reports the changes of other tabs.
    others: RefCell<Option<EventListener>>,
}

/// The text to write next, if any.
#[derive(Debug)]
struct Pending {
    key: String,
    text: RefCell<Option<String>>,
    timer: RefCell<Option<Timeout>>,
}

#[wasm_bindgen]
impl PreferenceStore {
    /// Creates a store for a key. Use a key of its own for each server and user.
    ///
    /// Throws a `SieveError` with the code `storage` where the page has no storage, as outside of browsers.
    #[wasm_bindgen(constructor)]
    pub fn new(key: String) -> Result<PreferenceStore, Failure> {
        let window = window()?;
        let pending = Rc::new(Pending { key, text: RefCell::default(), timer: RefCell::default() });
        let leaving = Rc::clone(&pending);
        // A page that is left cannot report an error.
        let leaving = EventListener::new(&window, "pagehide", move |_| _ = leaving.write());
        Ok(Self { pending, _leaving: leaving, others: RefCell::default() })
    }

    /// Returns the stored preferences, for `Picker.prefer`; `undefined` if there are none.
    pub fn load(&self) -> Result<Option<String>, Failure> {
        if let Some(text) = &*self.pending.text.borrow() {
            return Ok(Some(text.clone()));
        }
        LocalStorage::raw().get_item(&self.pending.key).map_err(failed)
    }

    /// Stores preferences, a result of `Picker.preferences()`. They are written 250 ms after the last call, or when the
    /// page is left.
    pub fn save(&self, preferences: String) {
        self.pending.text.replace(Some(preferences));
        let pending = Rc::clone(&self.pending);
        // If storage is full, `flush` says so. A timer has no caller.
        let timer = Timeout::new(WRITE_AFTER_MS, move || _ = pending.write());
        // Dropping the timer before cancels it.
        self.pending.timer.replace(Some(timer));
    }

    /// Writes now what was saved. Throws a `SieveError` with the code `storage` if the browser refuses.
    pub fn flush(&self) -> Result<(), Failure> {
        self.pending.write()
    }

    /// Removes the stored preferences.
    pub fn remove(&self) -> Result<(), Failure> {
        self.pending.text.replace(None);
        self.pending.timer.replace(None);
        LocalStorage::raw().remove_item(&self.pending.key).map_err(failed)
    }

    /// Calls a function with the new text, or `undefined`, when another tab changes the stored preferences. It replaces
    /// the function of an earlier call. `unsubscribe` or `free` ends this.
    pub fn subscribe(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(preferences: string | undefined) => void")]
        listener: Function,
    ) -> Result<(), Failure> {
        let key = self.pending.key.clone();
        let changed = move |event: &Event| {
            let Some(event) = event.dyn_ref::<StorageEvent>() else { return };
            // Without a key, the whole storage was cleared.
            if event.key().is_none_or(|changed| changed == key) {
                let text = event.new_value().map_or(JsValue::UNDEFINED, JsValue::from);
                // What the listener throws is reported as for other events.
                if let Err(thrown) = listener.call1(&JsValue::UNDEFINED, &text) {
                    wasm_bindgen::throw_val(thrown);
                }
            }
        };
        self.others.replace(Some(EventListener::new(&window()?.into(), "storage", changed)));
        Ok(())
    }

    /// Ends what `subscribe` began.
    pub fn unsubscribe(&self) {
        self.others.replace(None);
    }
}

impl Pending {
    fn write(&self) -> Result<(), Failure> {
        self.timer.replace(None);
        match self.text.take() {
            Some(text) => LocalStorage::raw().set_item(&self.key, &text).map_err(failed),
            None => Ok(()),
        }
    }
}

/// Returns the window, if it has storage: `LocalStorage` throws if there is none.
fn window() -> Result<Window, Failure> {
    let window =
        web_sys::window().filter(|window| window.local_storage().is_ok_and(|storage| storage.is_some()));
    window.ok_or_else(|| Failure::new("storage", "expected a page with local storage"))
}

fn failed(thrown: JsValue) -> Failure {
    let message = thrown.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
    Failure::new("storage", message.unwrap_or_else(|| "the browser refused".to_owned()))
}
