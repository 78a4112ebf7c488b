/// What stands at `path` below an object. A key may itself hold dots, so the longest key that is there is
/// taken, and the rest of the path looked for below it.
///
/// `find` gives the member of an object, `open` the object that a member is.
pub fn at_path<O, V>(
    root: O,
    path: &str,
    find: impl Fn(&O, &str) -> Option<V>,
    open: impl Fn(V) -> Option<O>,
) -> Option<V> {
    let (mut object, mut path) = (root, path);
    loop {
        let mut key = path;
        let value = loop {
            match find(&object, key) {
                Some(value) => break value,
                None => key = key.get(..key.bytes().rposition(|byte| byte == b'.')?)?,
            }
        };
        match path.strip_prefix(key).and_then(|rest| rest.strip_prefix('.')) {
            Some(rest) => (object, path) = (open(value)?, rest),
            None => return Some(value),
        }
    }
}
