#!/usr/bin/env python3
"""Transcodes seconds FIRST to LAST of a video with one ffmpeg, into a file per second; stops early when asked.

Usage: ffmpeg-range.py SOURCE FOLDER FIRST LAST"""
import os
import select
import signal
import subprocess
import sys
import tempfile

source, folder, item, last = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
progress, control = (int(os.environ[name]) for name in ("EVENKEEL_PROGRESS", "EVENKEEL_CONTROL"))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # removes the unfinished files
# Another node may run the same seconds: both write files of their own, and rename those that are complete.
with tempfile.TemporaryDirectory(dir=folder) as unfinished:
    ffmpeg = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-nostdin", "-ss", str(item), "-threads", "1", "-i", source, "-t", str(last - item + 1),
         "-map", "0:v:0", "-c:v", "libx264", "-preset", "slow", "-threads", "1",
         "-force_key_frames", "expr:gte(t,n_forced)",  # a file can start only with a key frame
         "-f", "segment", "-segment_time", "1", "-segment_start_number", str(item), "-segment_list", "pipe:1",
         "-segment_list_type", "flat", f"{unfinished}/%06d.ts"], stdout=subprocess.PIPE, text=True)
    try:
        for name in ffmpeg.stdout:  # the next file is complete
            name = name.strip()
            os.rename(f"{unfinished}/{name}", f"{folder}/{name}")
            os.write(progress, b"done %d\n" % item)
            if select.select([control], [], [], 0)[0]:
                for line in os.read(control, 4096).splitlines():
                    last = int(line.split()[1])
            item += 1
            if item > last:
                break
    finally:
        ffmpeg.kill()
        ffmpeg.wait()
if item <= last:
    sys.exit(f"ffmpeg ended before second {item}")
