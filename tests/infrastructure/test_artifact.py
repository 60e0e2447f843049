"""What is uploaded to Lambda: opened, and looked at with other eyes than the builder's."""

import shutil
import struct
import zipfile
from pathlib import Path

import pytest

from deployment.artifact import build
from infrastructure.artifacts import FUNCTIONS, HANDLERS, SAM, artifacts, folder

# Downloads some 25 MB of wheels, unless pip has them in its cache.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EVERY_FUNCTION = pytest.mark.parametrize("function", HANDLERS)
AARCH64 = 183  # e_machine in the ELF specification
# Only these two steps import them: the others would carry up to 22 MB for nothing.
LIBRARIES = {
    "AcceptBookingFunction": {"pydantic", "pydantic_core", "idna"},
    "WriteTicketImageFunction": {"pillow", "qrcode"},
}
ASKS_NOBODY = "ReportReconciliationFunction"  # it calls no AWS service


def contents(function: str) -> dict[str, bytes]:
    with zipfile.ZipFile(artifacts()[function].path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_each_function_of_the_template_has_one():
    assert set(artifacts()) == set(HANDLERS)
    assert len(HANDLERS) == 9


@EVERY_FUNCTION
def test_its_wheels_are_for_python_3_13_on_arm64(function):
    files = contents(function)
    wheels = [name for name in files if name.endswith(".dist-info/WHEEL")]
    assert len(wheels) == len(artifacts()[function].wheels) > 3
    for name in wheels:
        lines = files[name].decode().splitlines()
        for tag in (line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: ")):
            python, abi, platform = tag.split("-")
            if platform == "any":
                assert abi == "none"
                assert python in ("py2", "py3"), name
            else:
                assert platform.endswith("_aarch64"), name
                assert python == "cp313" or abi == "abi3", name


@EVERY_FUNCTION
def test_its_compiled_code_is_for_arm64_and_for_no_other_python(function):
    for name, content in contents(function).items():
        if content.startswith(b"\x7fELF"):
            (machine,) = struct.unpack_from("<H", content, 18)
            assert machine == AARCH64, f"{name}: {machine}"
        assert not name.endswith((".pyd", ".dylib", ".dll"))
        if ".cpython-" in name:
            assert ".cpython-313-aarch64-linux-gnu.so" in name


def test_there_is_compiled_code_where_there_must_be():
    for function, library in (("AcceptBookingFunction", "_pydantic_core."),
                              ("WriteTicketImageFunction", "_imagingft.")):  # fmt: skip
        assert [name for name in contents(function) if library in name and name.endswith(".so")]


@EVERY_FUNCTION
def test_its_handler_and_the_fonts_are_in_it(function):
    files = contents(function)
    assert f"{HANDLERS[function].split('.')[0]}.py" in files
    fonts = [name for name in files if name.startswith("minitickets/drawing/fonts/")]
    assert len([name for name in fonts if name.endswith(".ttf")]) == 3


@EVERY_FUNCTION
def test_tests_scripts_and_caches_are_not_in_it(function):
    for name in contents(function):
        assert not {"tests", "test", "scripts", "bin", "__pycache__"} & set(name.split("/")), name
        assert not name.endswith((".pyc", "requirements.txt")), name


@EVERY_FUNCTION
def test_nothing_in_it_tells_of_the_machine_that_built_it(function):
    # RECORD has the hash of each library's command, whose first line is the path of a Python.
    for name in contents(function):
        assert Path(name).name not in {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}, name


@EVERY_FUNCTION
def test_it_is_below_40_mb_unzipped_and_its_size_is_reported(function, record_property):
    size = sum(len(content) for content in contents(function).values())
    record_property("unzipped bytes", size)
    assert size < 40_000_000
    assert artifacts()[function].bytes == size


@EVERY_FUNCTION
def test_it_holds_the_libraries_that_its_step_imports_and_not_the_others(function):
    inside = {wheel.name for wheel in artifacts()[function].wheels}
    special = set().union(*LIBRARIES.values())
    assert inside & special == LIBRARIES.get(function, set())
    assert "aws_lambda_powertools" in inside
    of_aws = {"boto3", "botocore"}
    assert inside & of_aws == (set() if function == ASKS_NOBODY else of_aws)


@EVERY_FUNCTION
def test_every_user_on_lambda_may_read_it(function):
    # https://docs.aws.amazon.com/lambda/latest/dg/python-package.html#python-package-permissions
    with zipfile.ZipFile(artifacts()[function].path) as archive:
        assert {entry.external_attr >> 16 & 0o777 for entry in archive.infolist()} == {0o644}


def test_the_same_code_gives_the_same_artifact_wherever_and_whenever_it_is_built():
    elsewhere = folder() / "another place" / "functions"
    shutil.copytree(FUNCTIONS, elsewhere, copy_function=shutil.copyfile)  # with other times
    again = {each.function: each for each in build(SAM, elsewhere, folder())}
    for function, artifact in artifacts().items():
        assert again[function].digest == artifact.digest
        assert again[function].path.read_bytes() == artifact.path.read_bytes()


def test_other_code_gives_another_one():
    elsewhere = folder() / "functions"
    shutil.copytree(FUNCTIONS, elsewhere)
    changed = elsewhere / "minitickets" / "clock.py"
    changed.write_text(changed.read_text() + "\n")
    again = build(SAM, elsewhere, folder())
    assert not {each.digest for each in again} & {each.digest for each in artifacts().values()}
