# SPDX-License-Identifier: MIT
"""Describes the native module flakecore._native to CFFI: the core, compiled into it.

The declarations are those of flakecore.h between its two marks; there is no second copy. Paths
count from the folder of pyproject.toml, where setuptools runs this file.
"""
import re
import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent.parent
HEADER = HERE / "core" / "flakecore.h"
OWN_CALLS = """
#define FLAKE_PYTHON_SHORT ...
typedef struct { flake_attempt attempt; int64_t first; int64_t issued; } flake_python_rest;
static int64_t flake_python_next(flake_generator *gen);
static int64_t flake_python_range(flake_generator *gen, int64_t count);
static void flake_python_take(flake_generator *gen, flake_python_rest *rest);
"""


def declarations() -> str:
    """The public interface of the core, as CFFI reads it."""
    if not HEADER.exists():
        sys.exit("flakecore: the sources of the core are not here; in a checkout of the repository "
                 "run ci/stage python first")
    text = HEADER.read_text(encoding="utf-8")
    found = re.search(r"/\* api begin \*/(.*)/\* api end \*/", text, re.S)
    if found is None:
        sys.exit("flakecore: core/flakecore.h does not mark its interface")
    return found[1]


def link_arguments() -> list:
    """Keeps the core's symbols inside the module, where the linker can be told so."""
    return ["-Wl,--version-script=native/exports.map"] if sys.platform == "linux" else []


ffi = FFI()
ffi.cdef(declarations() + OWN_CALLS)
ffi.set_source(
    "flakecore._native",
    '#include "native.h"',
    sources=sorted(f"core/{path.name}" for path in (HERE / "core").glob("*.c")),
    depends=sorted(f"core/{path.name}" for path in (HERE / "core").glob("*.h"))
    + ["native/native.h", "native/exports.map"],
    include_dirs=["core", "native"],
    extra_compile_args=["-std=c11", "-O2"],
    extra_link_args=link_arguments(),
    libraries=["pthread"],
    py_limited_api=True,
)
