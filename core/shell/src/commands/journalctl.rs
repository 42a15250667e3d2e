//! `journalctl` reads logs; rotating and cutting them are left out. A cursor file is written.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["journalctl"],
    options: "-a --all -f --follow -e --pager-end -n= --lines= --no-tail -r --reverse -o= --output= \
        --output-fields= --utc -x --catalog -q --quiet -m --merge -b? --boot? --list-boots -k --dmesg -t= \
        --identifier= -u= --unit= --user-unit= -p= --priority= -g= --grep= --case-sensitive? -S= --since= \
        -U= --until= -c= --cursor= --after-cursor= --show-cursor -N --fields -F= --field= --system --user \
        --no-pager --no-hostname --disk-usage --no-full -l --full --cursor-file> --rotate! --vacuum-size% \
        --vacuum-time% --vacuum-files% --flush! --sync! --relinquish-var! --setup-keys! -D< --directory< \
        --file< --root< -M% --machine%",
    operands: Operands::Text,
    ..Program::READER
};
