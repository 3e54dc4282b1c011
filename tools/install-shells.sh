#!/bin/sh
# The tests of completion use bash, zsh and fish. Where one cannot be installed its test is skipped, and says so.
missing=
for name in bash zsh fish; do
  command -v "$name" >/dev/null || missing="$missing $name"
done
if [ -z "$missing" ]; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && for package in $missing; do
    apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "leadline: $package could not be installed" >&2
  done
else
  echo "leadline: the tests that need these packages of Debian are skipped:$missing" >&2
fi
