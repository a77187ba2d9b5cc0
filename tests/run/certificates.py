"""Certificates for tests of TLS: an authority, and one certificate for everybody on loopback."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def write_certificates(folder: Path) -> tuple[str, str, str]:
    """Write ca.pem, cert.pem and key.pem, and return their paths."""
    folder.mkdir()
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = _certificate("assay test authority", authority, authority, "assay test authority", is_authority=True)
    cert = _certificate("assay test", key, authority, "assay test authority", is_authority=False)
    paths = tuple(str(folder / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    contents = (*(one.public_bytes(serialization.Encoding.PEM) for one in (ca, cert)), secret)
    for path, content in zip(paths, contents, strict=True):
        Path(path).write_bytes(content)
    return paths[0], paths[1], paths[2]


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    issuer: str,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(signer, hashes.SHA256())
    )
