"""The project's virtual environment: made from the lock at first use, then entered.

Standard library only, and readable by Pythons too old for the project, which get a sentence
instead of a traceback: so no syntax newer than Python 3.6 in this file.

The environment lies in `.venv`. Its stamp names the lock and the Python it was made from; a `.venv`
whose stamp says anything else (the lock changed, an installation was cut short) is made anew.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
LOCK = PROJECT / "scripts" / "requirements.lock"
VENV = PROJECT / ".venv"
STAMP = VENV / "minitickets-stamp"
BUILD_LOCK = PROJECT / ".venv.lock"
IMPORT_ROOTS = (PROJECT / "scripts", PROJECT / "functions")
ON_WINDOWS = os.name == "nt"
PYTHON = VENV / ("Scripts/python.exe" if ON_WINDOWS else "bin/python")
CANNOT_START = 3  # scripts/run uses 1 and 2 for what it was asked to do


def start(module: str) -> None:
    """Run `python -m module` in the environment with this command's arguments; never returns.

    The working directory stays the caller's; `-P` keeps the modules in it from shadowing ours.
    """
    ensure()
    command = [str(PYTHON), "-P", "-m", module, *sys.argv[1:]]
    # Not by a .pth file: a Lambda worker runs in the same .venv, and must not see scripts/.
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS))}
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):
        # The wish is to have none beside sources. With none at all, every start of the local stack
        # compiles a thousand modules of the libraries, for 2 to 3 s.
        variables.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))
    if ON_WINDOWS:  # there, exec returns to the shell before the new program ends
        sys.exit(subprocess.call(command, env=variables))
    os.execve(command[0], command, variables)  # noqa: S606 - one process: every signal reaches the command


def ensure() -> None:
    """Make the environment unless it is there; say in a sentence why if it cannot be made."""
    _refuse_old_python()
    if _is_ready():
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the installer ends with us
    try:
        with BUILD_LOCK.open("a") as lock:
            _wait_for(lock.fileno())
            if not _is_ready():  # another command may have made it while this one waited
                _make(lock.fileno())
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        _stop(f"The environment {VENV} cannot be made: {error}")


def _make(lock: int) -> None:
    _refuse_python_without_venv()
    _refuse_foreign_venv()
    started = time.monotonic()
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    _say(f"Making the environment in {VENV} with Python {version}. This is done once …")
    shutil.rmtree(VENV, ignore_errors=not VENV.exists())
    VENV.mkdir()
    STAMP.write_text("unfinished\n")
    # The script may have been started by the very .venv that was just removed.
    base_python = getattr(sys, "_base_executable", sys.executable)
    _call(lock, base_python, "-m", "venv", str(VENV))
    _say("Installing the libraries of scripts/requirements.lock …")
    _call(lock, str(PYTHON), "-m", "pip", "-qq", "--disable-pip-version-check", "--no-input",
          "install", "--no-user", "--no-compile", "--require-hashes", "-r", str(LOCK))  # fmt: skip
    with contextlib.suppress(OSError):  # for who works with the environment activated
        (PYTHON.parent / "minitickets").symlink_to(PROJECT / "scripts" / "minitickets")
    STAMP.write_text(_key())
    _say(f"The environment is ready, after {time.monotonic() - started:.0f} s.")


def _call(lock: int, *command: str) -> None:
    """Run a step of the installation, its words on stderr: stdout is the real command's alone.

    The child holds the lock too: if this process is killed, the next one waits for the child.
    """
    shared = () if ON_WINDOWS else (lock,)
    code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, pass_fds=shared)
    if code != 0:
        _stop(
            f"The environment {VENV} cannot be made: `{' '.join(command[1:4])}` ended with "
            f"status {code}; its own words are above. Start the command again to try again."
        )


def _is_ready() -> bool:
    return PYTHON.exists() and STAMP.is_file() and STAMP.read_text() == _key()


def _key() -> str:
    lock = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    return f"Python {sys.version_info[0]}.{sys.version_info[1]}, lock {lock}\n"


def _wait_for(lock: int) -> None:
    if _try_to_hold(lock):
        return
    _say("Another command is making the environment: waiting for it …")
    while not _try_to_hold(lock):
        time.sleep(0.2)


def _try_to_hold(lock: int) -> bool:
    """Take the lock without waiting. It is given back when its last holder ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _refuse_old_python() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - an old Python reads this file
        _stop(
            f"This project needs Python 3.11 or newer, and {sys.executable} is "
            f"{sys.version_info[0]}.{sys.version_info[1]}. Start the script with a newer one, "
            f"for example: python3.13 {sys.argv[0]}"
        )


def _refuse_python_without_venv() -> None:
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        _stop(
            f"{sys.executable} has no module `{missing[0]}`, which makes virtual environments. "
            "Debian and Ubuntu have it in a package of its own: apt install python3-venv"
        )


def _refuse_foreign_venv() -> None:
    if VENV.is_dir() and any(VENV.iterdir()) and not STAMP.is_file():
        _stop(f"{VENV} was not made by this project's scripts: move it away, and start again.")


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _stop(sentence: str) -> None:
    _say(sentence)
    sys.exit(CANNOT_START)
