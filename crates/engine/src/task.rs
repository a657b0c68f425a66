//! The task of one live room. It alone holds the room; everything else sends it messages.
//!
//! While the store keeps a commit, the task goes on serving listeners and the ephemeral lane from what is
//! kept already; acts that arrive meanwhile wait and share the next commit.

mod aloud;
mod callers;
mod nodes;
mod timing;

use crate::absence::Absence;
use crate::engine::House;
use crate::error::Error;
use crate::hub::Hub;
use crate::inbox::{Listen, Message, Pending};
use crate::live::{Live, Recent};
use crate::lookout::{Lookout, Sight};
use crate::turn::{Turn, turn};
use aloud::Aloud;
use nodes::{Nodes, Reply};
use parlor_rules::{Address, Ending, Millis, UserId};
use parlor_store::{NodeId, RoomKey, Wake};
use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use timing::Moment;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

/// How long a room waits before it asks a failing store again of its own accord.
const PATIENCE: Duration = Duration::from_millis(250);

type Thinking = Pin<Box<dyn Future<Output = Turn> + Send>>;

/// Those who leave in one commit because they were away: a commit that is too large is made smaller by taking fewer acts, and this
/// is no act. Any store takes so many.
const AWAY_AT_ONCE: usize = 64;

pub(crate) struct Task {
    house: Arc<House>,
    address: Address,
    key: Arc<RoomKey>,
    writer: NodeId,
    inbox: mpsc::Receiver<Message>,
    listening: Arc<AtomicUsize>,
    live: Live,
    lookout: Lookout,
    hub: Hub,
    absence: Absence,
    /// What other nodes and this one tell each other; nothing when no other can use the store.
    nodes: Option<Box<Nodes>>,
    /// Only in a room that tells.
    aloud: Option<Box<Aloud>>,
    recent: Recent,
    waiting: VecDeque<Box<Pending>>,
    /// Those who have seen more of the room, on another node, than this one has: let in when it has caught up.
    ahead: Vec<Listen>,
    /// Those who came when the room seemed to be over, as they came: the store is asked first, another node may have renewed it.
    late: Vec<Message>,
    thinking: Option<Thinking>,
    /// After a failure of the store, turns that nobody waits for are not tried before this.
    patience: Instant,
    /// The inbox is closed; what is left in it is still served.
    leaving: bool,
    show_from: Instant,
    dirty: bool,
    hand_out_from: Instant,
    /// Rung by the metronome, and for when it was asked to last.
    beat: Arc<Notify>,
    beat_at: Instant,
    notified_for: Option<Millis>,
    used: Instant,
    ended: Option<Ending>,
}

/// Loads a room and serves it until it ends or nobody needs it.
pub(crate) async fn run(
    house: Arc<House>,
    address: Address,
    mut inbox: mpsc::Receiver<Message>,
    own: mpsc::WeakSender<Message>,
    listening: Arc<AtomicUsize>,
) {
    let key = Arc::new(parlor_layout::room_key(&address));
    // A writer of its own: should an older task of this room still be finishing, each hears of the other's commits.
    let writer = NodeId(house.dice.bits());
    // Watched before it is read, so that no commit falls between.
    let watch = match house.rooms.watch(&key, writer).await {
        Ok(watch) => watch,
        Err(error) => return refuse_all(&mut inbox, error.into()),
    };
    let mut live = match Live::load(&*house.rooms, &address, &key).await {
        Ok(Some(live)) => live,
        Ok(None) => return refuse_all(&mut inbox, Error::NoRoom),
        Err(error) => {
            tracing::error!(%address, %error, detail = ?error, "a room could not be loaded");
            return refuse_all(&mut inbox, error);
        }
    };
    // Only of a room that is there, and before anybody is served: the first who looks is shown everybody.
    let nodes = Nodes::meet(&house, &key, writer, address.kind.tells()).await;
    // A commit may have come between the two, before anybody knew whom to tell.
    live.trusted = nodes.as_ref().and_then(|nodes| nodes.met_at).is_none_or(|met_at| met_at == live.place);
    let mirrored = nodes.as_ref().is_some_and(|nodes| nodes.mirrors());
    let now = Instant::now();
    let mut task = Task {
        hub: Hub::new(address.clone()),
        aloud: live.kept.state.tells().then(|| Aloud::new(own, live.place, &house.limits, mirrored)),
        absence: Absence::new(house.limits.away_after),
        nodes,
        recent: Recent::new(house.limits.recent_max),
        house,
        address,
        key,
        writer,
        inbox,
        listening,
        live,
        lookout: Lookout::over(watch),
        waiting: VecDeque::new(),
        ahead: Vec::new(),
        late: Vec::new(),
        thinking: None,
        patience: now,
        leaving: false,
        show_from: now,
        dirty: false,
        hand_out_from: now,
        beat: Arc::default(),
        beat_at: now,
        notified_for: None,
        used: now,
        ended: None,
    };
    task.recent.note(task.live.place);
    task.serve().await;
    task.take_leave().await;
}

fn refuse_all(inbox: &mut mpsc::Receiver<Message>, error: Error) {
    inbox.close();
    while let Ok(message) = inbox.try_recv() {
        message.refuse(error.clone());
    }
}

