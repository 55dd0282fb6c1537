"""Long: ffmpeg transcodes a video of ten minutes in ranges that can be cut, on nodes of 0.40, 0.40 and 0.09 of a core,
beside the shortest time possible at the rates that each node alone has shown in the same run."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import evenkeel
from evenkeel import RunTest, indexes, job, node, nodes

PROJECT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "bench"))
from cpu_shares import CpuShares, SharesFailed  # noqa: E402

SKIPPED = 77
SPEEDS = {"pi4-a": 0.40, "pi4-b": 0.40, "pi3": 0.09}
VIDEO_SECONDS = int(os.environ.get("EVENKEEL_VIDEO_SECONDS", 600))
FRAMES_PER_SECOND = 25
CORE_SECONDS = min(60, VIDEO_SECONDS)  # transcoded on a node that has all of a core; on others in proportion
MOST_OF_BOUND = 1.06
TRANSCODE = [sys.executable, str(PROJECT / "examples" / "ffmpeg-range.py"), "video.mkv", "parts"]


def unavailable():
    """Why this machine cannot run the test; empty if it can."""
    if not shutil.which("ffmpeg"):
        return "ffmpeg is not installed"
    try:
        with CpuShares({"probe": 0.5}):
            return ""
    except SharesFailed as failed:
        return str(failed)


def share(of, speed):
    """A number of seconds of video in proportion to the speed of a node; at least 2."""
    return max(2, round(of * speed))


class TranscodingTest(RunTest):
    def call(self, *words, **more):
        done = subprocess.run([*map(str, words)], cwd=self.folder, check=False, capture_output=True, text=True, **more)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    def ffmpeg(self, *words):
        self.call("ffmpeg", "-v", "error", "-nostdin", *words)

    def make_video(self):
        """Pictures and a tone. With a key frame per second, a range can start anywhere at the same cost."""
        length = f"duration={VIDEO_SECONDS}"
        self.ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=854x480:rate={FRAMES_PER_SECOND}:{length}",
                    "-f", "lavfi", "-i", f"sine=frequency=440:{length}", "-c:v", "libx264", "-preset", "ultrafast",
                    "-g", FRAMES_PER_SECOND, "-c:a", "aac", "video.mkv")

    def probe(self, video):
        """(number of frames, seconds) of a video; all frames are decoded."""
        found = json.loads(self.call("ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries",
                                     "stream=nb_read_frames:format=duration", "-of", "json", video))
        return int(found["streams"][0]["nb_read_frames"]), float(found["format"]["duration"])

    def seconds_alone(self, shares, name, first, count):
        """Wall time of one run of the command on a node that does nothing else."""
        progress, control = os.open(os.devnull, os.O_WRONLY), os.pipe()
        try:
            begin = time.monotonic()
            self.call(*shares.command(name, *TRANSCODE, first, first + count - 1), pass_fds=(progress, control[0]),
                      env={**os.environ, "EVENKEEL_PROGRESS": str(progress), "EVENKEEL_CONTROL": str(control[0])})
            return time.monotonic() - begin
        finally:
            for descriptor in (progress, *control):
                os.close(descriptor)

    def measure_alone(self, first):
        """By node: (seconds that a start takes, seconds per second of video), from two runs each."""
        times = {}
        parts = self.folder / "parts"
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir()
        with CpuShares(SPEEDS) as shares:
            for name, speed in SPEEDS.items():
                count = share(CORE_SECONDS, speed)
                one = self.seconds_alone(shares, name, first, 1)
                each = (self.seconds_alone(shares, name, first, count) - one) / (count - 1)
                times[name] = (max(0, one - each), each)
        shutil.rmtree(parts)
        return times

    @staticmethod
    def bound(*measured):
        """Seconds that the whole video takes if every node starts once and none waits, by the mean of the measurements."""
        starts, rates = 0, 0
        for name in SPEEDS:
            start, each = (sum(times[name][n] for times in measured) / len(measured) for n in (0, 1))
            starts, rates = starts + start / each, rates + 1 / each
        return (VIDEO_SECONDS + starts) / rates

    def join(self):
        """The parts in their order, with the sound of the source, as docs/commands.md has it."""
        names = sorted(part.name for part in (self.folder / "parts").glob("*.ts"))
        self.assertEqual(names, [f"{second:06d}.ts" for second in range(VIDEO_SECONDS)])
        self.write("parts/list", "".join(f"file '{name}'\n" for name in names))
        self.ffmpeg("-f", "concat", "-i", "parts/list", "-i", "video.mkv", "-map", "0:v", "-map", "1:a", "-c", "copy",
                    "joined.mkv")

    def test_video_of_ten_minutes(self):
        self.make_video()
        before = self.measure_alone(VIDEO_SECONDS // 4)
        (self.folder / "parts").mkdir()
        command = {"command": [*TRANSCODE, "{first}", "{last}"], "range": {"tasks": VIDEO_SECONDS}}
        listed = nodes(*(node(name, speed) for name, speed in SPEEDS.items()))
        self.run_to_end(self.command(job("transcoding", {"command": command}, weighting={"mode": "Equal"}), listed),
                        patience=1200)
        summary = self.summary()
        rows = [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]
        self.join()
        after = self.measure_alone(VIDEO_SECONDS // 2)
        shortest = self.bound(before, after)
        ratio = summary["makespanSeconds"] / shortest
        print(f"\nalone, seconds per start and per second of video: {before}, afterwards {after}\n"
              f"{len(rows)} lines of results, {summary['moves']} moves, {summary['makespanSeconds']:.1f} s, bound "
              f"{shortest:.1f} s ({self.bound(before):.1f} before, {self.bound(after):.1f} after): {ratio:.3f} x bound",
              flush=True)
        self.assertEqual(summary["speedControl"], "cgroup")
        self.assertEqual(indexes((row["first"], row["last"] + 1) for row in rows), list(range(VIDEO_SECONDS)))
        frames, seconds = self.probe("video.mkv")
        self.assertEqual(frames, VIDEO_SECONDS * FRAMES_PER_SECOND)
        joined_frames, joined_seconds = self.probe("joined.mkv")
        self.assertEqual(joined_frames, frames)
        self.assertAlmostEqual(joined_seconds, seconds, delta=1 / FRAMES_PER_SECOND)
        self.assertLessEqual(ratio, MOST_OF_BOUND)


if __name__ == "__main__":
    if reason := unavailable():
        print(reason, file=sys.stderr)
        sys.exit(SKIPPED)
    evenkeel.main()
