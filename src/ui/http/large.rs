//! Large bodies: a few are taken in at once, whoever sends how many, so that the daemon's memory has a bound.

use axum::Router;
use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A body of more bytes than this is large.
const LARGE_BYTES: u64 = 64 << 10;
/// Each is in memory three times at most: as it came, as text, and as a line of the journal.
const AT_ONCE: usize = 2;

/// The same router, which begins to read a large body when few others are being answered.
pub(super) fn few_at_once(router: Router) -> Router {
    router.layer(from_fn_with_state(Arc::new(Semaphore::new(AT_ONCE)), in_turn))
}

async fn in_turn(State(places): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let most = request.body().size_hint().upper();
    let is_large = most.is_none_or(|bytes| bytes > LARGE_BYTES);
    // Nobody closes it; were it closed, the request would be answered all the same.
    let _place = if is_large { places.acquire().await.ok() } else { None };
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::post;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn few_large_bodies_are_read_at_once_and_small_ones_never_wait() {
        let (inside, goes_on) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (counts, ends) = (inside.clone(), goes_on.clone());
        let handler = move || async move {
            counts.fetch_add(1, Ordering::Relaxed);
            ends.acquire().await.unwrap().forget();
        };
        let app = TowerToHyperService::new(few_at_once(Router::new().route("/", post(handler))));
        let ask = |bytes: usize| {
            let request = Request::post("/").body(Body::from("x".repeat(bytes))).unwrap();
            tokio::spawn(app.call(request))
        };
        let large: Vec<_> = (0..5).map(|_| ask(1 << 20)).collect();
        let small: Vec<_> = (0..5).map(|_| ask(100)).collect();
        while inside.load(Ordering::Relaxed) < AT_ONCE + small.len() {
            tokio::task::yield_now().await;
        }
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert_eq!(inside.load(Ordering::Relaxed), AT_ONCE + small.len());
        goes_on.add_permits(large.len() + small.len());
        for answered in large.into_iter().chain(small) {
            assert!(answered.await.unwrap().unwrap().status().is_success());
        }
    }
}
