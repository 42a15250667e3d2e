#!/bin/sh
# Blocks what mentions production, as many people's first hook does.
if grep -q production; then
  echo "hands off production" >&2
  exit 2
fi
