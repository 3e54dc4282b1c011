#!/bin/sh
# The tests of the report open it in a real browser. Where none can be installed they are skipped, and say so.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq chromium >/dev/null || echo "leadline: chromium could not be installed" >&2
else
  echo "leadline: no chromium; the tests that need it are skipped (Debian's package is called chromium)" >&2
fi
