"""Creates certificates with an authority for these tests: `certificates.py FOLDER`."""

import datetime
import ipaddress
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
HERE = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]


class Authority:
    """An authority that is self-signed or signed by another one."""

    def __init__(self, name, issuer=None):
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = (issuer or self).sign(self.name, self.key.public_key(), authority=True)
        self.chain = self.certificate if issuer else b""

    def sign(self, name, public_key, names=(), ends=NOW + 90 * DAY, authority=False):
        """Returns a certificate in PEM form."""
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self.name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(NOW, ends) - DAY)
            .not_valid_after(ends)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if not authority:
            usages = [ExtendedKeyUsageOID.SERVER_AUTH if names else ExtendedKeyUsageOID.CLIENT_AUTH]
            builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self.key, hashes.SHA256()).public_bytes(Encoding.PEM)

    def issue(self, common_name, names=(), key=None, form=PrivateFormat.PKCS8, **options):
        """Returns a certificate with its chain, and its key."""
        key = key or ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        certificate = self.sign(name, key.public_key(), names, **options)
        return certificate + self.chain, key.private_bytes(Encoding.PEM, form, NoEncryption())


def make(folder):
    """Creates all certificates for the tests."""

    def write(name, issued):
        certificate, key = issued
        (folder / f"{name}.pem").write_bytes(certificate)
        (folder / f"{name}.key").write_bytes(key)

    root, foreign = Authority("root"), Authority("foreign")
    between = Authority("between", root)
    (folder / "ca.pem").write_bytes(root.certificate)
    (folder / "foreign_ca.pem").write_bytes(foreign.certificate)
    write("server", between.issue("server", HERE))
    write("next", between.issue("next", HERE))
    write("third", between.issue("third", HERE))
    write("expired", root.issue("expired", HERE, ends=NOW - DAY))
    write("elsewhere", root.issue("elsewhere", [x509.DNSName("example.org")]))
    write("authority", root.issue("authority", HERE, authority=True))
    write("client", between.issue("client"))
    write("expired_client", root.issue("expired client", ends=NOW - DAY))
    write("foreign_client", foreign.issue("foreign client"))
    # The supported key formats.
    old = rsa.generate_private_key(65537, 2048)
    write("rsa_pkcs8", root.issue("rsa", HERE, old))
    write("rsa_pkcs1", root.issue("rsa", HERE, old, PrivateFormat.TraditionalOpenSSL))
    large = ec.generate_private_key(ec.SECP384R1())
    write("ec_sec1", root.issue("ec", HERE, large, PrivateFormat.TraditionalOpenSSL))
    # Invalid certificates and keys.
    encrypted = old.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    (folder / "encrypted.key").write_bytes(encrypted)
    (folder / "empty.pem").write_bytes(b"")
    (folder / "text.pem").write_bytes(b"no certificate\n")
    (folder / "cut.pem").write_bytes((folder / "server.pem").read_bytes()[:200])
    (folder / "damaged.pem").write_bytes(
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    )


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]))
