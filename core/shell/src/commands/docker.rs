//! `docker` runs containers; the forms that list and inspect only read. Global options can choose another daemon.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["docker", "podman"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "-l= --log-level= -D --debug -H% --host% -c% --context% --config% --connection% --url% --tls! \
        --tlscacert% --tlscert% --tlskey% --tlsverify! -r! --remote!";

const FORMS: [Form; 29] = [
    with("ps", "-a --all -f= --filter= --format= -n= --last= -l --latest --no-trunc -q --quiet -s --size"),
    with("images", "-a --all --digests -f= --filter= --format= --no-trunc -q --quiet --tree"),
    with("inspect", "-f= --format= -s --size --type="),
    with("logs", "--details -f --follow --since= -n= --tail= -t --timestamps --until="),
    alone("info", "-f= --format="),
    alone("version", "-f= --format="),
    with("top", ""),
    with("port", ""),
    with("diff", ""),
    with("history", "--format= -H --human --no-trunc -q --quiet"),
    with("stats", "-a --all --format= --no-stream --no-trunc"),
    with("container ls", "-a --all -f= --filter= --format= -n= -l --no-trunc -q -s"),
    with("container inspect", "-f= --format= -s"),
    with("container logs", "--details -f --follow --since= -n= --tail= -t --until="),
    with("image ls", "-a --all --digests -f= --filter= --format= --no-trunc -q"),
    with("image inspect", "-f= --format="),
    with("image history", "--format= --no-trunc -q"),
    with("network ls", "-f= --filter= --format= --no-trunc -q"),
    with("network inspect", "-f= --format= -v"),
    with("volume ls", "-f= --filter= --format= -q"),
    with("volume inspect", "-f= --format="),
    alone("system df", "-v --format="),
    alone("context ls", "--format= -q"),
    with("compose ps", "-a --all --format= -q --services --filter= --status= --no-trunc"),
    with("compose logs", "-f --follow --since= -n= --tail= -t --timestamps --until= --no-color --no-log-prefix"),
    with("compose ls", "-a --all --filter= --format= -q"),
    with("compose images", "--format= -q"),
    with("compose top", ""),
    alone("compose version", "-f= --format= --short"),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("docker", words, GLOBAL, &FORMS, context)
}
