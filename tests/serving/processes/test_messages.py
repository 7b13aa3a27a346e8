"""Messages between the supervisor and a worker."""

import asyncio
import socket
from typing import Any

from serving.processes.messages import Channel, Drain, Failed, Load, Switch


def test_messages_arrive_in_order_until_the_other_side_ends() -> None:
    sent = [Load("1", "größe\n", "s"), Switch(), Failed("1", '"x"'), Drain()]

    async def main() -> list[Any]:
        one, other = [await Channel.open(end) for end in socket.socketpair()]
        for message in sent:
            one.send(message)
        one.close()
        one.send(Switch())
        return [message async for message in other.messages()]

    assert asyncio.run(main()) == sent
