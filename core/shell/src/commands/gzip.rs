//! The compressors replace files by others; the `cat` forms only print.

use super::{Context, Effects, Operands, Program};
use crate::analysis::Access;
use crate::flags::Parsed;

pub(super) const PROGRAM: Program = Program {
    names: &[
        "gzip",
        "gunzip",
        "zcat",
        "gzcat",
        "bzip2",
        "bunzip2",
        "bzcat",
        "xz",
        "unxz",
        "xzcat",
        "zstd",
        "unzstd",
        "zstdcat",
        "lz4",
        "compress",
        "uncompress",
    ],
    options: "-# -c -d -f -k -l -n -N -q -r -S= -t -v -z -a -h -L -V -1 -2 -3 -4 -5 -6 -7 -8 -9 -0 -e -T= -o> \
        --stdout --to-stdout --decompress --uncompress --force --keep --list --no-name --name --quiet \
        --recursive --suffix= --test --verbose --fast --best --rsyncable --threads= --compress --extreme \
        --rm --ultra --long? -D<",
    follows: &["-r", "--recursive"],
    operands: Operands::Custom(replaces),
    ..Program::CHANGER
};

fn replaces(parsed: &Parsed<'_>, context: &Context, effects: &mut Effects) {
    let prints = parsed.has(&["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"]);
    for word in &parsed.operands {
        effects.add(word, if prints { Access::Read } else { Access::Write }, context);
    }
    effects.read_only = prints && parsed.is_plain();
}
