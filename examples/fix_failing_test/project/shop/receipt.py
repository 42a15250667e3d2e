"""Receipts as text."""

from shop.discount import discount_for
from shop.money import format_cents

WIDTH = 32


def _row(label, cents):
    amount = format_cents(cents)
    return f"{label:<{WIDTH - len(amount)}}{amount}"


def receipt(cart):
    """The receipt of a cart, one line per kind of item."""
    rows = [_row(f"{count} x {name}", price * count) for name, price, count in cart.lines()]
    subtotal = cart.subtotal()
    discount = discount_for(subtotal)
    if discount:
        rows.append(_row("Discount", -discount))
    rows.append(_row("Total", subtotal - discount))
    return "\n".join(rows)
