"""A container engine in few lines: `--volume=SOURCE:TARGET ... --entrypoint=PROGRAM IMAGE ...`.

Runs the program with each mounted path replaced by the path of an open directory, because the
parents of mounted directories are closed to the container's user. The image names the user: a
number, or `self` for the user of the executor. `empty:USER` is an image without `find`.
"""

import itertools
import os
import sys

count = sum(1 for _ in itertools.takewhile(lambda text: text.startswith("--"), sys.argv[1:]))
options, (image, *arguments) = sys.argv[1 : count + 1], sys.argv[count + 1 :]
mounts, program = {}, ""
for option in options:
    name, _, value = option.partition("=")
    if name == "--volume":
        source, _, target = value.rpartition(":")
        descriptor = os.open(source, os.O_PATH | os.O_DIRECTORY)
        os.set_inheritable(descriptor, True)
        mounts[target] = f"/proc/self/fd/{descriptor}/."
    elif name == "--entrypoint":
        program = value
if program == "find" and image.startswith("empty:"):
    sys.exit(127)
for target in sorted(mounts, key=len, reverse=True):
    arguments = [argument.replace(target, mounts[target]) for argument in arguments]
user = image.rpartition(":")[2]
if user != "self":
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
os.chdir("/")
os.execvp(program, [program, *arguments])
