"""A network of a process's own, which `unshare --map-root-user --net` makes."""

import fcntl
import socket
import struct


def lo_up():
    """Lets the network of this process reach itself."""
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", 0x1 | 0x40)
        fcntl.ioctl(any_socket, 0x8914, request)
