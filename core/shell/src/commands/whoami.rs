//! Programs that only report on the user or the machine.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &[
        "whoami", "id", "groups", "logname", "users", "who", "w", "tty", "nproc", "arch", "uptime", "free", "lscpu",
        "lsblk", "lsusb", "lspci", "getconf", "locale", "vmstat",
    ],
    options: "-a -A -b -B -c -C -d -e -f -g -G -h -H -i -J -k -l -m -n -N -o= -p -P -q -r -R -s -S -t -T -u -U -v \
        -w -x -y -z -Z -V --all --ignore= --human --bytes --kilo --mega --giga --tera --si --total --wide \
        --count= --seconds= --group --groups --name --real --user --zero --context --json --output= --list \
        --pretty --since --help --version --parse? --extended? --sort= --fs --paths --nodeps --kibi --mebi \
        --gibi",
    operands: Operands::Text,
    ..Program::READER
};
