#!/bin/sh
# The tests of the report open it in a real browser. Where none can be installed they are skipped, and say so.
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq chromium >/dev/null || echo "leadline: chromium could not be installed" >&2
else
  echo "leadline: no chromium; the tests that need it are skipped (Debian's package is called chromium)" >&2
fi
