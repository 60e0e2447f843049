"""The scripts' environment is made once, whoever asks for it and whatever cuts it short.

Each test has a project of its own with an empty lock, so that nothing is downloaded.
"""

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import environment

PROJECT = Path(__file__).resolve().parents[2]
MAKING = "Making the environment"
ECHO = "import os, sys\nprint(os.getcwd(), sys.argv[1:], sys.prefix)\nsys.exit(7)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"  # with a space, as some homes have
    (root / "scripts").mkdir(parents=True)
    (root / "functions").mkdir()
    shutil.copy(PROJECT / "scripts" / "environment.py", root / "scripts")
    (root / "scripts" / "requirements.lock").write_text("# nothing\n")
    (root / "functions" / "echo.py").write_text(ECHO)
    command = root / "scripts" / "command"
    command.write_text("import environment\nenvironment.start('echo')\n")
    return root


def start(project: Path, *arguments: str, **options: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(project / "scripts" / "command"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(project: Path, *arguments: str, **options: object) -> SimpleNamespace:
    process = start(project, *arguments, **options)
    out, err = process.communicate(timeout=60)
    return SimpleNamespace(code=process.returncode, out=out, err=err)


def make_ready(project: Path) -> None:
    assert MAKING in run(project).err


def test_first_use_makes_it_and_later_ones_go_straight_to_the_command(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "echo.py").write_text("raise SystemExit('the caller's own module was run')")

    first = run(project, "--once", "a file", cwd=tmp_path)
    second = run(project, "--once", "a file", cwd=tmp_path)

    expected = f"{tmp_path} ['--once', 'a file'] {project / '.venv'}\n"
    assert (first.out, first.code) == (second.out, second.code) == (expected, 7)
    assert MAKING in first.err
    assert second.err == ""


def test_a_shell_that_wants_no_bytecode_beside_sources_still_starts_fast(project: Path) -> None:
    (project / "functions" / "library.py").write_text("")
    (project / "functions" / "echo.py").write_text("import library\n")
    make_ready(project)
    wish = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    wish.pop("PYTHONPYCACHEPREFIX", None)
    for folder in project.rglob("__pycache__"):
        shutil.rmtree(folder)
    assert run(project, env=wish).code == 0
    (kept,) = project.rglob("library.*.pyc")
    assert kept.is_relative_to(project / ".venv")
    assert not (project / "functions" / "__pycache__").exists()


@pytest.mark.skipif(environment.ON_WINDOWS, reason="Windows has no links for everyone")
def test_the_operators_command_is_there_for_who_activates_the_environment(project: Path) -> None:
    make_ready(project)
    installed = project / ".venv" / "bin" / "minitickets"
    assert installed.readlink() == project / "scripts" / "minitickets"


@pytest.mark.slow
def test_a_changed_lock_makes_it_anew(project: Path) -> None:
    make_ready(project)
    (project / "scripts" / "requirements.lock").write_text("# still nothing\n")
    make_ready(project)
    assert run(project).err == ""


@pytest.mark.slow
def test_two_commands_at_once_make_it_once(project: Path) -> None:
    commands = [start(project), start(project)]
    errors = [command.communicate(timeout=60)[1] for command in commands]
    assert [command.returncode for command in commands] == [7, 7]
    assert sum(MAKING in error for error in errors) == 1


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_one_that_was_cut_short_is_made_anew(project: Path, ending: signal.Signals) -> None:
    command = start(project, start_new_session=True)
    stamp = project / ".venv" / "minitickets-stamp"
    deadline = time.monotonic() + 30
    while not stamp.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    command.send_signal(ending)
    assert command.wait(timeout=30) != 7
    command.communicate()

    make_ready(project)
    assert run(project).err == ""


def test_a_venv_of_the_users_own_is_left_alone(project: Path) -> None:
    own = project / ".venv" / "mine.txt"
    own.parent.mkdir()
    own.write_text("precious")

    done = run(project)

    assert done.code == environment.CANNOT_START
    assert "was not made by this project's scripts" in done.err
    assert own.read_text() == "precious"


@pytest.mark.slow
def test_a_library_that_cannot_be_had_ends_in_a_sentence_and_leaves_nothing_ready(
    project: Path,
) -> None:
    lock = project / "scripts" / "requirements.lock"
    lock.write_text(f"nowhere==1.0 --hash=sha256:{'0' * 64}\n")
    offline = os.environ | {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    offline.pop("PIP_FIND_LINKS", None)

    done = run(project, env=offline)

    assert done.code == environment.CANNOT_START
    assert "`-m pip -qq` ended with status 1" in done.err
    assert "Traceback" not in done.err
    lock.write_text("# nothing\n")
    make_ready(project)


def test_an_old_python_is_told_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 18))
    with pytest.raises(SystemExit) as ended:
        environment.ensure()
    assert ended.value.code == environment.CANNOT_START
    said = capsys.readouterr().err
    assert "needs Python 3.11 or newer" in said
    assert "is 3.9." in said


@pytest.mark.parametrize("name", ["environment.py", "run", "test", "check", "minitickets"])
def test_an_old_python_can_read_as_far_as_the_sentence(name: str) -> None:
    ast.parse((PROJECT / "scripts" / name).read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], missing: str
) -> None:
    find_spec = environment.importlib.util.find_spec
    monkeypatch.setattr(
        environment.importlib.util,
        "find_spec",
        lambda name: None if name == missing else find_spec(name),
    )
    with pytest.raises(SystemExit):
        environment._refuse_python_without_venv()
    assert f"no module `{missing}`" in capsys.readouterr().err


@pytest.mark.parametrize("lock", ["scripts/requirements.lock", "functions/requirements.txt"])
def test_a_lock_names_no_place_to_download_from(lock: str) -> None:
    text = (PROJECT / lock).read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_lambda_gets_the_releases_that_the_tests_ran_with() -> None:
    def pins(lock: str) -> set[str]:
        lines = (PROJECT / lock).read_text().splitlines()
        return {line.split()[0] for line in lines if "==" in line and line[0].isalpha()}

    assert pins("functions/requirements.txt") <= pins("scripts/requirements.lock")
    assert any(pin.startswith("boto3==") for pin in pins("functions/requirements.txt"))
