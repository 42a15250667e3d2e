//! `helm` changes clusters; lists and values only read. Plugins and post-renderers run programs.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["helm"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-n= --namespace= --kube-context= --debug --kubeconfig% --registry-config% --repository-config%";

const FORMS: [Form; 12] = [
    with(
        "list",
        "-a --all -A --all-namespaces -d --date -f= --filter= -m= --max= -n= --namespace= -o= --output= -q --short -r --reverse --deployed --failed --pending --superseded --uninstalled --offset= -l= --selector=",
    ),
    with("ls", "-a --all -A --all-namespaces -f= --filter= -n= --namespace= -o= -q"),
    with("status", "-n= --namespace= -o= --output= --revision= --show-desc --show-resources"),
    with("history", "-n= --namespace= --max= -o= --output="),
    with("get values", "-a --all -n= --namespace= -o= --output= --revision="),
    with("get manifest", "-n= --namespace= --revision="),
    with("get notes", "-n= --namespace= --revision="),
    with("search repo", "-l --versions -o= --output= --devel --version="),
    with("search hub", "-o= --output= --max-col-width="),
    alone("repo list", "-o= --output="),
    alone("version", "--short --template="),
    alone("env", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("helm", words, GLOBAL, &FORMS, context)
}
