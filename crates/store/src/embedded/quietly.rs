//! A library's panic caught and kept quiet: the engine asserts what it expects of its files, and to whoever runs the
//! server a damaged file is one sentence, not a trace of somebody's machinery.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// There is one hook for the whole process; the usual one is called for every panic that is not ours.
static HOOK: Once = Once::new();

/// What this answers, or nothing if it panicked.
pub(super) fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let worked = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    worked.ok()
}

#[cfg(test)]
mod tests {
    use super::quietly;

    #[test]
    fn a_panic_is_nothing_and_the_next_one_outside_is_loud_again() {
        assert_eq!(quietly(|| 1), Some(1));
        assert_eq!(quietly(|| if true { panic!("nobody reads this") } else { 1 }), None);
        assert!(!super::QUIET.get());
    }
}
