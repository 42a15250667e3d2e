"""What a customer wants to buy."""


class Cart:
    """Items with their price in cents and how many of each."""

    def __init__(self):
        self._lines = []

    def add(self, name, price, count=1):
        """Adds `count` items of one kind."""
        if price < 0:
            raise ValueError(f"price of {name} must not be negative")
        if count < 1:
            raise ValueError(f"count of {name} must be at least 1")
        self._lines.append((name, price, count))

    def lines(self):
        """All lines in the order in which they were added."""
        return list(self._lines)

    def subtotal(self):
        """The sum before any discount."""
        return sum(price * count for _, price, count in self._lines)
