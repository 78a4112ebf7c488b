//! The status of upstream servers, as reported in the results of lists.

use mcp_sieve::{catalog::Catalog, json::Object};

use crate::{
    backend::status::{Status, UpstreamState},
    host::Host,
    request::{context::Context, visibility},
};

/// Returns the key of `_meta`, and the status of each server that the caller may know of. Returns `None` if there is no
/// such server, or only one and its status is `ok`. A caller cannot distinguish a hidden server from one that does not
/// exist.
pub(crate) fn report<H: Host>(context: &Context<'_, H>) -> Option<(String, Vec<u8>)> {
    let (caller, view) = (&context.caller, &context.view);
    let known = |status: &&Status| visibility::knows(&context.backend, caller, view, &status.name);
    let known: Vec<_> = context.backend.upstreams.iter().filter(known).collect();
    if let [] | [Status { state: UpstreamState::Ok, .. }] = known.as_slice() {
        return None;
    }
    let mut out = Vec::new();
    Object::push_array(&mut out, known, |out, status| {
        let mut object = Object::open(out);
        status.write(&mut object);
        let lost = view.catalog().collisions().iter().filter(|collision| {
            collision.left_out == status.name && view.find(collision.kind, &collision.id).is_some()
        });
        let lost: Vec<_> = lost.collect();
        if !lost.is_empty() {
            Object::push_array(object.value("leftOut"), lost, |out, collision| {
                let mut object = Object::open(out);
                object.text("kind", collision.kind.name());
                object.text("id", &collision.id);
                object.text("keptOf", &collision.kept);
                object.close();
            });
        }
        object.close();
    });
    Some((format!("{prefix}/upstreams", prefix = Catalog::PREFIX), out))
}
