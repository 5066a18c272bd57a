//! Models and how to talk to them.
