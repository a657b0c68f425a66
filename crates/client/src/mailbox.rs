//! What waits for a room's visitor to read it: only the newest view, and a bounded number of messages.

use crate::update::Update;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Updates that may wait unread; beyond it the oldest that may be lost goes.
pub(crate) const UNREAD_MAX: usize = 1024;

#[derive(Default)]
pub(crate) struct Mailbox {
    inner: Mutex<Inner>,
    wake: Notify,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Update>,
    over: bool,
}

impl Mailbox {
    pub(crate) fn push(&self, update: Update) {
        let mut inner = self.lock();
        if inner.over {
            return;
        }
        inner.over = matches!(update, Update::Ended(_));
        if update.is_whole()
            && let Some(older) = inner.waiting.iter_mut().find(|waiting| waiting.is_whole())
        {
            *older = update;
        } else {
            inner.waiting.push_back(update);
        }
        if inner.waiting.len() > UNREAD_MAX
            && let Some(oldest) =
                inner.waiting.iter().position(|waiting| !waiting.is_whole() && !matches!(waiting, Update::Ended(_)))
        {
            inner.waiting.remove(oldest);
        }
        drop(inner);
        self.wake.notify_one();
    }

    /// Nothing more will come.
    pub(crate) fn end(&self) {
        self.lock().over = true;
        self.wake.notify_one();
    }

    /// The next update; `None` after the last.
    pub(crate) async fn next(&self) -> Option<Update> {
        loop {
            let notified = self.wake.notified();
            {
                let mut inner = self.lock();
                if let Some(update) = inner.waiting.pop_front() {
                    return Some(update);
                }
                if inner.over {
                    return None;
                }
            }
            notified.await;
        }
    }

    /// A panic elsewhere leaves the queue whole: every change to it is one step.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Frame, read};
    use crate::update::Status;

    fn view(seq: u64) -> Update {
        let frame = format!(
            r#"{{"push":"view","room":"poker/r","at":"1-{seq}","mark":"000000000000000a","view":{{"room_id":"r","name":null,
            "valid_sizes":"1 2","admin_user_id":"","is_revealed":false,"sealed":false,"round":1,"timer_ends":null,"timer_reveals":false,
            "auto_reveal":false,"reveal_by":"host","life_minutes":60,"users":[],"story_id":null,"stories":[],"history":[]}},
            "me":{{"user_id":null,"seated":false,"host":false,"may_reveal":false,"observer":false}}}}"#
        );
        let Frame::Room(_, update) = read(&frame) else { panic!("{frame}") };
        update
    }

    #[tokio::test(flavor = "current_thread")]
    async fn only_the_newest_view_waits() {
        let mailbox = Mailbox::default();
        mailbox.push(view(1));
        mailbox.push(Update::Status(Status::Connecting));
        mailbox.push(view(2));
        mailbox.push(Update::Ended("kicked".into()));
        mailbox.push(view(3));
        assert_eq!(mailbox.next().await, Some(view(2)));
        assert_eq!(mailbox.next().await, Some(Update::Status(Status::Connecting)));
        assert_eq!(mailbox.next().await, Some(Update::Ended("kicked".into())));
        assert_eq!(mailbox.next().await, None);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn messages_nobody_reads_do_not_pile_up() {
        let mailbox = Mailbox::default();
        mailbox.push(view(1));
        for _ in 0..3 * UNREAD_MAX {
            mailbox.push(Update::Now(Vec::new()));
        }
        assert_eq!(mailbox.lock().waiting.len(), UNREAD_MAX);
        assert_eq!(mailbox.next().await, Some(view(1)));
    }
}
