#!/bin/sh
# A command that runs a range of items, reports each and stops early when asked.
# In Python: range-python.py; around one run of ffmpeg: ffmpeg-range.py
# Usage: range-shell.sh FIRST LAST
item=$1 last=$2
# A shell would wait for a line in a pipe, but not in a file: cat copies limits to one that has no name.
limits=$(mktemp) && exec 5>"$limits" 6<"$limits" && rm "$limits" || exit
cat <&"$EVENKEEL_CONTROL" >&5 &
while
  while read -r _ limit <&6; do last=$limit; done
  [ "$item" -le "$last" ]
do
  echo "item $item" || exit # the work
  echo "done $item" >&"$EVENKEEL_PROGRESS"
  item=$((item + 1))
done
