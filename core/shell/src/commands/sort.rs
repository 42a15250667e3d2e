//! `sort` sorts. `-o` writes, `--compress-program` runs a program, `-T` chooses where temporary files go.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["sort"],
    options: "-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i \
        --ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort \
        --random-source< -r --reverse --sort= -V --version-sort --batch-size= -c --check? -C --debug \
        --files0-from< -k= --key= -m --merge -o> --output> -s --stable -S= --buffer-size= -t= \
        --field-separator= -T! --temporary-directory% --parallel= -u --unique -z --zero-terminated \
        --compress-program%",
    ..Program::READER
};
