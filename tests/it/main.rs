//! End-to-end tests of gainsay, through what its users see.

mod asynchronous;
mod blocking;
mod brute_force;
mod callouts;
mod challenge;
mod child;
mod containment;
mod corpus;
mod edges;
mod enumeration;
mod environment;
mod generators;
mod histories;
mod judge;
mod logic;
mod models;
mod races;
mod reports;
mod reviewed;
mod schedules;
mod shrinking;
mod sources;
mod statistics;
mod support;
mod threads;
mod trouble;
