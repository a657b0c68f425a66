//! The pages in memory: so many bytes, no more; what is asked for often stays (a scan of a million new pages does not wash out
//! the hot ones). Hits take no lock but a shard's; every change goes through the books.

use crate::below::Purged;
use crate::clock::Millis;
use crate::page::Page;
use crate::purges::{Generation, Purges, Tag};
use http::HeaderMap;
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter, sync::Cache};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All pages of one key: one for each class of visitors and each choice of the headers in `Vary`, the newest first.
pub struct Shelf {
    pub pages: Vec<Arc<Page>>,
    /// What it weighed when it was put up. A page grows when it is packed; the cache must not see that happen.
    weight: u64,
}

/// How many variants one key may have.
const VARIANTS_MAX: usize = 32;
/// A shard smaller than this could not hold a large page.
const SHARD_LEAST: u64 = 8 * 1024 * 1024;

impl Shelf {
    fn new(pages: Vec<Arc<Page>>) -> Arc<Self> {
        let weight = 64 + pages.iter().map(|page| page.weight()).sum::<u64>();
        Arc::new(Self { pages, weight })
    }

    /// The newest page that this request would have got.
    pub fn pick(&self, request: &HeaderMap, variant: Option<&str>) -> Option<&Arc<Page>> {
        self.pages.iter().find(|page| page.is_for(request, variant))
    }
}

/// The pages in memory.
pub struct Pages<S = DefaultHashBuilder> {
    cache: Cache<Arc<str>, Arc<Shelf>, Weigh, S, Collect>,
    books: Mutex<Books>,
    bytes_max: u64,
}

#[derive(Default)]
struct Books {
    index: HashMap<Tag, HashSet<Arc<str>>>,
    purges: Purges,
    evicted: u64,
}

/// What changed when a page was put on its shelf.
pub struct Put {
    pub page: Arc<Page>,
    /// Keys whose pages had to go for it.
    pub evicted: Vec<Arc<str>>,
}

impl<S: BuildHasher + Clone> Pages<S> {
    pub fn new(bytes_max: u64, hasher: S) -> Self {
        let shards = (bytes_max / SHARD_LEAST).clamp(1, 16) as usize;
        let options = OptionsBuilder::new()
            .weight_capacity(bytes_max)
            .estimated_items_capacity((bytes_max / 8192).clamp(64, 1 << 20) as usize)
            .shards(shards)
            .build()
            .expect("both capacities are given");
        Self { cache: Cache::with_options(options, Weigh, hasher, Collect), books: Mutex::default(), bytes_max }
    }

    pub fn shelf(&self, key: &str) -> Option<Arc<Shelf>> {
        self.cache.get(key)
    }

    /// The same, without counting as a use.
    pub fn peek(&self, key: &str) -> Option<Arc<Shelf>> {
        self.cache.peek(key)
    }

    pub fn generation(&self) -> Generation {
        self.books().purges.generation()
    }

    /// Takes in what was purged before this process began.
    pub fn remember(&self, purged: Purged) {
        self.books().purges.remember(purged);
    }

    /// Keeps the page, unless something that it is made of was purged since `started`.
    pub fn put(&self, page: Page, started: Generation) -> Result<Put, Arc<Page>> {
        let tags = tags_of(&page);
        self.put_if(page, |purges| !purges.hit_since(started, tags.iter()))
    }

    /// Keeps a page that a store below had kept at `kept`, unless it was purged after that.
    pub fn put_again(&self, page: Page, kept: Millis) -> Result<Put, Arc<Page>> {
        let tags = tags_of(&page);
        self.put_if(page, |purges| !purges.hit_after(kept, tags.iter()))
    }

