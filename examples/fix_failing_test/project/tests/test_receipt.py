"""A receipt shows every line and the sum."""

import unittest

from shop.cart import Cart
from shop.receipt import receipt


class ReceiptTest(unittest.TestCase):
    def test_the_discount_is_a_line_of_its_own(self):
        cart = Cart()
        cart.add("lamp", 6000)
        self.assertEqual(
            receipt(cart).splitlines(),
            [
                "1 x lamp                   60.00",
                "Discount                   -6.00",
                "Total                      54.00",
            ],
        )

    def test_without_a_discount_there_is_no_such_line(self):
        cart = Cart()
        cart.add("pen", 150, 2)
        self.assertNotIn("Discount", receipt(cart))
