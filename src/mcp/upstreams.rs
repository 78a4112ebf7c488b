//! What the results of lists say of the servers behind.

use super::{Host, State, Status, context::Context};
use crate::{
    catalog::{Catalog, Kind, PREFIX},
    json::{Object, push_array},
    policy::View,
};

/// The key of `_meta`, and how each server stands; nothing where the only one is well. A server of which
/// the caller may see nothing does not exist for that caller, and neither does a primitive.
pub(super) fn report<H: Host>(context: &Context<'_, H>) -> Option<(String, Vec<u8>)> {
    let (upstreams, view) = (&context.backend.upstreams, &context.view);
    let catalog = view.catalog();
    if let [] | [Status { state: State::Ok, .. }] = upstreams.as_slice() {
        return None;
    }
    let told = upstreams.iter().filter(|status| shows(view, &status.name) || !lists(catalog, &status.name));
    let mut out = Vec::new();
    push_array(&mut out, told, |out, status| {
        let mut object = Object::open(out);
        status.write(&mut object);
        let lost = catalog.collisions().iter().filter(|collision| {
            collision.left_out == status.name && view.find(collision.kind, &collision.id).is_some()
        });
        let lost: Vec<_> = lost.collect();
        if !lost.is_empty() {
            push_array(object.value("leftOut"), lost, |out, collision| {
                let mut object = Object::open(out);
                object.text("kind", collision.kind.name());
                object.text("id", &collision.id);
                object.text("keptOf", &collision.kept);
                object.close();
            });
        }
        object.close();
    });
    Some((format!("{PREFIX}/upstreams"), out))
}

/// Whether the caller sees anything of the server.
fn shows(view: &View, server: &str) -> bool {
    Kind::ALL.into_iter().any(|kind| {
        let shelf = view.catalog().shelf(kind);
        view.bits(kind).iter().any(|index| shelf.server(index) == Some(server))
    })
}

/// Whether the server lists anything at all.
fn lists(catalog: &Catalog, server: &str) -> bool {
    Kind::ALL.into_iter().any(|kind| {
        let shelf = catalog.shelf(kind);
        (0..shelf.len()).any(|index| shelf.server(index) == Some(server))
    })
}
