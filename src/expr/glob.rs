/// Whether `text` matches `pattern`, where `*` stands for any run of characters and `?` for any one.
/// Case-sensitive; no character is special beside these two.
///
/// Time is bounded by the product of the lengths: only the last `*` is ever tried again.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    // Where to go on after a mismatch: the pattern behind the last `*`, and the text it has eaten up to.
    let mut star: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let rest = text.clone();
        match (pattern.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                text = rest;
                star = Some((pattern.clone(), text.clone()));
            }
            (Some('?'), Some(_)) => {}
            (Some(p), Some(t)) if p == t => {}
            (_, None) => return false,
            _ => {
                let Some((behind, eaten)) = &mut star else { return false };
                eaten.next();
                pattern = behind.clone();
                text = eaten.clone();
            }
        }
    }
}
