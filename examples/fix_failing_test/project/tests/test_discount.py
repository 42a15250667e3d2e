"""The discount starts at its threshold."""

import unittest

from shop.discount import THRESHOLD, discount_for


class DiscountTest(unittest.TestCase):
    def test_small_carts_get_none(self):
        self.assertEqual(discount_for(THRESHOLD - 1), 0)

    def test_the_threshold_itself_counts(self):
        self.assertEqual(discount_for(THRESHOLD), 500)

    def test_large_carts_get_ten_percent(self):
        self.assertEqual(discount_for(20000), 2000)
