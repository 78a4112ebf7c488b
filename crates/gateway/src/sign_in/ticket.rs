//! The ticket in the address of the page on which a caller signs in.

use mcp_sieve::seal::Key;
use serde::{Deserialize, Serialize};

use super::sealing::{open, seal};

/// The purpose for which the key of tickets is derived.
const PURPOSE: &str = "sign-in ticket";
/// Lifetime of a ticket, in milliseconds.
pub const TICKET_MS: u64 = 10 * 60 * 1000;

/// The caller for whom the address of the page was made. A ticket identifies no person: the browser has to prove that its
/// user is this caller. Without it, one caller could send another to the page, and get a connection with the account of the
/// other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The caller.
    pub holder: String,
    /// When the ticket ends, in milliseconds since 1970.
    pub until: u64,
}

impl Ticket {
    /// Returns a ticket for one holder and one server, which ends after [`TICKET_MS`].
    pub fn seal(key: &Key, holder: &str, server: &str, now: u64) -> String {
        let ticket = Self { holder: holder.to_owned(), until: now.saturating_add(TICKET_MS) };
        seal(key, PURPOSE, &[server], &serde_json::to_vec(&ticket).unwrap_or_default())
    }

    /// Opens a ticket for this server that has not ended.
    pub fn open(key: &Key, text: &str, server: &str, now: u64) -> Option<Self> {
        let ticket: Self = serde_json::from_slice(&open(key, PURPOSE, &[server], text)?).ok()?;
        Some(ticket).filter(|ticket| now < ticket.until)
    }
}

#[cfg(test)]
mod tests {
    use mcp_sieve::seal::Key;

    use super::{TICKET_MS, Ticket};

    #[test]
    fn a_ticket_is_for_one_server_and_ends() {
        #[expect(clippy::unwrap_used, reason = "the secret is valid")]
        let key = Key::new(b"a key of the test").unwrap();
        let sealed = Ticket::seal(&key, "principal:alice", "tracker", 1_000);
        let open = |server, now| Ticket::open(&key, &sealed, server, now).map(|ticket| ticket.holder);
        assert_eq!(open("tracker", 1_000).as_deref(), Some("principal:alice"));
        assert_eq!(open("tracker", 999 + TICKET_MS).as_deref(), Some("principal:alice"));
        assert_eq!(open("tracker", 1_000 + TICKET_MS), None);
        assert_eq!(open("mail", 1_000), None);
        assert!(!sealed.contains("alice"));
    }
}
