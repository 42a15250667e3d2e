//! `ps` lists processes. BSD options have no dash. `E` and `e` without dash show environments.

use super::{Context, Effects, Operands, Program};
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &["ps"],
    options: "-a -A -d -e -f -F -j -l -L -M -m -N -T -x -y -Z -c -H -w -r -X -v -S -o= -O= -p= -P= -C= -g= -G= -q= \
        -s= -t= -u= -U= --pid= --ppid= --sort= --forest --no-headers --headers --cols= --columns= --width= \
        --user= --User= --format= --group= --tty= --deselect --info --rows= --lines= --cumulative",
    operands: Operands::Custom(no_environment),
    ..Program::READER
};

fn no_environment(parsed: &Parsed<'_>, _context: &Context, effects: &mut Effects) {
    effects.read_only &= parsed.operands.iter().all(|word| {
        word.known()
            .is_some_and(|text| !text.contains(['e', 'E']) && text.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    });
}
