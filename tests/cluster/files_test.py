"""Files of tasks on a cluster whose nodes share no storage: claims that one node alone can mount."""

import json
import random
import re

import yaml

import cluster_case
import command_images
import faults
import jobs
import kube
import machine

EXAMPLE = machine.ROOT / "examples" / "cluster" / "thumbnails.yaml"
WIDTH, HEIGHT = 256, 192  # of a picture


def picture(index):
    """A picture of points that look random."""
    points = random.Random(index).randbytes(WIDTH * HEIGHT)
    return f"P5 {WIDTH} {HEIGHT} 255\n".encode() + points


def thumbnail(of):
    """The thumbnail that `commands shrink` makes of a picture."""
    points = of[-WIDTH * HEIGHT:]
    means = bytearray()
    for y in range(0, HEIGHT, 4):
        for x in range(0, WIDTH, 4):
            rows = (points[(y + dy) * WIDTH + x:(y + dy) * WIDTH + x + 4] for dy in range(4))
            means.append(sum(map(sum, rows)) // 16)
    return f"P5 {WIDTH // 4} {HEIGHT // 4} 255\n".encode() + means


class FilesCase(cluster_case.ClusterTest):
    @classmethod
    def setUpClass(cls):
        cls.images = command_images.provide()

    def fill_inputs(self, count, common_bytes=1 << 20):
        """A claim with pictures and a file that all tasks need."""
        volume = self.claim_new_volume("pictures", "pi4-b")
        folder = kube.place("STATE") / "volumes" / volume
        (folder / "album").mkdir()
        for index in range(count):
            (folder / "album" / f"{index} of {count}.pgm").write_bytes(picture(index))
        (folder / "common.bin").write_bytes(random.Random(0).randbytes(common_bytes))
        (folder / "names.txt").write_text(
            "".join(f"album/{index} of {count}.pgm\n" for index in range(count)))
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        return folder

    def start(self, milliseconds=100, user=None, results=False, outputs=(), name=None, cache=None,
              file_storage_limit=None, **sections):
        """The documented example, with a program and common files of ours. Tasks of another `user` than that
        of the workers get links to files of their caches. `cache`: the claim for these."""
        manifest = yaml.safe_load(EXAMPLE.read_text())
        manifest["metadata"]["name"] = name or manifest["metadata"]["name"]
        spec = manifest["spec"]
        command = spec["workload"]["command"]
        command["image"] = self.images["numbered"]
        command["command"] = ["/commands", "shrink", *command["command"][1:], str(milliseconds)]
        command["inputs"].append("common.*")
        command["outputs"].extend(outputs)
        spec["worker"] = {"resources": {"requests": {"cpu": "20m", "memory": "16Mi"}}}
        if cache:
            spec["worker"]["fileCacheClaim"] = cache
        if file_storage_limit:
            spec["worker"]["fileStorageLimit"] = file_storage_limit
        if user:
            spec["worker"]["template"] = {"securityContext": {"runAsUser": user}}
        if not results:
            del spec["resultStorage"]
        return self.submit({**manifest, "spec": {**spec, **sections}})

    def claim_results(self, mebibytes=None):
        return kube.place("STATE") / "volumes" / self.claim_new_volume("thumbnails", "pi4-b", mebibytes)

    def claim_caches(self, *nodes, **options):
        """A claim for each node; their folders."""
        return [kube.place("STATE") / "volumes" / self.claim_new_volume(f"files-{node}", node, **options)
                for node in nodes]

    def check_thumbnails(self, folder, indexes):
        """The folder has exactly the thumbnails of these pictures."""
        self.assertEqual({str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()},
                         {f"{index}/thumbnail.jpg" for index in indexes})
        wrong = [index for index in indexes
                 if (folder / str(index) / "thumbnail.jpg").read_bytes() != thumbnail(picture(index))]
        self.assertEqual(wrong, [])

    def files_of(self, job, results):
        return results / f"{job.name}-{job.get()['metadata']['uid'][:8]}" / "files"


class ThumbnailsTest(FilesCase):
    beside = True

    def test_claims_of_one_node(self):
        self.fill_inputs(300)
        results = self.claim_results()
        job = self.start(user=1000, results=True)
        job.wait_part(0.1, 120)
        for name, pod in job.workers().items():
            with self.subTest(node=name):
                self.assertFalse([volume for volume in pod["spec"]["volumes"]
                                  if "persistentVolumeClaim" in volume])
        job.wait_complete(240)
        status = job.status()
        self.assertEqual((status["tasks"]["completed"], status["tasks"].get("failed", 0)), (300, 0))
        self.check_thumbnails(self.files_of(job, results), range(300))
        nodes = {row["node"] for row in self.rows(job)}
        self.assertEqual(nodes, set(cluster_case.NODES))

    def rows(self, job):
        folder = cluster_case.folder_of(self)
        self.assertIn("results.jsonl", job.fetch_results(folder))
        return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]

    def test_killed_programs(self):
        self.fill_inputs(200)
        results = self.claim_results()
        job = self.start(milliseconds=500, results=True)
        job.wait_part(0.1, 120)
        faults.kill_process(job.coordinator(), "evenkeel-coordinator")
        job.wait_part(0.4, 120)
        worker = next(iter(job.workers().values()))
        faults.kill_process(worker, "evenkeel-worker")
        job.wait_complete(240)
        self.assertEqual(job.status()["tasks"].get("failed", 0), 0)
        self.check_thumbnails(self.files_of(job, results), range(200))

    def test_a_missing_picture_fails_its_task_alone(self):
        folder = self.fill_inputs(6)
        (folder / "album" / "3 of 6.pgm").unlink()
        job = self.start(taskPolicy={"maxFailedTasks": 1, "backoffLimitPerTask": 0})
        job.wait_complete(120)
        rows = self.rows(job)
        self.assertEqual([row["status"] for row in rows],
                         ["succeeded"] * 3 + ["failed"] + ["succeeded"] * 2)
        self.assertEqual(rows[3]["reason"], "input album/3 of 6.pgm: there is no such file")
        fetched = cluster_case.folder_of(self)
        job.fetch_files(fetched)
        self.check_thumbnails(fetched, (0, 1, 2, 4, 5))

    def test_an_output_that_is_not_written_fails_its_task(self):
        self.fill_inputs(3)
        job = self.start(outputs=["other.pgm"], taskPolicy={"backoffLimitPerTask": 0})
        thing = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True", 120,
                          "it has failed")
        self.assertIn("output other.pgm was not written", jobs.condition(thing, "Failed")["message"])


