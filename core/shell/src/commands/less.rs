//! `less` pages text. `-o` writes a log; key files and `+` commands can run programs.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["less"],
    options: "-# -a -A -b= -B -c -C -d -e -E -f -F -g -G -h= -i -I -j= -J -L -m -M -n -N -p= -q -Q -r -R -s -S -u \
        -U -V -w -W -x= -X -y= -z= -~ --chop-long-lines --quit-if-one-screen --no-init --line-numbers \
        --LINE-NUMBERS --raw-control-chars --RAW-CONTROL-CHARS --ignore-case --IGNORE-CASE \
        --squeeze-blank-lines --quit-at-eof --silent --no-lessopen -o> --log-file> -O! -k! --lesskey-file! \
        --lesskey-src! --lesskey-content! -t! -T!",
    operands: Operands::Custom(no_commands),
    ..Program::READER
};

fn no_commands(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    for word in &parsed.operands {
        effects.read_only &= !word.fixed_prefix().starts_with('+');
        effects.add(word, Access::Read, context);
    }
}
