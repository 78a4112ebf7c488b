//! Preferences in the storage of the browser.

use std::{cell::RefCell, rc::Rc};

use gloo_storage::{LocalStorage, Storage as _};
use gloo_timers::future::sleep;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Event, StorageEvent, StorageEventInit};

use crate::PreferenceStore;

const WRITTEN: &str = r#"{"version":1,"disabled":{"tools":["wipe"]},"favorites":{},"concerns":{}}"#;

fn store(key: &str) -> PreferenceStore {
    let store = PreferenceStore::new(key.to_owned()).unwrap();
    store.remove().unwrap();
    store
}

fn stored(key: &str) -> Option<String> {
    LocalStorage::raw().get_item(key).unwrap()
}

#[wasm_bindgen_test]
async fn saved_preferences_are_written_once_after_a_wait() {
    let store = store("wait");
    assert_eq!(store.load().unwrap(), None);
    store.save("{}".to_owned());
    sleep(std::time::Duration::from_millis(50)).await;
    store.save(WRITTEN.to_owned());
    assert_eq!(stored("wait"), None);
    assert_eq!(
        store.load().unwrap().as_deref(),
        Some(WRITTEN),
        "what is saved is loaded before it is written"
    );
    while stored("wait").is_none() {
        sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(stored("wait").as_deref(), Some(WRITTEN));
}

#[wasm_bindgen_test]
fn flush_writes_at_once_and_remove_cancels() {
    let store = store("flush");
    store.save(WRITTEN.to_owned());
    store.flush().unwrap();
    assert_eq!(stored("flush").as_deref(), Some(WRITTEN));
    store.save("{}".to_owned());
    store.remove().unwrap();
    store.flush().unwrap();
    assert_eq!(stored("flush"), None);
}

#[wasm_bindgen_test]
fn leaving_the_page_writes() {
    let store = store("leave");
    store.save(WRITTEN.to_owned());
    web_sys::window().unwrap().dispatch_event(&Event::new("pagehide").unwrap()).unwrap();
    assert_eq!(stored("leave").as_deref(), Some(WRITTEN));
}

#[wasm_bindgen_test]
fn changes_of_other_tabs_are_reported_until_the_subscription_is_freed() {
    let store = store("tabs");
    let heard = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&heard);
    let listener =
        Closure::<dyn FnMut(JsValue)>::new(move |text: JsValue| log.borrow_mut().push(text.as_string()));
    store.subscribe(listener.as_ref().unchecked_ref::<js_sys::Function>().clone()).unwrap();
    change(Some("tabs"), Some(WRITTEN));
    change(Some("another"), Some("{}"));
    change(None, None);
    store.unsubscribe();
    change(Some("tabs"), Some("{}"));
    assert_eq!(*heard.borrow(), [Some(WRITTEN.to_owned()), None]);
}

/// Dispatches the event of another tab's change.
fn change(key: Option<&str>, value: Option<&str>) {
    let change = StorageEventInit::new();
    change.set_key(key);
    change.set_new_value(value);
    let event = StorageEvent::new_with_event_init_dict("storage", &change).unwrap();
    web_sys::window().unwrap().dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
fn a_full_storage_is_an_error_with_a_code() {
    let store = store("full");
    store.save("x".repeat(20 << 20));
    let error = JsValue::from(store.flush().unwrap_err());
    assert_eq!(super::values::thrown(&error, "code"), "storage");
}
