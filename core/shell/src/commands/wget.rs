//! `wget` fetches files and writes them, with `-O` under a given name. `--use-askpass` runs a program.

use super::{Operands, Program};

pub(super) const PROGRAM: Program = Program {
    names: &["wget"],
    options: "-# -q -v -nv -c -N -S -T= -t= -w= -Q= -4 -6 -x -r -l= -k -K -m -p -H -L -np -nc -nd -nH -A= -R= -D= \
        -I= -X= -U= -e% -b -O> -o> -a> -i< -P> -B= --output-document> --output-file> --append-output> \
        --input-file< --directory-prefix> --quiet --verbose --no-verbose --continue --timestamping \
        --server-response --spider --timeout= --tries= --wait= --header= --user-agent= --post-data= \
        --post-file< --method= --body-data= --body-file< --no-check-certificate --ca-certificate< \
        --certificate< --private-key< --save-cookies> --load-cookies< --recursive --level= --mirror \
        --page-requisites --no-parent --accept= --reject= --no-clobber --content-disposition \
        --trust-server-names --max-redirect= --user= --password= --http-user= --http-password= --limit-rate= \
        --progress= --show-progress --execute% --use-askpass% --config< --warc-file> --background --referer= \
        --inet4-only --inet6-only --no-hsts --hsts-file> --delete-after --convert-links --adjust-extension \
        --span-hosts --domains=",
    operands: Operands::Text,
    ..Program::CHANGER
};
