# Runs a command under a system call filter, as systemd does for a unit with SystemCallFilter=.
# Usage: seccomp-launch.py (allow|deny) CALL,CALL,... COMMAND [ARGUMENT...]
#   allow: these calls work, all others fail with EPERM
#   deny:  these calls fail with EPERM, all others work
# Exit status 96: no libseccomp or no seccomp on this machine. Calls that the machine lacks are left out.

import ctypes
import errno
import os
import sys

MISSING = 96
ALLOW = 0x7FFF0000
FAIL = 0x00050000 | errno.EPERM


def give_up(why):
    print(f"seccomp-launch: {why}", file=sys.stderr)
    sys.exit(MISSING)


mode, names, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
try:
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
except OSError as error:
    give_up(error)
seccomp.seccomp_init.restype = ctypes.c_void_p
default, listed = (FAIL, ALLOW) if mode == "allow" else (ALLOW, FAIL)
context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(default)))
for name in names:
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    if number >= 0:
        seccomp.seccomp_rule_add(context, ctypes.c_uint32(listed), ctypes.c_int(number), ctypes.c_uint(0))
status = seccomp.seccomp_load(context)  # sets no_new_privs too
if status != 0:
    give_up(f"the filter cannot be loaded: {os.strerror(-status)}")
os.execvp(command[0], command)
