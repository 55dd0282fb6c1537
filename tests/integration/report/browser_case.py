"""One headless Chromium for all tests of a class, and one folder. EVENKEEL_CHROMIUM names the browser; ctest sets it."""

import os
import tempfile
import unittest

from browser import Browser

CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]


class WithBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser(CHROMIUM)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        super().tearDownClass()


class BrowserCase(WithBrowser):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.TemporaryDirectory(prefix="evenkeel-pages-")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.root.cleanup()
