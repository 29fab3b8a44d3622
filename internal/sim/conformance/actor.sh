#!/bin/sh

# Copyright The kgrace Authors.
# SPDX-License-Identifier: Apache-2.0

# The actor of the sequences (package actor), for an image that has only sh and sleep. The arguments are the actor's own. Durations
# are whole seconds, such as 3s.

seconds() {
  case $1 in
    '' | s | *[!0-9s]* | *s?*) exit 2 ;;
  esac
  echo "${1%s}"
}

verb=$1
shift
stubborn='' afterterm=0s after='' for=0s code=0 message=''
case $verb in
  hook) word=HOOK ;;
  *) word=MARK ;;
esac
while [ $# -gt 0 ]; do
  case $1 in
    --stubborn) stubborn=yes ;;
    --exit-on-term) ;;
    --exit-after-term) afterterm=$2 && shift ;;
    --exit-after) after=$2 && shift ;;
    --exit-code) code=$2 && shift ;;
    --for) for=$2 && shift ;;
    --word) word=$2 && shift ;;
    --message) message=$2 && shift ;;
    *) exit 2 ;;
  esac
  shift
done

case $verb in
  run)
    why='by itself' terms=0
    end() {
      echo "EXIT code $code, $why, signals $terms"
      exit "$code"
    }
    # later ends this process after some seconds.
    later() {
      if [ "$1" -eq 0 ]; then
        end
      fi
      (sleep "$1" && kill -USR1 "$$") &
    }
    term() {
      terms=$((terms + 1))
      echo "TERM $terms"
      if [ "$terms" -eq 1 ] && [ -z "$stubborn" ]; then
        why='on TERM'
        later "$(seconds "$afterterm")"
      fi
    }
    trap end USR1
    trap term TERM
    echo "START pid $$"
    if [ -n "$after" ]; then
      later "$(seconds "$after")"
    fi
    while :; do
      sleep 3600 &
      wait $!
    done
    ;;
  hook)
    # The container's own output; the sleep keeps no output of this process open.
    if [ "$for" = forever ]; then
      echo "$word-START for $for" >/proc/1/fd/1
      while :; do
        sleep 3600 >/dev/null 2>&1
      done
    fi
    n=$(seconds "$for") || exit 2
    echo "$word-START for $for" >/proc/1/fd/1
    sleep "$n" >/dev/null 2>&1
    echo "$word-END" >/proc/1/fd/1
    exit "$code"
    ;;
  mark)
    echo "$word $message" >/proc/1/fd/1
    exit "$code"
    ;;
  *)
    exit 2
    ;;
esac
