//! `gh` talks to a code host; viewing and listing only read. `gh api` can do anything and is left out; `--web` opens a browser.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["gh"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-R= --repo=";

const FORMS: [Form; 24] = [
    with("pr view", "-c --comments --json= -q= --jq= -t= --template= -R= --repo="),
    with(
        "pr list",
        "-A= --author= -a= --assignee= -B= --base= -d --draft -H= --head= --json= -q= --jq= -l= --label= -L= --limit= -S= --search= -s= --state= -t= --template= -R= --repo= --app=",
    ),
    with("pr diff", "--color= --name-only --patch -R= --repo="),
    with("pr checks", "--watch --required --fail-fast -i= --interval= --json= -q= --jq= -t= -R= --repo="),
    alone("pr status", "-c --conflict-status --json= -q= --jq= -t= -R= --repo="),
    with("issue view", "-c --comments --json= -q= --jq= -t= --template= -R= --repo="),
    with(
        "issue list",
        "--app= -a= --assignee= -A= --author= --json= -q= --jq= -l= --label= -L= --limit= --mention= -m= --milestone= -S= --search= -s= --state= -t= -R= --repo=",
    ),
    alone("issue status", "--json= -q= --jq= -t= -R="),
    with(
        "run list",
        "-a -b= --branch= -c= --commit= --created= -e= --event= --json= -q= --jq= -L= --limit= -s= --status= -t= -u= --user= -w= --workflow= -R= --repo=",
    ),
    with(
        "run view",
        "-a= --attempt= --exit-status -j= --job= --json= -q= --jq= --log --log-failed -t= -v --verbose -R= --repo=",
    ),
    with("repo view", "-b= --branch= --json= -q= --jq= -t="),
    with(
        "repo list",
        "--archived --fork --json= -q= --jq= -l= --language= -L= --limit= --no-archived --source -t= --topic= --visibility=",
    ),
    with("release list", "--exclude-drafts --exclude-pre-releases --json= -q= --jq= -L= --limit= -O= -t= -R= --repo="),
    with("release view", "--json= -q= --jq= -t= -R= --repo="),
    with("workflow list", "-a --all --json= -q= --jq= -L= --limit= -t= -R="),
    with("workflow view", "-r= --ref= -y --yaml -R="),
    with("label list", "--json= -q= --jq= -L= --limit= -S= --search= --sort= --order= -R="),
    with("search issues", "--json= -q= --jq= -L= --limit= --repo= --state= --label= --author= --sort="),
    with("search prs", "--json= -q= --jq= -L= --limit= --repo= --state= --label= --author= --sort="),
    with("search code", "--json= -q= --jq= -L= --limit= --repo= --language= --filename= --extension="),
    with("search repos", "--json= -q= --jq= -L= --limit= --language= --sort="),
    alone("auth status", "-h= --hostname= -a --active"),
    with("gist list", "-L= --limit= --public --secret"),
    with("gist view", "-f= --filename= --files -r --raw"),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("gh", words, GLOBAL, &FORMS, context)
}