    fn put_if(&self, page: Page, may: impl FnOnce(&Purges) -> bool) -> Result<Put, Arc<Page>> {
        let page = Arc::new(page);
        let mut books = self.books();
        if !may(&books.purges) {
            return Err(page);
        }
        let key = page.key.clone();
        let mut pages = vec![page.clone()];
        let old = self.cache.peek(&*key);
        pages.extend(old.iter().flat_map(|shelf| &shelf.pages).filter(|older| !page.replaces(older)).cloned());
        pages.sort_by(|one, other| other.date.cmp(&one.date).then(other.received.cmp(&one.received)));
        pages.truncate(VARIANTS_MAX);
        if let Some(old) = &old {
            books.unlist(&key, old);
        }
        let shelf = Shelf::new(pages);
        books.list(&key, &shelf);
        let evicted = self.insert(&mut books, key, shelf);
        drop(books);
        let keys = evicted.iter().map(|(key, _)| key.clone()).collect();
        Ok(Put { page, evicted: keys })
    }

    fn insert(&self, books: &mut Books, key: Arc<str>, shelf: Arc<Shelf>) -> Vec<(Arc<str>, Arc<Shelf>)> {
        let mut evicted = self.cache.insert_with_lifecycle(key, shelf);
        // A shelf that was only replaced is reported too; its key is still there.
        evicted.retain(|(key, _)| self.cache.peek(&**key).is_none());
        for (key, shelf) in &evicted {
            books.unlist(key, shelf);
            books.evicted += 1;
        }
        evicted
    }

    /// Weighs a key's pages again, because one of them was packed meanwhile.
    pub fn weigh_again(&self, key: &Arc<str>) {
        let mut books = self.books();
        if let Some(shelf) = self.cache.peek(&**key) {
            // A new shelf with the same pages: the cache weighs what is put in.
            let shelf = Shelf::new(shelf.pages.clone());
            self.insert(&mut books, key.clone(), shelf);
        }
    }

    /// Takes one page from its shelf.
    pub fn forget(&self, page: &Arc<Page>) {
        let mut books = self.books();
        let Some(shelf) = self.cache.peek(&*page.key) else { return };
        let pages: Vec<_> = shelf.pages.iter().filter(|other| !Arc::ptr_eq(other, page)).cloned().collect();
        self.keep_only(&mut books, &page.key, &shelf, pages);
    }

    fn keep_only(&self, books: &mut Books, key: &Arc<str>, shelf: &Shelf, pages: Vec<Arc<Page>>) {
        if pages.len() == shelf.pages.len() {
            return;
        }
        books.unlist(key, shelf);
        if pages.is_empty() {
            self.cache.remove(&**key);
        } else {
            let shelf = Shelf::new(pages);
            books.list(key, &shelf);
            self.insert(books, key.clone(), shelf);
        }
    }

    /// Purges all pages with this name, of this host if one is given; how many there were, and of which keys.
    pub fn purge(&self, tag: Tag, host: Option<&str>, softly: bool, now: Millis) -> (usize, Vec<Arc<str>>) {
        let mut books = self.books();
        books.purges.note(tag.clone(), now);
        let keys: Vec<Arc<str>> = match &tag {
            Tag::Url(url) => {
                self.cache.peek(url.as_str()).and_then(|shelf| Some(shelf.pages.first()?.key.clone())).into_iter().collect()
            }
            // Rare enough to look at every key; an index would cost every page.
            Tag::Path(path) => {
                let is_there = |shelf: &Shelf| shelf.pages.first().is_some_and(|page| page.path_and_query() == path);
                self.cache.iter().filter(|(_, shelf)| is_there(shelf)).map(|(key, _)| key).collect()
            }
            Tag::All => self.cache.iter().map(|(key, _)| key).collect(),
            Tag::Group(_) | Tag::SurrogateKey(_) | Tag::Row(_) => books.index.get(&tag).into_iter().flatten().cloned().collect(),
        };
        let mut purged = 0;
        for key in &keys {
            let Some(shelf) = self.cache.peek(&**key) else { continue };
            let meant = |page: &Arc<Page>| has(page, &tag) && host.is_none_or(|host| *page.host == *host);
            if softly {
                purged += shelf.pages.iter().filter(|page| meant(page) && page.purge_softly(now)).count();
            } else {
                let left: Vec<_> = shelf.pages.iter().filter(|page| !meant(page)).cloned().collect();
                purged += shelf.pages.len() - left.len();
                self.keep_only(&mut books, key, &shelf, left);
            }
        }
        (purged, keys)
    }

