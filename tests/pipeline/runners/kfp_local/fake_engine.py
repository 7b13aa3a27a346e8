"""A container engine in few lines: `run --volume=SOURCE:TARGET ... --entrypoint=PROGRAM IMAGE ...`.

Runs the program with each mounted path replaced by the path of an open directory, because the
parents of mounted directories are closed to the container's user. The image names the user: a
number, or `self` for the user of the executor. `nochmod:USER` is an image without `chmod`.
"""

import os
import sys

options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
image, *arguments = (argument for argument in sys.argv[1:] if not argument.startswith("--"))
mounts, program = {}, ""
for option in options:
    name, _, value = option.partition("=")
    if name == "--volume":
        source, _, target = value.rpartition(":")
        descriptor = os.open(source, os.O_PATH | os.O_DIRECTORY)
        os.set_inheritable(descriptor, True)
        mounts[target] = f"/proc/self/fd/{descriptor}"
    elif name == "--entrypoint":
        program = value
if program == "chmod" and image.startswith("nochmod:"):
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
