"""Amounts of money. Everything is counted in whole cents."""


def format_cents(cents):
    """Writes an amount for people: 123456 becomes 1,234.56."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole:,}.{rest:02d}"


def percent_of(cents, percent):
    """A share of an amount, rounded down to whole cents."""
    return cents * percent // 100
