//! The tool `connect_NAME`, by which a caller signs in to a server.

/// Returns the name of the tool, without the prefix that the server may have.
pub(crate) fn tool_name(server: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || ['_', '-', '.'].contains(letter);
    let plain: String = server.chars().map(|letter| if is_plain(&letter) { letter } else { '_' }).collect();
    ["connect_", &plain].concat()
}

/// Returns the words for a caller that has signed in.
pub(crate) fn connected(server: &str) -> String {
    format!("You are connected to {server}. Its tools are listed now.")
}
