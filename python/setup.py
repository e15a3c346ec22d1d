# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say: the native module, and that one wheel serves all Pythons."""
from setuptools import setup

setup(
    cffi_modules=["native/build.py:ffi"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
