"""An input file of EVENKEEL_LARGE_FILE_GB (1) GiB: it arrives, and memory does not depend on its size."""

import os
import shutil

import evenkeel
from cluster import ClusterTest
from evenkeel import job

BYTES = int(os.environ.get("EVENKEEL_LARGE_FILE_GB", 1)) << 30
MEMORY_KIB = 96 << 10
SECONDS = 1200


class LargeFileTest(ClusterTest):
    def test_it_arrives_and_memory_stays_small(self):
        room = 2 * BYTES  # the file in the cache, and the copy of the task
        if shutil.disk_usage(self.folder).free < room + (1 << 30):
            self.skipTest(f"{self.folder} has less than {room >> 30} GiB of free space")
        inputs = self.folder / "inputs"
        inputs.mkdir()
        with open(inputs / "large.bin", "wb") as file:
            file.truncate(BYTES)
            file.seek(BYTES // 2)
            file.write(b"middle")
        script = f"stat -c %s large.bin; tail -c +{BYTES // 2 + 1} large.bin | head -c 6"
        self.plan(job("large", {"command": {"command": ["/bin/sh", "-c", f"({script}) > found.txt"], "tasks": 1,
                                            "inputs": ["large.bin"], "outputs": ["found.txt"]}}), ("one", 1))
        coordinator = self.coordinator("--inputs", inputs)
        worker = self.file_worker("one", "--file-cache-bytes", BYTES + (64 << 20))
        peaks = {coordinator: 0, worker: 0}

        def ended():
            for program in peaks:
                peaks[program] = max(peaks[program], self.peak_kib(program.pid))
            return (coordinator.progress() or {}).get("state") in ("Complete", "Failed")
        evenkeel.eventually(ended, "the job has ended", SECONDS)
        coordinator.await_state("Complete")
        self.assertEqual((self.output / "files" / "0" / "found.txt").read_text(), f"{BYTES}\nmiddle")
        for program, name in ((coordinator, "coordinator"), (worker, "worker")):
            self.assertGreater(peaks[program], 0)
            self.assertLess(peaks[program], MEMORY_KIB, name)

    @staticmethod
    def peak_kib(pid):
        """0 for a process that has ended."""
        try:
            with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
        except FileNotFoundError:
            return 0


if __name__ == "__main__":
    evenkeel.main()
