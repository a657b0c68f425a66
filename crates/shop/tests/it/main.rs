//! The shop on every store: the same cases on memory, embedded, Redis and a cluster.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod carts;
mod cleaning;
mod crash;
mod interleaved;
mod logins;
mod popular;
mod stand;
mod visits;

/// Each case on memory, embedded and Redis by itself, and all of them one after the other on one cluster.
macro_rules! on_every_store {
    ($($part:ident::$case:ident),* $(,)?) => {
        mod memory { $(#[tokio::test] async fn $case() { crate::$part::$case(crate::stand::memory().await).await; })* }
        mod embedded { $(#[tokio::test] async fn $case() { crate::$part::$case(crate::stand::embedded().await).await; })* }
        mod redis { $(#[tokio::test] async fn $case() { crate::$part::$case(crate::stand::redis().await).await; })* }
        #[tokio::test]
        async fn a_cluster() {
            let cluster = parlor_testbed::Cluster::start();
            $(
                println!("{}", stringify!($case));
                cluster.flush();
                crate::$part::$case(crate::stand::cluster(&cluster).await).await;
            )*
        }
    };
}

on_every_store! {
    visits::a_visit_begins_is_used_and_ends,
    visits::h139_no_token_is_kept_in_clear,
    visits::h145_a_visit_ends_by_idleness_and_by_age,
    visits::h146_what_is_noted_of_a_visit_that_has_ended_stays_gone,
    visits::h147_a_clock_that_was_ahead_makes_nobody_immortal,
    visits::viewed_keeps_the_newest_25_once_each,
    visits::a_shoppers_visits_are_listed_and_ended,
    visits::a_shopper_has_at_most_so_many_visits,
    carts::a_cart_is_set_added_to_removed_from_and_cleared,
    carts::h149_concurrent_adds_all_count,
    carts::h149_quantities_keep_their_bounds,
    carts::h150_a_change_sent_twice_happens_once,
    carts::h151_a_cart_takes_no_more_lines_than_it_may,
    carts::a_cart_goes_by_its_class,
    carts::an_abandoned_cart_is_told_once_and_kept_until_heard,
    carts::one_node_tells_of_abandoned_carts,
    carts::random_changes_of_many_tabs_lose_nothing,
    logins::each_strategy_merges_once,
    logins::h150_a_login_sent_again_merges_once,
    logins::h150_a_guests_change_sent_again_after_the_login_happens_once,
    logins::h150_a_login_cut_off_in_the_middle_goes_on,
    logins::two_devices_share_one_cart,
    logins::what_was_viewed_comes_together,
    logins::the_token_changes_and_the_old_one_opens_nothing,
    logins::a_cart_changed_during_a_login_is_lost_nowhere,
    logins::logging_in_as_somebody_else_takes_no_cart_along,
    cleaning::h141_a_visit_used_meanwhile_is_not_cleaned_up,
    cleaning::h143_two_cleaners_end_no_more_than_one,
    cleaning::h144_nothing_of_an_ended_visit_stays,
    cleaning::no_shopper_goes_because_of_a_flood_of_guests,
    popular::h152_reloads_do_not_inflate,
    popular::h152_going_in_circles_does_not_inflate,
    popular::h152_halving_happens_once_a_period_whoever_does_it,
    popular::h152_views_that_come_while_halving_count_whole,
    popular::trimming_cuts_the_unpopular_end,
    popular::h153_a_flood_of_items_stays_bounded,
}
