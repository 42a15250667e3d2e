"""What is taken off a cart."""

from shop.money import percent_of

# Who buys for at least 50.00 pays 10 percent less.
THRESHOLD = 5000
PERCENT = 10


def discount_for(subtotal):
    """The discount in cents for a subtotal in cents."""
    if subtotal > THRESHOLD:
        return percent_of(subtotal, PERCENT)
    return 0
