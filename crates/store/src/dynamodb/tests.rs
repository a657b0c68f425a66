//! The store on a server that speaks DynamoDB, in good weather and in bad.

mod clears;
mod conforms;
mod costs;
mod faults;
mod large;
mod nodes;
mod stand;
mod torn;
mod touches;
mod weather;
