//! `hexdump` and `od` print bytes.

use super::Program;

pub(super) const PROGRAM: Program = Program {
    names: &["hexdump", "hd", "od"],
    options: "-b -c -C -d -o -v -x -X -n= --length= -s= --skip= -e= --format= -f< -A= -j= -N= -S= -t= -w? \
        --address-radix= --skip-bytes= --read-bytes= --canonical -a --endian=",
    ..Program::READER
};
