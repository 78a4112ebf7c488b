/// Whether `text` matches `pattern`, where `*` stands for any run of characters and `?` for any one.
/// Case-sensitive; no character is special beside these two.
///
/// Time is bounded by the product of the lengths: only the last `*` is ever tried again.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Where to go on after a mismatch: behind the last `*`, and the text it has eaten up to.
    let mut star = None;
    loop {
        match (pattern.get(p), text.get(t)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                p += 1;
                star = Some((p, t));
                continue;
            }
            // A character, not a byte. Behind a `*` it may begin inside of one: it was tried whole before.
            (Some(b'?'), Some(_)) => {
                p += 1;
                t += 1;
                while text.get(t).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000) {
                    t += 1;
                }
                continue;
            }
            (Some(want), Some(have)) if want == have => {
                p += 1;
                t += 1;
                continue;
            }
            (_, None) => return false,
            _ => {}
        }
        let Some((behind, eaten)) = &mut star else { return false };
        *eaten += 1;
        (p, t) = (*behind, *eaten);
    }
}
