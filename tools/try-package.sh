#!/bin/sh
# Use an installed leadline as a newcomer would: try-package.sh BIN, where BIN is the folder of the environment's programs.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bin=$(cd "$1" && pwd)
cd "$folder"
printf '1 0 a 1\n1 0 b 0\n2 0 c 1\n' >qrels.txt
printf '1 Q0 a 1 9.5 mine\n1 Q0 b 2 8.5 mine\n2 Q0 x 1 7.5 mine\n2 Q0 c 2 6.5 mine\n' >mine.run
"$bin/leadline" --version
"$bin/leadline" measures | grep -q PRES
"$bin/leadline" evaluate qrels.txt mine.run -m 'PRES@100 AP' --format tsv | tee scores.tsv
grep -q 0.75 scores.tsv # AP: the mean of 1 and 1/2
"$bin/leadline" demo -o demo --patents 500 --samples 5 --no-open -q | tail -n 5 # how to go on
test -s demo/report.html
test -s demo/report.true.html
"$bin/leadline" report demo/qrels.citations.txt demo/runs -m PRES@100 --samples 5 -o mine.html -q
"$bin/python" - <<'END'
import leadline

assert leadline.published_scores("trec-chem-2009").runs, "the published tables are missing"
END
