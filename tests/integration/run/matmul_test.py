"""Products of matrices: right for every shape, the same whatever ran them, and refused before it
starts where they cannot be made. NumPy is the reference."""

import os
import signal
import zlib

import evenkeel
import numpy
from evenkeel import RunTest, job, node, nodes

THREE = nodes(node("alpha", 0.4), node("beta", 0.3), node("gamma", 0.1))
ONE = nodes(node("only", 0.5))


def random(rows, columns, seed):
    return {"random": {"rows": rows, "columns": columns, "seed": seed}}


def drawn(rows, columns, seed, dtype):
    """Returns the matrix of `random` as docs/matmul.md defines it."""
    with numpy.errstate(over="ignore"):
        index = numpy.arange(1, rows * columns + 1, dtype=numpy.uint64)
        word = numpy.uint64(seed) + numpy.uint64(0x9E3779B97F4A7C15) * index
        word = (word ^ (word >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        word ^= word >> numpy.uint64(31)
    bits = {"float32": 24, "float64": 53, "int32": 11, "int64": 21}[numpy.dtype(dtype).name]
    upper = (word >> numpy.uint64(64 - bits)).astype(numpy.int64) - (1 << (bits - 1))
    whole = numpy.issubdtype(dtype, numpy.integer)
    return (upper if whole else upper / (1 << (bits - 1))).astype(dtype).reshape(rows, columns)


class ProductCase(RunTest):
    def save(self, name, array):
        numpy.save(self.folder / name, array)
        return {"file": name}

    def product(self):
        return numpy.load(self.output / "c.npy")

    def run_product(self, name, parameters, node_list=None, **sections):
        self.output = self.folder / name
        self.run_to_end(self.command(job("product", {"matmul": parameters}, **sections), node_list),
                        patience=300)
        product = self.product()
        result = self.summary()["result"]
        self.assertEqual(result["checksum"], f"{zlib.crc32(product.tobytes()):08x}")
        self.assertEqual([result["rows"], result["columns"]], list(product.shape))
        return product

    def check(self, product, a, b):
        """|C - A B| is at most what rounding may do: gamma_k |A| |B| and what NumPy rounds itself."""
        self.assertEqual(product.dtype, a.dtype)
        exact_a, exact_b = a.astype(numpy.longdouble), b.astype(numpy.longdouble)
        unit = numpy.finfo(a.dtype).eps / 2
        depth = a.shape[1]
        gamma = depth * unit / (1 - depth * unit)
        bound = gamma * (abs(exact_a) @ abs(exact_b))
        difference = abs(product - exact_a @ exact_b)
        self.assertTrue((difference <= bound * (1 + 1e-9) + 1e-300).all(), difference.max())


class WholeNumbersTest(ProductCase):
    """Products of whole numbers are those of NumPy to the bit, overflow included."""

    def check_same(self, product, a, b):
        self.assertEqual(product.dtype, a.dtype)
        self.assertTrue((product == a @ b).all())

    def test_files_of_odd_shapes_and_any_size_of_numbers(self):
        generator = numpy.random.default_rng(5)
        shapes = [(1, 1, 1), (1, 500, 1), (1, 3, 701), (701, 1, 3), (127, 131, 137), (68, 300, 80)]
        for dtype in (numpy.int32, numpy.int64):
            limits = numpy.iinfo(dtype)
            for number, (rows, depth, columns) in enumerate(shapes):
                with self.subTest(shape=(rows, depth, columns), dtype=dtype):
                    a, b = (generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
                            for shape in ((rows, depth), (depth, columns)))
                    parameters = {"a": self.save("a.npy", a), "b": self.save("b.npy", b)}
                    if number % 2:
                        parameters["tile"] = {"rows": 100, "columns": 33, "depth": 57}
                    self.check_same(self.run_product(f"{number}{a.dtype}", parameters, ONE), a, b)
                    self.assertEqual(self.summary()["result"]["freivalds"], "passed")

    def test_random_matrices_are_those_of_the_documentation(self):
        for name, dtype in (("Int32", numpy.int32), ("Int64", numpy.int64)):
            parameters = {"a": random(150, 211, 3), "b": random(211, 97, 4), "type": name}
            product = self.run_product(name, parameters)
            self.check_same(product, drawn(150, 211, 3, dtype), drawn(211, 97, 4, dtype))
            self.assertEqual(self.summary()["result"]["type"], name)

    def test_by_rows_and_in_rounds(self):
        generator = numpy.random.default_rng(9)
        a, b = (generator.integers(-1000, 1000, shape, numpy.int32)
                for shape in ((403, 210), (210, 190)))
        parameters = {"a": self.save("a.npy", a), "b": self.save("b.npy", b),
                      "aggregation": {"pattern": "ByRows", "block": 2}}
        for strategy in ("TailStealing", "AdaptiveIterative"):
            with self.subTest(strategy=strategy):
                product = self.run_product(strategy, parameters, THREE,
                                           balancing={"strategy": strategy})
                self.check_same(product, a, b)
                self.assertEqual(self.summary()["tasks"]["total"], 202)
                self.assertEqual(self.summary()["result"]["tile"],
                                 {"rows": 2, "columns": 190, "depth": 210})


class MatmulTest(ProductCase):
    def test_files_of_odd_shapes_and_both_precisions(self):
        generator = numpy.random.default_rng(7)
        shapes = [(1, 1, 1), (1, 500, 1), (1, 3, 701), (701, 1, 3), (127, 131, 137), (2, 1009, 3),
                  (300, 64, 257)]
        for dtype in (numpy.float32, numpy.float64):
            for number, (rows, depth, columns) in enumerate(shapes):
                with self.subTest(shape=(rows, depth, columns), dtype=dtype):
                    a = generator.standard_normal((rows, depth)).astype(dtype)
                    b = generator.standard_normal((depth, columns)).astype(dtype)
                    parameters = {"a": self.save("a.npy", a), "b": self.save("b.npy", b)}
                    if number % 2:
                        parameters["tile"] = {"rows": 100, "columns": 33, "depth": 57}
                    product = self.run_product(f"{number}{a.dtype}", parameters, ONE)
                    self.check(product, a, b)

    def test_random_matrices_are_those_of_the_documentation(self):
        for name, dtype in (("Float32", numpy.float32), ("Float64", numpy.float64)):
            parameters = {"a": random(150, 211, 3), "b": random(211, 97, 2**63 - 1), "type": name}
            product = self.run_product(name, parameters)
            self.check(product, drawn(150, 211, 3, dtype), drawn(211, 97, 2**63 - 1, dtype))

    def test_product_is_an_input_of_a_later_job(self):
        first = self.run_product("first", {"a": random(60, 50, 1), "b": random(50, 40, 2)})
        second = self.run_product("second", {"a": {"file": "first/c.npy"}, "b": random(40, 30, 3)})
        self.check(second, first, drawn(40, 30, 3, numpy.float64))

    def test_product_is_the_same_with_one_worker_and_three_and_after_a_kill(self):
        generator = numpy.random.default_rng(11)
        a = generator.standard_normal((1500, 1700))
        b = generator.standard_normal((1700, 1300))
        parameters = {"a": self.save("a.npy", a), "b": self.save("b.npy", b),
                      "tile": {"rows": 100, "columns": 100}}
        alone = self.run_product("alone", parameters)
        self.check(alone[:50], a[:50], b)
        self.assertLess(self.summary()["bytesSent"], a.nbytes / 100, "the worker reads the files")
        self.assertTrue((self.run_product("three", parameters, THREE) == alone).all())
        self.assertGreater(self.summary()["bytesSent"], a.nbytes + b.nbytes, "emulated nodes have blocks sent")
        self.assertTrue(all(node["fetchedBytes"] > 0 for node in self.summary()["nodes"]))
        between = dict(parameters, transfer={"betweenWorkers": "Disabled", "window": 2, "refreshAt": 0})
        self.assertTrue((self.run_product("central", between, THREE) == alone).all())

        slow = nodes(node("alpha", 0.1), node("beta", 0.1), node("gamma", 0.05))
        self.output = self.folder / "killed"
        process = self.start(self.command(
            job("killed", {"matmul": parameters}, balancing={"leaseSeconds": 1}), slow))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 20)
        os.kill(workers["alpha"], signal.SIGKILL)
        self.assertEqual(process.wait(300), 0, process.err)
        self.assertIn("worker alpha was killed", process.err)
        self.check_covered_once(self.summary()["tasks"]["total"])
        self.assertTrue((self.product() == alone).all())

    def test_files_that_change_between_two_starts_are_refused(self):
        a = numpy.ones((400, 3000))
        parameters = {"a": self.save("a.npy", a), "b": random(3000, 400, 1),
                      "tile": {"rows": 20, "columns": 20}}
        command = self.command(job("changed", {"matmul": parameters}), nodes(node("only", 0.05)))
        process = self.start(command)
        self.wait_for_workers(process, 1)
        self.wait_for_tasks(process, 3)
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(30), 130, process.err)
        self.save("a.npy", a * 2)
        again = self.run_to_end(command, 2)
        self.assertEqual(len(again.err.splitlines()), 1, again.err)
        self.assertIn("input", again.err)

    def test_partial_sums_are_added_in_one_order(self):
        parameters = {"a": random(90, 4000, 1), "b": random(4000, 80, 2), "type": "Float32",
                      "tile": {"rows": 50, "columns": 40, "depth": 300}}
        alone = self.run_product("alone", parameters, ONE)
        self.check(alone, drawn(90, 4000, 1, numpy.float32), drawn(4000, 80, 2, numpy.float32))
        self.assertTrue((self.run_product("three", parameters, THREE) == alone).all())
        self.assertFalse((self.output / "c.npy.parts.partial").exists())


