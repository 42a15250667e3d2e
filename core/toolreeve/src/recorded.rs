//! A model that answers from recordings: one server-sent event stream for each request, in order. For demos, tests and
//! the command line.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use toolreeve_engine::CancelToken;
use toolreeve_engine::host::{HostError, ModelChunk, ModelChunks, ModelRequest, ModelStream};

/// Plays recorded answers.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::sync::Arc;
/// use toolreeve::{AgentBuilder, RecordedModel, engine::Event};
///
/// let answer = concat!(
///     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
///     "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n",
///     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
///     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
/// );
/// let agent = AgentBuilder::new(Arc::new(RecordedModel::new([answer]))).build().unwrap();
/// let mut run = agent.run("Hello");
/// let mut last = None;
/// while let Some(event) = run.next().await {
///     last = Some(event);
/// }
/// assert!(matches!(last, Some(Event::Done { result, .. }) if result == "Hi"));
/// # });
/// ```
pub struct RecordedModel {
    answers: Mutex<VecDeque<Vec<u8>>>,
    pace: Duration,
}

impl RecordedModel {
    /// Plays these answers in order, as fast as they are taken.
    pub fn new(answers: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().map(Into::into).collect()), pace: Duration::ZERO }
    }

    /// Plays these files in order.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn from_files(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> std::io::Result<Self> {
        let answers = paths.into_iter().map(std::fs::read).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self::new(answers))
    }

    /// Waits this long before each event.
    #[must_use]
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }
}

impl ModelStream for RecordedModel {
    fn open(&self, _request: ModelRequest, _cancel: CancelToken) -> BoxFuture<'_, Result<ModelChunks, HostError>> {
        let answer = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let pace = self.pace;
        async move {
            let answer = answer.ok_or_else(|| HostError::new("the recording has no further answer"))?;
            if pace.is_zero() {
                return Ok(stream::iter([Ok(ModelChunk::Bytes(answer))]).boxed());
            }
            let paced = stream::unfold(answer, move |mut rest| async move {
                if rest.is_empty() {
                    return None;
                }
                tokio::time::sleep(pace).await;
                let end = end_of_event(&rest);
                let later = rest.split_off(end);
                Some((Ok(ModelChunk::Bytes(rest)), later))
            });
            Ok(paced.boxed())
        }
        .boxed()
    }
}

/// Where the first event ends: behind its blank line, else at the end.
fn end_of_event(bytes: &[u8]) -> usize {
    memchr::memmem::find(bytes, b"\n\n").map_or(bytes.len(), |at| at + 2)
}
