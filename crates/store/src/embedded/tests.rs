//! The embedded store against the suite, against the reference, and against bad luck.

mod conforms;
mod crashes;
mod damage;
mod folders;
mod logged;
mod sweeps;
mod views;