class TrafficTest(ProductCase):
    """The ratios of sent to returned bytes in Melesio (2024), table 4.4."""

    def ratio(self, pattern, factor):
        size, block = 768, 48
        generator = numpy.random.default_rng(3)
        a, b = (generator.standard_normal((size, size)).astype(numpy.float32) for _ in range(2))
        parameters = {"a": self.save("a.npy", a), "b": self.save("b.npy", b),
                      "aggregation": {"pattern": pattern, "block": block, "factor": factor},
                      "transfer": {"betweenWorkers": "Disabled"}}
        product = self.run_product(f"{pattern}{factor}", parameters, ONE,
                                   balancing={"tailStealing": {"speculation": "Disabled"}})
        self.check(product[:20], a[:20], b)
        summary = self.summary()
        results = size * size * 4 * -(-size // (block * (1 if pattern == "None" else factor)))
        self.assertLess(abs(summary["bytesReceived"] / results - 1), 0.1, summary)
        return summary["bytesSent"] / summary["bytesReceived"]

    def test_ratios_of_the_patterns(self):
        for pattern, factor, want in (("None", 1, 2), ("Row", 4, 4), ("Row", 8, 8),
                                      ("Square", 4, 2), ("Square", 8, 2)):
            with self.subTest(pattern=pattern, factor=factor):
                self.assertLess(abs(self.ratio(pattern, factor) / want - 1), 0.1, self.summary())


class BadProductTest(ProductCase):
    def check_refused(self, parameters, *parts):
        self.output = self.folder / "refused"
        process = self.run_to_end(self.command(job("bad", {"matmul": parameters})), 2)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        for part in parts:
            self.assertIn("spec.workload.matmul." + part if part is parts[0] else part, process.err)
        self.assertFalse(self.output.exists())

    def test_bad_input_is_one_line(self):
        good = random(4, 5, 1)
        (self.folder / "text.npy").write_text("this is no array at all")
        cut = self.folder / "cut.npy"
        numpy.save(cut, numpy.zeros((8, 8)))
        cut.write_bytes(cut.read_bytes()[:-8])
        fortran = self.save("fortran.npy", numpy.asfortranarray(numpy.ones((4, 5))))
        arrays = {"vector": numpy.ones(5), "cube": numpy.ones((2, 2, 2)), "empty": numpy.ones((0, 5)),
                  "short": numpy.ones((4, 5), numpy.int16), "whole": numpy.ones((4, 5), int), "other": numpy.ones((4, 5), ">f8"),
                  "single": numpy.ones((5, 4), numpy.float32), "double": numpy.ones((4, 5))}
        files = {name: self.save(name + ".npy", array) for name, array in arrays.items()}
        second = random(5, 4, 1)
        big = random(400_000, 400_000, 1)
        for parameters, *parts in (
            ({"a": good}, "b: is missing"),
            ({"a": good, "b": random(4, 4, 1)}, "b: must have as many rows as a has columns, 5, has 4"),
            ({"a": {}, "b": second}, "a: must have exactly one of file, random"),
            ({"a": dict(good, file="x"), "b": second}, "a: must have exactly one"),
            ({"a": random(0, 5, 1), "b": second}, "a.random.rows: must be a whole number from 1"),
            ({"a": random(4, 5, -1), "b": second}, "a.random.seed: must be"),
            ({"a": good, "b": second, "kind": 1}, "kind: ", "unknown"),
            ({"a": good, "b": second, "type": "Int8"}, "type: must be one of Float32, Float64, Int32, Int64"),
            ({"a": {"file": "none.npy"}, "b": second}, "a.file: ", "none.npy", "no such file"),
            ({"a": {"file": "text.npy"}, "b": second}, "a.file: ", "is something else"),
            ({"a": {"file": "cut.npy"}, "b": second}, "a.file: ", "has 504 bytes of elements"),
            ({"a": fortran, "b": second}, "a.file: ", "is in Fortran order"),
            ({"a": files["vector"], "b": second}, "a.file: ", "must have two dimensions"),
            ({"a": files["cube"], "b": second}, "a.file: ", "must have two dimensions"),
            ({"a": files["empty"], "b": second}, "a.file: ", "must not be empty"),
            ({"a": files["short"], "b": second}, "a.file: ", "<i2"),
            ({"a": files["whole"], "b": files["single"]}, "b.file: must have the type of a's elements, Int64"),
            ({"a": random(4, 5, 1), "b": second, "aggregation": {"pattern": "ByRows", "factor": 2}},
             "aggregation.factor: must be left out with the pattern ByRows"),
            ({"a": random(2000, 2000, 1), "b": random(2000, 2000, 1), "memoryPerWorker": "16Mi",
              "aggregation": {"pattern": "ByRows"}}, "aggregation.block: does not fit: all of b and 4"),
            ({"a": files["other"], "b": second}, "a.file: ", ">f8"),
            ({"a": files["double"], "b": files["single"]}, "b.file: must have the type of a's"),
            ({"a": files["double"], "b": second, "type": "Float32"}, "type: must be left out or Float64"),
            ({"a": good, "b": second, "memoryPerWorker": "lots"}, "memoryPerWorker: must be a quantity"),
            ({"a": random(4096, 4096, 1), "b": random(4096, 4096, 1), "memoryPerWorker": "1Mi",
              "tile": {"rows": 512, "columns": 512}}, "tile: do not fit", "memoryPerWorker is 1 MiB"),
            ({"a": big, "b": big, "tile": {"rows": 4096, "columns": 4096}},
             "tile: must be smaller", "bytes"),
            ({"a": big, "b": big, "tile": {"rows": 16, "columns": 16}}, "tile: must be larger", "tasks"),
            ({"a": good, "b": second, "aggregation": {"pattern": "Diagonal"}},
             "aggregation.pattern: must be one of"),
            ({"a": good, "b": second, "aggregation": {"pattern": "Automatic", "block": 64}},
             "aggregation.pattern: must be None"),
            ({"a": good, "b": second, "transfer": {"window": 4, "refreshAt": 4}},
             "transfer.refreshAt: must be less than window"),
        ):
            with self.subTest(parameters=parameters):
                self.check_refused(parameters, *parts)

    def test_product_that_no_disk_holds_is_refused(self):
        self.output = self.folder / "refused"
        matrix = random(1_000_000, 1_000_000, 1)
        parameters = {"a": matrix, "b": matrix, "tile": {"rows": 1000, "columns": 1000}}
        process = self.run_to_end(self.command(job("huge", {"matmul": parameters})), 2)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("spec.workload.matmul: needs 15258789 MiB on the disk", process.err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    evenkeel.main()