/// What the task woke up for.
enum Event {
    Message(Option<Message>),
    Thought(Box<Turn>),
    Sight(Sight),
    Reply(Reply),
    Time,
}

impl Task {
    async fn serve(&mut self) {
        // Kept across turns of the loop, and left alone when it goes off early: moving a timer costs more than a look.
        let alarm = tokio::time::sleep_until(Instant::now());
        tokio::pin!(alarm);
        let mut now = Moment::now(&self.house);
        loop {
            self.take_turn(now);
            let wake_at = self.next_wake(now);
            if alarm.is_elapsed() || wake_at < alarm.deadline() {
                alarm.as_mut().reset(wake_at);
            }
            let full = self.is_full();
            let event = tokio::select! {
                biased;
                done = async { self.thinking.as_mut().expect("guarded by the branch's condition").await }, if self.thinking.is_some() => Event::Thought(Box::new(done)),
                sight = self.lookout.next(&self.house.rooms, &self.key, self.writer) => Event::Sight(sight),
                reply = async { self.nodes.as_mut().expect("guarded by the branch's condition").reply().await }, if self.nodes.is_some() => Event::Reply(reply),
                message = self.inbox.recv(), if !full && !self.leaving => Event::Message(message),
                () = self.beat.notified() => Event::Time,
                () = &mut alarm => Event::Time,
            };
            match event {
                Event::Message(None) => self.leaving = true,
                Event::Message(Some(message)) => {
                    self.hear(message).await;
                    // Whatever else has arrived shares the commit.
                    self.hear_company().await;
                    let gathers = !self.house.limits.gather_for.is_zero();
                    if gathers && self.hub.has_gathered() && Instant::now() >= self.hand_out_from {
                        // Whoever spoke in the same moment and is still being read shares the frame.
                        tokio::task::yield_now().await;
                        self.hear_company().await;
                    }
                }
                Event::Thought(done) => {
                    self.conclude(*done);
                    // A store that fails must not keep them outside; then they are told that it is a snapshot.
                    if self.ended.is_none() && (self.live.trusted || Instant::now() < self.patience) {
                        for listen in std::mem::take(&mut self.ahead) {
                            self.let_in(listen).await;
                        }
                    }
                    if self.ended.is_none() {
                        self.hear_late().await;
                    }
                }
                Event::Sight(Sight::Wake(Wake::Moved(_) | Wake::Closed)) => self.live.trusted = false,
                Event::Sight(Sight::Wake(Wake::Here)) => self.wonder(),
                Event::Sight(Sight::Wake(Wake::Told(word))) => self.overhear(word),
                Event::Sight(Sight::Unseen { .. }) => {
                    self.live.trusted = false;
                    self.wonder();
                }
                Event::Reply(Reply::Announced(answer)) => self.meet(answer),
                Event::Reply(Reply::Told(passed)) => self.told(passed),
                Event::Reply(Reply::Mirrored(mirrored, presence)) => self.mirrored(mirrored, presence),
                Event::Time => {}
            }
            self.mind_the_nodes();
            now = Moment::now(&self.house);
            self.mind_the_time(now);
            if let Some(ending) = self.ended {
                self.hub.end(ending);
                self.listening.store(0, Ordering::Relaxed);
                for pending in self.waiting.drain(..) {
                    drop(pending.answer.send(Err(Error::NoRoom)));
                }
                for message in self.late.drain(..) {
                    message.refuse(Error::NoRoom);
                }
                return refuse_all(&mut self.inbox, Error::NoRoom);
            }
            if self.leaving && self.thinking.is_none() && self.waiting.is_empty() && self.ahead.is_empty() && self.late.is_empty()
            {
                return;
            }
            if self.may_rest() {
                // Whoever comes after finds the door closed and wakes the room again; what is already in is served.
                self.inbox.close();
            }
        }
    }

    async fn hear_company(&mut self) {
        while !self.is_full() {
            let Ok(message) = self.inbox.try_recv() else { break };
            self.hear(message).await;
        }
    }

    async fn hear(&mut self, message: Message) {
        let is_over = self.live.kept.is_over(self.house.clock.now());
        match message {
            // A room past its end is not there, unless another node has renewed it: the turn that finds out is at hand.
            Message::Listen(_) | Message::Look(_) | Message::Export(_) | Message::Say(_) | Message::Show(_) if is_over => {
                self.late.push(message);
            }
            Message::Act(pending) => {
                self.used = Instant::now();
                self.waiting.push_back(pending);
            }
            Message::Listen(listen) => {
                self.used = Instant::now();
                self.listen(*listen).await;
            }
            Message::Unlisten(id) => {
                self.ahead.retain(|listen| listen.id != id);
                self.late.retain(|message| !matches!(message, Message::Listen(listen) if listen.id == id));
                if let Some(gone) = self.hub.leave(id) {
                    self.went(&gone);
                    self.absence.saw([gone]);
                    self.dirty = true;
                }
                self.listening.store(self.hub.len(), Ordering::Relaxed);
                self.used = Instant::now();
            }
            Message::Look(look) => self.look(*look),
            Message::Export(wish) => self.export(*wish),
            Message::Say(say) => self.say(*say),
            Message::Show(show) => self.show(*show),
            Message::More(id) => self.read_on(id),
            // The bell rings; it is heard when it is time to tell of people.
            Message::Shown => {}
            Message::Unload if self.hub.is_empty() => self.used = Instant::now() - self.house.limits.idle_unload_after,
            Message::Unload => {}
        }
    }