    pub fn entries(&self) -> usize {
        self.cache.len()
    }
    pub fn bytes(&self) -> u64 {
        self.cache.weight()
    }
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max
    }
    pub fn evicted(&self) -> u64 {
        self.books().evicted
    }
    /// How large a page may be to have a place.
    pub fn page_max(&self) -> u64 {
        self.cache.shard_capacity() / 2
    }
    /// How many names the index holds, for tests that look for what was left behind.
    pub fn names(&self) -> usize {
        self.books().index.len()
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn list(&mut self, key: &Arc<str>, shelf: &Shelf) {
        let all = shelf.pages.iter().flat_map(|page| tags_of(page));
        for tag in all.filter(|tag| !matches!(tag, Tag::Url(_) | Tag::Path(_))) {
            self.index.entry(tag).or_default().insert(key.clone());
        }
    }

    fn unlist(&mut self, key: &Arc<str>, shelf: &Shelf) {
        for tag in shelf.pages.iter().flat_map(|page| tags_of(page)) {
            if let Some(keys) = self.index.get_mut(&tag) {
                keys.remove(key);
                if keys.is_empty() {
                    self.index.remove(&tag);
                }
            }
        }
    }
}

fn tags_of(page: &Page) -> Vec<Tag> {
    let groups = page.groups.iter().cloned().map(Tag::Group);
    let keys = page.surrogate_keys.iter().cloned().map(Tag::SurrogateKey);
    let rows = page.rows.iter().cloned().map(Tag::Row);
    let own = [Tag::Url(page.key.to_string()), Tag::Path(page.path_and_query().to_owned())];
    groups.chain(keys).chain(rows).chain(own).collect()
}

fn has(page: &Page, tag: &Tag) -> bool {
    match tag {
        Tag::Url(url) => *page.key == **url,
        Tag::Path(path) => page.path_and_query() == path,
        Tag::Group(name) => page.groups.contains(name),
        Tag::SurrogateKey(name) => page.surrogate_keys.contains(name),
        Tag::Row(name) => page.rows.contains(name),
        Tag::All => true,
    }
}

#[derive(Clone)]
struct Weigh;

impl Weighter<Arc<str>, Arc<Shelf>> for Weigh {
    fn weight(&self, _: &Arc<str>, shelf: &Arc<Shelf>) -> u64 {
        shelf.weight
    }
}

/// Gathers what an insertion evicts, so that the books can be set right.
#[derive(Clone)]
struct Collect;

impl Lifecycle<Arc<str>, Arc<Shelf>> for Collect {
    type RequestState = Vec<(Arc<str>, Arc<Shelf>)>;

    fn begin_request(&self) -> Self::RequestState {
        Vec::new()
    }

    fn on_evict(&self, state: &mut Self::RequestState, key: Arc<str>, shelf: Arc<Shelf>) {
        state.push((key, shelf));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyRules;
    use crate::page::Arrived;
    use crate::rules::storable::Policy;
    use http::StatusCode;
    use std::hash::{BuildHasherDefault, Hasher};

    /// Gives every key the same hash.
    #[derive(Default)]
    struct Collide;

    impl Hasher for Collide {
        fn finish(&self) -> u64 {
            7
        }
        fn write(&mut self, _: &[u8]) {}
    }

    #[test]
    fn h163_keys_of_one_hash_have_shelves_of_their_own() {
        let pages = Pages::new(1 << 20, BuildHasherDefault::<Collide>::default());
        let url = |n: usize| KeyRules::default().of_url(&format!("http://shop/{n}").parse().unwrap());
        for n in 0..100 {
            let (key, request) = (url(n), HeaderMap::new());
            let page = Page::new(Arrived {
                key: &key,
                variant: None,
                request: &request,
                status: StatusCode::OK,
                headers: HeaderMap::new(),
                body: n.to_string().into(),
                policy: Policy::never(),
                received: 1,
                unpacked_max: 100,
            });
            assert!(pages.put(page, pages.generation()).is_ok());
        }
        for n in 0..100 {
            let shelf = pages.shelf(url(n).as_str()).unwrap();
            assert_eq!(shelf.pages[0].body, n.to_string().as_bytes());
        }
        assert!(pages.shelf(url(100).as_str()).is_none());
    }
}
