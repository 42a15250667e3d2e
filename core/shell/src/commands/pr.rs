//! `pr` lays text out in pages.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["pr"],
    options: "-# -a -c -d -D= -e? -F -f -h= -i? -J -l= -m -n? -N= -o= -r -s? -S? -t -T -v -w= -W= --columns= \
        --header= --length= --width= --page-width= --omit-header",
    any_option: true,
    ..Program::READER
};