class CacheTest(FilesCase):
    """Caches in claims outlive the job."""

    beside = True

    def test_a_missing_claim(self):
        """The job goes on without the node, and says why."""
        self.fill_inputs(40)
        self.claim_caches("pi4-a", "pi4-b")
        job = self.start(1000, cache="files-{node}")
        missing = 'persistentvolumeclaim "files-pi3" not found'
        job.until(lambda thing: missing in jobs.condition(thing, "Progressing").get("message", ""), 120,
                  "the claim is named")
        job.wait_complete(240)
        self.assertEqual(job.status()["tasks"]["completed"], 40)


class FullTest(FilesCase):
    """Claims and caches that are full. Run by hand, because each takes a while."""

    def test_a_full_claim(self):
        self.fill_inputs(200)
        results = self.claim_results(mebibytes=32)
        job = self.start(results=True)
        job.wait_part(0.1, 120)
        filler = results / "filler"
        with filler.open("wb", buffering=0) as file, self.assertRaisesRegex(OSError, "No space left"):
            while True:
                file.write(bytes(4096))
        thing = job.until(lambda thing: jobs.condition(thing, "Progressing").get("reason") == "StorageFull", 120,
                          "it says that the claim is full")
        self.assertIn("the job goes on when there is room", jobs.condition(thing, "Progressing")["message"])
        completed = job.status()["tasks"]["completed"]
        self.assertLess(completed, 200)
        filler.unlink()
        job.wait_complete(240)
        self.assertEqual(job.status()["tasks"].get("failed", 0), 0)
        self.check_thumbnails(self.files_of(job, results), range(200))

    def test_a_full_cache(self):
        """The cache of each node has room for the common file and a few pictures of many."""
        self.fill_inputs(100, common_bytes=4 << 20)
        results = self.claim_results()
        limit = 2 * ((8 << 20) + 8 * WIDTH * HEIGHT)  # half of it is the cache, the rest is for the tasks
        job = self.start(results=True, file_storage_limit=limit)
        job.wait_complete(240)
        self.assertEqual(job.status()["tasks"].get("failed", 0), 0)
        self.check_thumbnails(self.files_of(job, results), range(100))

    def test_a_small_claim(self):
        """Files that do not fit into it are cached in the pod."""
        self.fill_inputs(20, 12 << 20)
        self.claim_caches("pi4-b", mebibytes=8)
        job = self.start(1000, cache="files-{node}", nodes={"selector": {"matchLabels": {
            "kubernetes.io/hostname": "pi4-b"}}})
        job.wait_part(0.1, 120)
        [worker] = job.workers().values()
        self.assertIn("No space left on device; from now on, input files are cached in",
                      kube.logs(worker["metadata"]["name"], self.namespace, "-c", "worker"))
        job.wait_complete(240)


class LargeFileTest(FilesCase):
    """Alone, because it measures what is sent and takes some minutes."""

    def sent_bytes(self, job):
        """The number of bytes that the coordinator has sent to its workers."""
        text = jobs.coordinator_metrics(job.coordinator()["status"]["podIP"])
        found = re.search(r'^evenkeel_transfer_bytes_total\{.*direction="sent".*\} (\S+)$', text, re.M)
        return float(found[1])

    def run_on_all_nodes(self, name):
        """A job of three tasks for each node, of which each needs all common files."""
        job = self.start(0, name=name, cache="files-{node}", balancing={"strategy": "DomainDecomposition"})
        job.wait_complete(600)
        self.assertEqual(job.status()["tasks"]["completed"], 9)
        return self.sent_bytes(job)

    def test_caches_of_nodes(self):
        """A file that all three nodes need leaves the coordinator once, for both jobs together."""
        common = 200 << 20
        self.fill_inputs(9, common)
        caches = self.claim_caches(*cluster_case.NODES)
        sent = self.run_on_all_nodes("first")
        self.assertGreaterEqual(sent, common)
        self.assertLess(sent, 1.25 * common)  # a chunk that a slow board gets late is sent again
        for cache in caches:
            self.assertIn(common, [path.stat().st_size for path in cache.rglob("*") if path.is_file()])
        self.assertLess(self.run_on_all_nodes("second"), 0.01 * common)


class CableTest(FilesCase):
    """Alone, because other jobs would lose the node, too."""

    def test_a_pulled_cable(self):
        self.fill_inputs(200)
        results = self.claim_results()
        job = self.start(milliseconds=500, results=True)
        job.wait_part(0.1, 120)
        home = job.coordinator()["spec"]["nodeName"]
        away = next(node for node in sorted(job.workers()) if node != home)
        with faults.pulled_cable(away):
            job.wait_part(0.5, 180)
        job.wait_complete(300)
        self.assertEqual(job.status()["tasks"].get("failed", 0), 0)
        self.check_thumbnails(self.files_of(job, results), range(200))


if __name__ == "__main__":
    cluster_case.main()
