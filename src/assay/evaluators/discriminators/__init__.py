"""Discriminators: classifiers that tell human texts from generated ones."""
