//! `aws` changes accounts; verbs that list or describe only read. `--cli-input-json file://` and pagers are left out.

use super::forms::{self, Form, alone, with};
use super::{Context, Effects, Program};
use crate::syntax::Word;

pub(super) const PROGRAM: Program = Program { names: &["aws"], custom: Some(effects), ..Program::READER };

const GLOBAL: &str = "--profile= --region= --output= --query= --no-cli-pager --no-paginate --color= --no-sign-request \
        --debug! --endpoint-url%";

const FORMS: [Form; 14] = [
    with("s3 ls", "--recursive --human-readable --summarize --page-size= --request-payer= --profile= --region="),
    alone("sts get-caller-identity", "--output= --query= --profile="),
    alone("configure list", "--profile="),
    with("ec2 describe-instances", "--instance-ids= --filters= --query= --output= --region= --max-items= --profile="),
    with("logs describe-log-groups", "--log-group-name-prefix= --query= --output= --region="),
    with("lambda list-functions", "--query= --output= --region= --max-items="),
    with("iam list-users", "--query= --output="),
    with("iam list-roles", "--query= --output="),
    with("cloudformation describe-stacks", "--stack-name= --query= --output= --region="),
    with("cloudformation list-stacks", "--query= --output= --region="),
    with("ecs list-clusters", "--query= --output= --region="),
    with("ecr describe-repositories", "--query= --output= --region="),
    with("rds describe-db-instances", "--query= --output= --region="),
    alone("--version", ""),
];

fn effects(words: &[Word], context: &Context) -> Effects {
    forms::effects("aws", words, GLOBAL, &FORMS, context)
}
