//! The objects that follow the first object of the listeners.

use std::{cell::RefCell, collections::BTreeSet};

use futures_channel::mpsc::{Receiver, Sender, channel};

use super::{Follow, News};

/// Maximum number of news that wait for an object that does not read them. Beyond it the object's stream ends. It
/// follows again, and compares everything.
const WAITING: usize = 1_000;

/// The objects that follow this one.
#[derive(Debug, Default)]
pub(super) struct Followers(RefCell<Vec<Follower>>);

#[derive(Debug)]
struct Follower {
    follow: Follow,
    news: Sender<News>,
}

impl Followers {
    /// Adds an object, and returns its news.
    pub fn add(&self, follow: Follow) -> Receiver<News> {
        let (news, waiting) = channel(WAITING);
        let mut followers = self.0.borrow_mut();
        followers.retain(|follower| follower.follow.place != follow.place);
        followers.push(Follower { follow, news });
        waiting
    }

    /// Replaces what an object wants to know. Returns false if it does not follow.
    pub fn replace(&self, follow: Follow) -> bool {
        let mut followers = self.0.borrow_mut();
        let found = followers.iter_mut().find(|follower| follower.follow.place == follow.place);
        found.map(|follower| follower.follow = follow).is_some()
    }

    /// Sends news to every object.
    pub fn send(&self, news: &News) {
        self.0.borrow_mut().retain_mut(|follower| follower.news.try_send(news.clone()).is_ok());
    }

    /// Returns the resources whose changes at least one object wants to know; `None` if there are no objects.
    pub fn wanted(&self) -> Option<BTreeSet<String>> {
        let mut followers = self.0.borrow_mut();
        followers.retain(|follower| !follower.news.is_closed());
        let wanted = followers.iter().flat_map(|follower| follower.follow.resources.iter().cloned());
        (!followers.is_empty()).then(|| wanted.collect())
    }
}

#[cfg(test)]
mod tests {
    use mcp_sieve_gateway::streams::Change;

    use super::*;

    fn follow(place: usize, uri: &str) -> Follow {
        Follow { place, resources: BTreeSet::from([uri.to_owned()]) }
    }

    #[test]
    fn every_follower_has_the_news_until_it_leaves() {
        let (followers, news) = (Followers::default(), News::new(&[Change::Tools], None));
        assert_eq!(followers.wanted(), None);
        let mut first = followers.add(follow(1, "note:one"));
        let mut second = followers.add(follow(2, "note:two"));
        followers.send(&news);
        assert_eq!([&mut first, &mut second].map(|waiting| waiting.try_recv().is_ok()), [true; 2]);
        assert!(followers.replace(follow(2, "note:three")));
        assert!(!followers.replace(follow(3, "note:three")));
        let wanted = |uris: &[&str]| Some(uris.iter().map(|uri| (*uri).to_owned()).collect());
        assert_eq!(followers.wanted(), wanted(&["note:one", "note:three"]));
        drop(first);
        assert_eq!(followers.wanted(), wanted(&["note:three"]));
        let again = followers.add(follow(2, "note:two"));
        assert!(second.try_recv().is_err(), "an object follows with one stream");
        drop(again);
        assert_eq!(followers.wanted(), None);
    }

    #[test]
    fn the_stream_of_a_follower_that_does_not_read_ends() {
        let (followers, news) = (Followers::default(), News::new(&[Change::Tools], None));
        let mut waiting = followers.add(follow(1, "note:one"));
        for _ in 0..=WAITING + 1 {
            followers.send(&news);
        }
        assert_eq!(followers.wanted(), None);
        while waiting.try_recv().is_ok() {}
        assert_eq!(
            waiting.try_recv().map(drop).map_err(|error| error.to_string()),
            Err("receive failed because channel is closed".to_owned())
        );
    }
}
