"""Carts, discounts and receipts of a small shop."""
