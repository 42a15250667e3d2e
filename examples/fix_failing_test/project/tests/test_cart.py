"""A cart adds up what is in it."""

import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def test_an_empty_cart_costs_nothing(self):
        self.assertEqual(Cart().subtotal(), 0)

    def test_counts_are_multiplied(self):
        cart = Cart()
        cart.add("pen", 150, 4)
        cart.add("book", 1200)
        self.assertEqual(cart.subtotal(), 1800)

    def test_a_count_of_zero_is_refused(self):
        with self.assertRaises(ValueError):
            Cart().add("pen", 150, 0)
