#!/bin/sh
# Debian ships Python without venv; put it there where that is possible, and say so where it is not.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq python3-venv
else
  echo "leadline: this Python lacks venv; install the package python3-venv" >&2
  exit 1
fi
