#!/bin/sh
# The tests of databases as search services start a PostgreSQL of their own. Where none can be installed they are skipped.
if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq postgresql >/dev/null || echo "leadline: postgresql could not be installed" >&2
else
  echo "leadline: no PostgreSQL; the tests that need it are skipped (Debian's package is called postgresql)" >&2
fi
