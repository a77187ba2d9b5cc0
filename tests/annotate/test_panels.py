"""What comes from a panel is genuine, and what goes back pays everybody once."""

from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from assay.annotate.operations.payroll import Payee
from assay.annotate.panels.payments import payments, write_payments
from assay.annotate.panels.signed import is_genuine, signature_of
from assay.annotate.protocol_file import parse_protocol
from assay.annotate.service import JudgmentRow, Page, Service
from assay.cli import cli
from assay.errors import AssayError

PAYROLL = (
    Payee("a1", "complete", 0, 3, 1, Decimal("1.005")),
    Payee("a2", "complete", 0, 0, 2),
    Payee("a3", "active", 2, 0, 0),
    Payee("a4", "withdrawn", 0, 0, 0),
    Payee("a5", "complete", 0, 1, 0, Decimal("0.335")),
)
PEOPLE = {f"a{k}": {"person": f"p{k}", "session": "s"} for k in range(1, 5)}


def test_the_documented_signature() -> None:
    # HMAC-SHA256 of timestamp and body, base64: computed with `openssl dgst -sha256 -hmac secret`.
    body = b'{"event_type": "submission.status.change"}'
    assert signature_of("secret", "1700000000", body) == "Ym5KA5e9IX8o1fGiDT3r8NmWlSWgpsH843T6/QOAq8k="


@given(st.binary(max_size=50), st.text(min_size=1, max_size=10).filter(lambda text: text.isprintable()))
def test_only_the_secret_and_the_very_body_pass(body: bytes, secret: str) -> None:
    signature = signature_of(secret, "1000", body)
    assert is_genuine(secret, "1000", body, signature, 1000.0)
    assert not is_genuine(secret, "1000", body + b"x", signature, 1000.0)
    assert not is_genuine(secret + "x", "1000", body, signature, 1000.0)
    assert not is_genuine(secret, "1001", body, signature, 1000.0)
    assert not is_genuine(secret, "1000", body, signature, 1400.0)  # too old


@pytest.mark.parametrize("timestamp", ["", "x", "-1", "1e3", "١٢"])
def test_a_strange_timestamp_is_refused(timestamp: str) -> None:
    assert not is_genuine("secret", timestamp, b"", signature_of("secret", timestamp, b""), 0.0)
    assert not is_genuine("", "1000", b"", signature_of("", "1000", b""), 1000.0)


def test_everybody_is_in_the_right_file(tmp_path: Path) -> None:
    result = payments(PAYROLL, PEOPLE, base=0.5)
    assert result.approve == ("p1",)
    assert result.reject == ("p2",)
    assert result.undecided == ("p3",)
    assert result.bonus == (("p1", Decimal("0.51")),)  # 3 pages at .335, less the base, rounded half up
    assert result.unknown == ("a5",)
    files = write_payments(result, tmp_path / "pay")
    assert [file.read_text() for file in files] == ["p1\n", "p2\n", "p1,0.51\n", "p3\n"]
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)


def test_no_bonus_where_the_base_pays_for_all_and_no_negative_base() -> None:
    assert payments(PAYROLL, PEOPLE, base=1.01).bonus == ()
    for base in (-1.0, float("nan"), float("inf")):
        with pytest.raises(AssayError, match="0 or more"):
            payments(PAYROLL, PEOPLE, base=base)


def test_payments_cannot_go_into_a_file(tmp_path: Path) -> None:
    (tmp_path / "pay").touch()
    with pytest.raises(AssayError, match="cannot be a folder"):
        write_payments(payments(PAYROLL, PEOPLE), tmp_path / "pay")


def test_status_and_payments_of_a_study_that_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "outputs.jsonl"
    data.write_text("".join(f'{{"id": "o{k}", "text": "text {k}", "context": "c"}}\n' for k in range(4)))
    text = 'form = "typicality"\ndata = "outputs.jsonl"\n[payment]\nper_page = 0.75\n'
    (tmp_path / "p.toml").write_text(text)
    protocol = parse_protocol(text, tmp_path / "p.toml")
    dataset = protocol.dataset()
    with Service.create(
        tmp_path / "p.sqlite",
        text,
        protocol.sha,
        protocol.rules,
        protocol.units(dataset),
        data=dataset,
    ) as service:
        for person in ("x1", "x2"):
            annotator = service.enroll({"panel": "prolific", "person": person, "session": "s"}).annotator
            page = service.next_page(annotator)
            assert isinstance(page, Page)
            rows = {one.id: [JudgmentRow("output", one.unit.id, "typicality", 3.0)] for one in page.assignments}
            service.submit(annotator, page.nonce, {}, rows)
            service.decide(service.answered_pages(annotator), accepted=person == "x1")
        shown = CliRunner().invoke(cli, ["annotate", "status", "p.toml"])
        assert shown.exit_code == 0 and "4 of 12 answers are in. 0.75 USD are spent" in shown.output
        written = CliRunner().invoke(cli, ["annotate", "export", "p.toml", "-o", "judged.jsonl"])
        assert written.exit_code == 0 and "4 outputs, 4 judgments; and judged.codebook.md" in written.output
        assert "1 annotator gave 4 judgments on 4 units" in (tmp_path / "judged.codebook.md").read_text()
        paid = CliRunner().invoke(cli, ["annotate", "pay", "p.toml", "-o", "pay", "--base", "0.25"])
    assert paid.exit_code == 0 and "1 to approve, 1 to reject, 1 bonuses, 0 undecided" in paid.output
    assert (tmp_path / "pay" / "bonus.csv").read_text() == "x1,0.50\n"
    missing = CliRunner().invoke(cli, ["annotate", "status", "p.toml", "--store", "none.sqlite"])
    assert missing.exit_code == 1 and "no such store" in str(missing.exception)
