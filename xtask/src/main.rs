//! Set-up, build, start, test and package.
fn main() {}
