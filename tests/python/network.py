"""The network namespace of this process, created by `unshare --map-root-user --net`."""

import fcntl
import socket
import struct


def lo_up():
    """Enables the loopback interface."""
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", 0x1 | 0x40)
        fcntl.ioctl(any_socket, 0x8914, request)
