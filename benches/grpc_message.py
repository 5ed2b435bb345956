"""Writes the body of a gRPC inference call for `Identity`: grpc_message.py BYTES >FILE"""

import sys


def varint(number):
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def field(tag, data):
    return varint(tag << 3 | 2) + varint(len(data)) + data


def message(size):
    shape = varint(1) + varint(size // 4)
    tensor = field(1, b"INPUT_1") + field(2, b"FP32") + field(3, shape)
    body = field(1, b"Identity") + field(5, tensor) + field(7, bytes(size))
    return b"\0" + len(body).to_bytes(4, "big") + body


size = int(sys.argv[1])
sys.stdout.buffer.write(message(size))
