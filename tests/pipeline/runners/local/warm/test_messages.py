"""The command and the warm process understand each other, also if one of them goes."""

from __future__ import annotations

import os
import select
import socket

import pytest

from pipeline.runners.local.warm.messages import (
    Files,
    Request,
    Start,
    make_pair,
    receive_answer,
    receive_locks,
    receive_request,
    send_answer,
    send_locks,
    send_request,
    wait_for,
)


def test_a_request_carries_open_files() -> None:
    command, warm_process = make_pair()
    request = Request("f" * 64, 30)
    reader, writer = os.pipe()
    with command, warm_process:
        send_request(command, request, Files(reader, writer, reader, writer))
        received = receive_request(warm_process)
        assert received is not None
        assert received[0] == request
        files = received[1]
        assert files is not None
        os.write(files.log, b"job")
        assert os.read(files.stdin, 3) == b"job"
        # Programs that the run starts do not get them.
        assert not os.get_inheritable(files.log)
        files.close()
        send_locks(command, (reader, reader))
        locks = receive_locks(warm_process)
        assert locks is not None
        assert len(locks) == 2
        assert not os.get_inheritable(locks[0])
        for descriptor in (reader, writer, *locks):
            os.close(descriptor)


def test_a_question_carries_no_files() -> None:
    command, warm_process = make_pair()
    with command, warm_process:
        send_request(command, Request("f" * 64, 0), None)
        assert receive_request(warm_process) == (Request("f" * 64, 0), None)


@pytest.mark.parametrize("message", [b"", b"f", b"f thirty", b"f 30 more", b"\xff 30", b"f" * 300])
def test_other_messages_are_no_request_and_leave_no_files_open(message: bytes) -> None:
    command, warm_process = make_pair()
    reader, writer = os.pipe()
    with command, warm_process, open(reader, "rb") as file:
        socket.send_fds(command, [message], [writer] * 4)
        assert receive_request(warm_process) is None
        socket.send_fds(command, [b"f 30"], [writer])
        assert receive_request(warm_process) is None
        os.close(writer)
        # The pipe ends when nobody can write to it. A thread of another test may fork meanwhile.
        assert select.select([file], [], [], 30)[0]
        assert file.read() == b""


def test_answers_come_one_by_one_until_the_warm_process_has_gone() -> None:
    command, warm_process = make_pair()
    with command:
        send_answer(warm_process, "pid", 12)
        send_answer(warm_process, "exit", -9)
        warm_process.close()
        assert [receive_answer(command) for _ in range(3)] == [("pid", 12), ("exit", -9), ("", 0)]


def test_a_command_may_go_without_a_request_or_locks() -> None:
    command, warm_process = make_pair()
    command.close()
    with warm_process:
        assert receive_request(warm_process) is None
        assert receive_locks(warm_process) is None
        send_answer(warm_process, "exit", 0)


def test_a_start_keeps_each_byte_of_the_environment() -> None:
    start = Start("/here", {"NAME": os.fsdecode(b"\xff\n{"), "OTHER": ""}, "a job\n")
    descriptor = start.open()
    assert [Start.read(descriptor) for _ in range(2)] == [start, start]
    os.close(descriptor)


def test_an_answer_of_another_program_is_none() -> None:
    command, other = make_pair()
    with command, other:
        for message in (b"hello", b"pid pid", b"pid 1 2", b"\xff"):
            other.send(message)
            assert receive_answer(command) == ("", 0)
        assert wait_for([command.fileno(), other.fileno()], 0) == set()
        other.send(b"exit 0")
        assert wait_for([command.fileno(), other.fileno()], None) == {command.fileno()}
