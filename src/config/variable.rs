/// The value of a header with what each `${NAME}` stands for, and a dollar sign for each `$$`. `variable` knows the
/// variables and secrets of the deployment; one that is empty counts as missing.
///
/// # Errors
/// A reference to a variable that is missing, or a dollar sign that begins none.
pub fn expand(template: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let (mut out, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        rest = match (behind.strip_prefix('$'), behind.strip_prefix('{')) {
            (Some(behind), _) => {
                out.push('$');
                behind
            }
            (_, Some(reference)) => {
                let (name, behind) = reference.split_once('}').ok_or("expected `}` behind `${`")?;
                let value = variable(name).filter(|value| !value.is_empty());
                out.push_str(&value.ok_or_else(|| format!("`${{{name}}}` is no variable or secret here"))?);
                behind
            }
            _ => return Err("expected `${NAME}`, or `$$` for a dollar sign".to_owned()),
        };
    }
    out.push_str(rest);
    Ok(out)
}
