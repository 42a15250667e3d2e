//! The classifier's half of stage 3: started together with the hooks, cached per input, awaited only where stage 4
//! needs it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::JoinSet;

use super::Pipeline;
use crate::host::{Classifier, ClassifierVerdict};
use crate::tool::{DynTool, ToolInput};

/// The cache starts anew at this many verdicts; a turn rarely sees more.
const MAX_CACHED_VERDICTS: usize = 256;

/// Verdicts by tool name and classifier input.
pub(super) type VerdictCache = Arc<Mutex<HashMap<(String, String), ClassifierVerdict>>>;

/// A verdict that is there or on its way. Dropping it gives the question up.
pub(super) struct Pending {
    /// What is judged.
    input: String,
    answer: BoxFuture<'static, ClassifierVerdict>,
}

impl Pending {
    /// The verdict, if it is there.
    pub(super) fn ready(&mut self) -> Option<ClassifierVerdict> {
        (&mut self.answer).now_or_never()
    }

    /// Waits for the verdict. A classifier that fails is unsure.
    pub(super) async fn verdict(self) -> ClassifierVerdict {
        self.answer.await
    }
}

/// Starts the classifier, if there is one and the tool lets it judge this input.
pub(super) fn start(pipeline: &Pipeline, tool: &dyn DynTool, input: &ToolInput) -> Option<Pending> {
    let classifier = pipeline.host.classifier.as_ref()?;
    ask(pipeline, classifier, tool.name(), tool.classifier_input(input))
}

/// Starts anew for a changed input, unless it is the same to the classifier.
pub(super) fn restart(
    pipeline: &Pipeline,
    tool: &dyn DynTool,
    input: &ToolInput,
    before: Option<Pending>,
) -> Option<Pending> {
    let classifier = pipeline.host.classifier.as_ref()?;
    let text = tool.classifier_input(input);
    before.filter(|before| before.input == text).or_else(|| ask(pipeline, classifier, tool.name(), text))
}

fn ask(pipeline: &Pipeline, classifier: &Arc<dyn Classifier>, tool: &str, text: String) -> Option<Pending> {
    if text.is_empty() {
        return None;
    }
    let key = (tool.to_owned(), text.clone());
    let cache = Arc::clone(&pipeline.verdicts);
    let known = cache.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some(known) = known {
        return Some(Pending { input: text, answer: std::future::ready(known).boxed() });
    }
    let classifier = Arc::clone(classifier);
    // A task, so that it makes progress while the hooks run; the set aborts it when nobody waits any more.
    let mut task = JoinSet::new();
    task.spawn(async move {
        // Building the future runs the host's code too, so it happens inside of the guard.
        let question = async { classifier.classify(key.0.clone(), key.1.clone()).await };
        let Ok(Ok(verdict)) = std::panic::AssertUnwindSafe(question).catch_unwind().await else {
            return ClassifierVerdict::Unsure;
        };
        let mut known = cache.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_CACHED_VERDICTS {
            known.clear();
        }
        known.insert(key, verdict.clone());
        verdict
    });
    let answer = async move {
        match task.join_next().await {
            Some(Ok(verdict)) => verdict,
            _ => ClassifierVerdict::Unsure,
        }
    };
    Some(Pending { input: text, answer: answer.boxed() })
}
