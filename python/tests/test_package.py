# SPDX-License-Identifier: MIT
"""The package as its user gets it: built away from the repository, installed into an empty place
that has no compiler, its example run there.

FLAKECORE_DIST is the folder with the sdist, the wheel, and the wheels of what they need.
"""
import importlib.metadata
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import flakecore

PYTHON = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.once


@pytest.fixture
def dist():
    folder = os.environ.get("FLAKECORE_DIST")
    assert folder, "FLAKECORE_DIST is not set: run ci/test python"
    return Path(folder)


def one(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, f"{pattern} in {folder}: {found}"
    return found[0]


def run(*command, **options):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_package_and_library_have_the_same_version():
    assert flakecore.__version__ == importlib.metadata.version("flakecore")


def test_the_wheel_holds_the_package_and_nothing_else(dist):
    wheel = one(dist, "flakecore-*.whl")
    assert "-cp39-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if not name.startswith("flakecore-")]
    sources = {f"flakecore/{path.name}" for path in (PYTHON / "src" / "flakecore").iterdir()
               if path.suffix in (".py", ".pyi", ".typed")}
    assert set(names) == sources | {"flakecore/_native.abi3.so"}


def test_the_wheel_works_in_an_empty_environment_without_a_compiler(dist, tmp_path):
    place, empty = tmp_path / "place", tmp_path / "empty"
    empty.mkdir()
    environment = {"PATH": str(empty), "FLAKECORE_RUN_DIR": os.environ["FLAKECORE_RUN_DIR"],
                   "HOME": str(empty), "PYTHONDONTWRITEBYTECODE": "1"}
    run(sys.executable, "-m", "venv", place)
    python = place / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--find-links", dist,
        "flakecore", env=environment, cwd=empty)
    example = (PYTHON / "examples" / "quickstart.py").read_text()
    (empty / "quickstart.py").write_text(example)
    lines = run(python, "quickstart.py", env=environment, cwd=empty).splitlines()
    assert len(lines) == 4 and ", node 7, sequence " in lines[3]
    out = run(python, "-m", "flakecore", "next", "--node", "1", env=environment, cwd=empty)
    assert int(out) > 0


def test_the_sdist_builds_alone(dist, tmp_path):
    with tarfile.open(one(dist, "flakecore-*.tar.gz")) as file:
        file.extractall(tmp_path)
    source = one(tmp_path, "flakecore-*")
    header = (source / "core" / "flakecore.h").read_text()
    assert "/* api begin */" in header
    run(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-build-isolation", "--no-deps",
        "--no-cache-dir", "--wheel-dir", tmp_path / "made", source, cwd=tmp_path)
    made = one(tmp_path / "made", "*.whl")
    program = ("import flakecore; print(flakecore.__file__);"
               "print(flakecore.Generator(node=1, space='sdist').next_id())")
    with zipfile.ZipFile(made) as file:
        file.extractall(tmp_path / "unpacked")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    where, id = run(sys.executable, "-c", program, env=environment, cwd=tmp_path).split()
    assert where.startswith(str(tmp_path)) and int(id) > 0


def test_the_native_module_shows_only_its_entry_point():
    from flakecore import _native

    symbols = run("nm", "-D", "--defined-only", _native.__file__).split()
    assert [name for name in symbols if "flake" in name] == []
    assert "PyInit__native" in symbols
