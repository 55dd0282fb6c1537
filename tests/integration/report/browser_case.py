"""One headless Chromium and one folder for all tests of a class. EVENKEEL_CHROMIUM names the browser; ctest
sets it."""

import os
import tempfile
import unittest

from browser import Browser

CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]


class BrowserCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.TemporaryDirectory(prefix="evenkeel-pages-")
        cls.browser = Browser(CHROMIUM)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.root.cleanup()
