//! Everything with an effect: the one place that knows JavaScript values, `chrome.*`, the network and the clock.

mod boundary;
mod chrome;
mod page;
