"""A disk that is full: refused in plain words, and nothing that was saved is lost."""

import subprocess
import sys
from pathlib import Path

CODE = """
import resource, signal, sys
from assay.annotate.service import NotSaved, Rules, Service, Unit
from assay.annotate.service import JudgmentRow, Page
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
units = [Unit(str(n), "output", {}) for n in range(400)]
service = Service.create(sys.argv[1], "p", "h", Rules(page_size=1), units)
annotator, receipts = service.enroll().annotator, 0
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, hard))
try:
    while isinstance(page := service.next_page(annotator), Page):
        one = page.assignments[0]
        judgments = {one.id: [JudgmentRow("output", one.unit.id, "q", 1.0)]}
        service.submit(annotator, page.nonce, {"text": "x" * 5000}, judgments)
        receipts += 1
except NotSaved as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
stored = len(list(service.judgments()))
print(receipts, stored, service.verify())
page = service.next_page(annotator)  # there is space again
service.submit(annotator, page.nonce, {}, {page.assignments[0].id: [JudgmentRow("output", "x", "q", 1.0)]})
print(len(list(service.judgments())) - stored)
service.close()
"""


def test_a_full_disk_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path / "s.sqlite")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, counts, after = done.stdout.splitlines()
    assert said.startswith("nothing was saved: the disk") and said.endswith("try again later.")
    receipts, stored, problems = counts.split(" ", 2)
    assert int(receipts) == int(stored) > 0 and problems == "[]" and after == "1"
