//! `kubectl` changes clusters; `get`, `describe`, `logs` and the like only read. A kubeconfig can name programs to run.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["kubectl", "oc"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-n= --namespace= --context= --cluster= --user= --request-timeout= -v= --kubeconfig% --token% -s% \
        --server% --as= --as-group= --cache-dir%";

const FORMS: [Form; 18] = [
    with(
        "get",
        "-A --all-namespaces -o= --output= -l= --selector= --field-selector= -w --watch --watch-only --show-labels --sort-by= -L= --label-columns= --no-headers -n= --namespace= --ignore-not-found --chunk-size= --show-kind --server-print --subresource= --context=",
    ),
    with("describe", "-A --all-namespaces -l= --selector= -n= --namespace= --show-events --context="),
    with(
        "logs",
        "-f --follow -p --previous -c= --container= --all-containers --since= --since-time= --tail= --timestamps --prefix -l= --selector= -n= --namespace= --max-log-requests= --limit-bytes= --context=",
    ),
    with("explain", "--recursive --api-version= --output="),
    alone("version", "--client --short -o= --output="),
    alone("api-resources", "--namespaced? -o= --verbs= --api-group= --no-headers --sort-by="),
    alone("api-versions", ""),
    alone("cluster-info", ""),
    with("top pod", "-A --all-namespaces -n= --namespace= --containers -l= --sort-by= --no-headers"),
    with("top pods", "-A --all-namespaces -n= --namespace= --containers -l= --sort-by= --no-headers"),
    with("top node", "-l= --sort-by="),
    with("top nodes", "-l= --sort-by="),
    with("rollout status", "-n= --namespace= -w --watch --timeout="),
    with("rollout history", "-n= --namespace= --revision="),
    alone("config current-context", ""),
    with("config get-contexts", "-o= --no-headers"),
    with("auth can-i", "-A -n= --namespace= --list -q"),
    with("events", "-A -n= --for= --types= -w"),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("kubectl", words, GLOBAL, &FORMS, context)
}
