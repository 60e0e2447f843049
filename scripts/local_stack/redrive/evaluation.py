"""Seams of moto's interpreter: which scope an environment is in, and going on where one stopped."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import (
    FailureEventException,
)
from moto.stepfunctions.parser.asl.component.program.program import Program
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.inline_iteration_component import (  # noqa: E501
    InlineIterationComponent,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.iteration_worker import (  # noqa: E501
    IterationWorker,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel.branches_decl import (
    BranchesDecl,
)
from moto.stepfunctions.parser.asl.component.state.state import CommonStateField
from moto.stepfunctions.parser.asl.component.state.state_pass.state_pass import StatePass
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramError

from local_stack.redrive.progress import Progress
from local_stack.redrive.recorder import Abandoned, Recorder

Evaluation = Callable[..., None]
_DATA_LIMIT = "States.DataLimitExceeded"


def install() -> None:
    """Once for the life of the process."""
    _wrap(Environment, "__init__", _environment_with_context)
    _wrap(Environment, "as_inner_frame_of", _frame_in_scope)
    _wrap(Program, "_eval_body", _evaluate_program)
    _wrap(CommonStateField, "_eval_body", _evaluate_state)
    _wrap(BranchesDecl, "_eval_body", _evaluate_branches)
    _wrap(InlineIterationComponent, "_eval_body", _evaluate_iterations)
    _wrap(IterationWorker, "_eval_job", _evaluate_iteration)


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> None:
    """Let ``around(original, *arguments)`` run in place of a method or class method."""
    original = owner.__dict__[name]
    if isinstance(original, classmethod):
        bound = original.__func__
        setattr(owner, name, classmethod(lambda cls, *a, **k: around(bound, cls, *a, **k)))
        return

    @functools.wraps(original)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        return around(original, *arguments, **named)

    setattr(owner, name, wrapped)


def _environment_with_context(original: Any, env: Any, *arguments: Any, **named: Any) -> None:
    original(env, *arguments, **named)
    env.progress = None
    env.event_history_context.env = env


def _frame_in_scope(original: Any, cls: Any, env: Any, *arguments: Any, **named: Any) -> Any:
    frame = original(cls, env, *arguments, **named)
    frame.progress = env.progress
    return frame


def _recorder(env: Any) -> Recorder | None:
    """None inside a Distributed Map, whose child workflows have histories of their own."""
    manager = env.event_manager
    return manager if isinstance(manager, Recorder) else None


def _evaluate_program(original: Evaluation, program: Any, env: Any) -> None:
    recorder = _recorder(env)
    if recorder is None:
        return original(program, env)
    around: Progress = env.progress
    is_branch = hasattr(program, "branch_index")
    with recorder.lock:
        if is_branch:
            env.progress = around.branch(program.branch_index)
        _go_on(env)
    original(program, env)
    if is_branch and isinstance(env.program_state(), ProgramError):
        with recorder.lock:
            around.fail_at(env.event_history_context.last_published_event_id)
            env.progress.settled = True
    return None


def _go_on(env: Any) -> None:
    """Take the scope to where it stopped: past every state that it had left."""
    exited = env.progress.exited
    if exited is None:
        return
    env.states.reset(input_value=json.loads(exited.output))
    if exited.next_state is None:
        env.set_ended()
    else:
        env.next_state_name = exited.next_state


def _evaluate_state(original: Evaluation, state: Any, env: Any) -> None:
    recorder = _recorder(env)
    if recorder is None:
        return original(state, env)
    progress: Progress = env.progress
    with recorder.lock:
        if progress.closed:
            raise Abandoned(state.name)
        resumed = progress.begin(state.name)
    if resumed and isinstance(state, StatePass):
        return _exit_unexecuted(state, env)
    try:
        original(state, env)
    except FailureEventException as failure:
        name = failure.failure_event.error_name
        if name is not None and name.error_name == _DATA_LIMIT:
            with recorder.lock:
                progress.branches = {}
        raise
    return None


def _exit_unexecuted(state: Any, env: Any) -> None:
    state._set_next(env)  # noqa: SLF001
    env.event_manager.add_event(
        context=env.event_history_context,
        event_type=state.state_exited_event_type,
        event_details={
            "stateExitedEventDetails": state._get_state_exited_event_details(env)  # noqa: SLF001
        },
    )


def _evaluate_branches(original: Evaluation, branches: Any, env: Any) -> None:
    for index, program in enumerate(branches.programs):
        program.branch_index = index
    _evaluate_fan(original, branches, env)


def _evaluate_iterations(original: Evaluation, iterations: Any, env: Any) -> None:
    _evaluate_fan(original, iterations, env)


def _evaluate_fan(original: Evaluation, fan: Any, env: Any) -> None:
    recorder = _recorder(env)
    if recorder is None:
        return original(fan, env)
    with recorder.lock:
        env.progress.fan_out()
    try:
        original(fan, env)
    except Exception:
        # moto has taken the latest event of any branch for the cause; it is the failed branch's.
        context, failed_at = env.event_history_context, env.progress.failed_at
        context.source_event_id = failed_at or context.source_event_id
        recorder.abort_branches(env.progress, context.source_event_id)
        raise
    return None


def _evaluate_iteration(original: Evaluation, worker: Any, env: Any, job: Any) -> None:
    recorder = _recorder(env)
    if recorder is None:
        return original(worker, env, job)
    with recorder.lock:
        env.progress = env.progress.branch(job.job_index)
    if env.progress.ended:
        job.job_output = json.loads(env.progress.exited.output)
        return None
    try:
        if env.progress.closed:
            raise Abandoned(job.job_index)
        original(worker, env, job)
    except Abandoned as abandoned:
        job.job_output = abandoned  # which ends the work on this Map's items
    return None