    /// A turn has asked the store and the room is not over: either it lives on, or the store does not say.
    async fn hear_late(&mut self) {
        let is_known = self.live.trusted || !self.live.kept.is_over(self.house.clock.now());
        for message in std::mem::take(&mut self.late) {
            if is_known {
                self.hear(message).await;
            } else {
                message.refuse(Error::Interrupted);
            }
        }
    }

    fn is_full(&self) -> bool {
        self.waiting.len() + self.late.len() >= self.house.limits.inbox_max
    }

    /// Starts deciding what waits, if nothing is being decided.
    fn take_turn(&mut self, now: Moment) {
        if self.thinking.is_some() {
            return;
        }
        let kept = &self.live.kept;
        let overdue = kept.is_over(now.clock) || kept.state.deadline().is_some_and(|due| due <= now.clock);
        // Without waiting acts an untrusted room still looks, so that listeners see what others did.
        let away = self.overdue(now);
        let uncalled = (overdue || !self.live.trusted || !away.is_empty()) && now.instant >= self.patience;
        if self.waiting.is_empty() && !uncalled {
            return;
        }
        let count = self.waiting.len().min(self.house.limits.batch_acts_max);
        let acts = self.waiting.drain(..count).collect();
        let (house, address, key, live) = (self.house.clone(), self.address.clone(), self.key.clone(), self.live.clone());
        self.live.trusted = true; // A hint that comes while the turn is under way counts for the next one.
        self.thinking = Some(Box::pin(turn(house, self.writer, address, key, live, acts, away)));
    }

    /// Those who have been away too long. A room that goes to rest knows no more who is here: others may have come to
    /// the task that follows it.
    fn overdue(&mut self, now: Moment) -> Vec<UserId> {
        let may_look = self.live.trusted && !self.inbox.is_closed();
        if !may_look || self.must_ask_first() || self.absence.look_at().is_none_or(|look_at| look_at > now.instant) {
            return Vec::new();
        }
        let coming = self.waiting.iter().map(|pending| &pending.request.credential);
        let coming: BTreeSet<UserId> = coming.filter_map(|credential| credential.user_id(&self.address.id)).collect();
        let here = self.here();
        let mut away = self.absence.overdue(&self.live.kept.state, now.clock, |user| here.holds(user) || coming.contains(user));
        away.truncate(AWAY_AT_ONCE);
        away
    }

    /// The turn is kept: answer, and show.
    fn conclude(&mut self, done: Turn) {
        let Turn { live, mut acts, verdicts, commits, anew, ended } = done;
        let hinted = !self.live.trusted;
        self.thinking = None;
        self.live = live;
        if !self.live.trusted {
            self.patience = Instant::now() + PATIENCE;
        }
        self.live.trusted &= !hinted;
        for pending in acts.drain(verdicts.len().min(acts.len())..).rev() {
            self.waiting.push_front(pending);
        }
        // Where the room was read anew or ended there is no order that an answer could have a place in.
        let in_order = self.aloud.is_some() && !anew && ended.is_none();
        let mut authors = Vec::new();
        for (pending, mut verdict) in acts.into_iter().zip(verdicts) {
            if let Ok(acted) = &mut verdict {
                // Whoever did something that is kept is named there.
                if acted.index.is_none() {
                    self.absence.saw(pending.request.credential.user_id(&self.address.id));
                }
                let here = pending.from.filter(|(id, _)| in_order && self.hub.viewer(*id).is_some());
                if let (Some((id, request)), Some(index)) = (here, acted.index) {
                    authors.push((index, id, request));
                    acted.told = true;
                }
            }
            drop(pending.answer.send(verdict));
        }
        if self.aloud.is_some() {
            self.take_minutes(&commits, &authors, anew);
        }
        self.absence.saw(commits.iter().flat_map(|(_, commit)| &commit.done).filter_map(|done| done.by.clone()));
        if anew {
            self.recent.forget();
        }
        if anew || !commits.is_empty() {
            self.dirty = true;
            let events: Vec<_> = commits.iter().flat_map(|(_, commit)| &commit.done).flat_map(|done| &done.events).collect();
            if anew || events.iter().any(|event| event.changes_roles()) {
                self.hub.recognise(&self.live.kept, &events);
                if let Some(aloud) = &mut self.aloud {
                    aloud.stirred = true;
                }
                self.listening.store(self.hub.len(), Ordering::Relaxed);
            }
            for (place, _) in &commits {
                self.recent.note(*place);
            }
            self.recent.note(self.live.place);
            metrics::counter!("parlor_commits_total").increment(commits.len() as u64);
        }
        self.ended = ended;
    }
}
