"""Amounts are written the way people read them."""

import unittest

from shop.money import format_cents, percent_of


class MoneyTest(unittest.TestCase):
    def test_thousands_are_grouped(self):
        self.assertEqual(format_cents(123456), "1,234.56")

    def test_negative_amounts_keep_their_sign(self):
        self.assertEqual(format_cents(-5), "-0.05")

    def test_shares_are_rounded_down(self):
        self.assertEqual(percent_of(199, 10), 19)
