#!/bin/sh
# The tests of other search services start a Groonga, a Sphinx and a MariaDB of their own. Where one cannot be installed its
# tests are skipped, and say so.
missing=
command -v groonga >/dev/null || missing="$missing groonga-bin"
command -v searchd >/dev/null || missing="$missing sphinxsearch"
command -v mariadbd >/dev/null || [ -x /usr/sbin/mariadbd ] || missing="$missing mariadb-server-core mariadb-client-core"
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && for package in $missing; do
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "leadline: $package could not be installed" >&2
  done
else
  echo "leadline: the tests that need these packages of Debian are skipped:$missing" >&2
fi
