#!/bin/sh
# The tests of the crawler visit the documentation of PostgreSQL 15, as Debian packages it: 1,167 pages of HTML.
# It is unpacked to build/postgresql-doc (or the folder given) and not installed. Where it cannot be had, the tests that
# need it are skipped, and say so.
set -e
folder=${1:-build/postgresql-doc}
if [ -d "$folder/usr/share/doc/postgresql-doc-15/html" ] || [ -d /usr/share/doc/postgresql-doc-15/html ]; then exit 0; fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  echo "leadline: no apt-get; the tests that need postgresql-doc-15 are skipped" >&2
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fetch() { (cd "$work" && apt-get download -qq postgresql-doc-15 2>/dev/null); }
if fetch || { [ "$(id -u)" = 0 ] && apt-get update -qq 2>/dev/null && fetch; }; then
  mkdir -p "$folder"
  dpkg-deb -x "$work"/postgresql-doc-15_*.deb "$folder"
else
  echo "leadline: postgresql-doc-15 could not be downloaded; the tests that need it are skipped" >&2
fi
