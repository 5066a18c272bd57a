//! Work that goes on beside everything else.

use std::pin::Pin;

use wasm_bindgen_futures::spawn_local;

/// Starts a future and lets it run to its end.
pub fn spawn(work: impl Future<Output = ()> + 'static) {
    // Boxed, so that the runtime is compiled once and not for every future.
    spawn_boxed(Box::pin(work));
}

fn spawn_boxed(work: Pin<Box<dyn Future<Output = ()>>>) {
    spawn_local(work);
}
