"""Reading a protocol. Every mistake is reported with its line, all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from assay.annotate.examples import ExampleReader, Positive
from assay.annotate.protocol import Example, Panel, Protocol
from assay.annotate.records import Rules
from assay.annotate.wording import CONSENT, INTERFACE, RETENTION
from assay.errors import DataError, did_you_mean
from assay.forms import QUESTIONNAIRES, Questionnaire
from assay.forms.survey import Question
from assay.io.paths import is_folder, text_of
from assay.io.toml_lines import Place
from assay.limits import MOST_COUNT
from assay.records import Criterion
from assay.records.criteria import read_criterion
from assay.typed_values import WholeNumbers

Whole = Annotated[int, WholeNumbers(0, MOST_COUNT)]

TOP: Mapping[str, Any] = {
    "title": str,
    "form": str,
    "data": str | tuple[str, ...],
    "systems": tuple[str, ...],
    "language": str,
    "direction": Literal["ltr", "rtl"],
    "seed": Annotated[int, WholeNumbers(0)],
    "instruction": str,
    "retention": str,
}
PAGES: Mapping[str, Any] = {
    "units": Positive,
    "judgments": Positive,
    "checks": Whole,
    "most": Positive,
    "policy": str,
    "lease_minutes": float,
    "revise_minutes": float,
}
PAYMENT: Mapping[str, Any] = {"per_page": float, "currency": str, "seconds_per_unit": float}
PANEL: Mapping[str, Any] = {
    "name": str,
    "person": str,
    "session": str,
    "parameters": tuple[str, ...],
    "completion_url": str,
}
TABLES = ("options", "criteria", "words", "pages", "payment", "panel", "consent", "instructions", "interface")
FIXED_SCALE = ("preference", "diversity_ranking", "listener", "spans")
LISTS = ("checks", "practice", "survey")


def read_protocol(path: str | Path) -> Protocol:
    """Read and check a protocol file."""
    path = Path(path)
    if is_folder(path):
        raise DataError(f"{path}: a folder. Name the protocol file in it.")
    try:
        text = text_of(path)
    except DataError as error:
        if "no such file" not in str(error):
            raise
        remedy = f"assay annotate init outputs.jsonl --form typicality > {path.name}"
        raise DataError(f"{path}: no such file. Write one with: {remedy}") from None
    return parse_protocol(text, path)


def parse_protocol(text: str, path: str | Path) -> Protocol:
    """Read the text of a protocol; `path` is where its data is relative to."""
    return _Reader(Path(path), text).protocol()


class _Reader(ExampleReader):
    def protocol(self) -> Protocol:
        self._unknown_keys()
        top = self.values((), {key: self.content[key] for key in TOP if key in self.content}, TOP)
        pages = self.table("pages", PAGES)
        payment = self.table("payment", PAYMENT)
        panel = self.table("panel", PANEL)
        if not top.get("data"):
            self.problem((), 'no data. Write data = "outputs.jsonl".')
        form = self._form(top)
        rules = self._rules(pages, payment, top.get("seed", 0))
        interface = self.texts("interface", INTERFACE)
        survey = self._survey()
        tests, pass_share, attempts = self.qualification(form)
        checks, practice = self.examples(form, "checks"), self.examples(form, "practice")
        self._sensible(rules, checks, payment, panel)
        if self.problems or form is None or rules is None:
            raise DataError(self.problems)
        data = top["data"]
        return Protocol(
            path=self.path,
            text=self.text,
            content=self.content,
            title=top.get("title", self.path.stem),
            form=form,
            data=(data,) if isinstance(data, str) else data,
            systems=top.get("systems", ()),
            language=top.get("language", "en"),
            direction=top.get("direction", "ltr"),
            rules=rules,
            seconds_per_unit=payment.get("seconds_per_unit", 20.0),
            panel=Panel(**panel),
            consent=self._page_text("consent", CONSENT),
            instructions=self._page_text("instructions", ""),
            practice=practice,
            qualification=tests,
            pass_share=pass_share,
            attempts=attempts,
            checks=checks,
            survey=survey,
            interface=interface,
            retention=top.get("retention", RETENTION),
        )

    def _unknown_keys(self) -> None:
        known = [*TOP, *TABLES, *LISTS, "qualification"]
        for key, value in self.content.items():
            if key not in known:
                what = "table" if isinstance(value, dict) else "key"
                self.problem((key,), f"no {what} {key!r}.{did_you_mean(key, known)}")
            elif key in (*TABLES, "qualification") and not isinstance(value, dict):
                self.problem((key,), f"{key} is a table. Write [{key}] with its keys below it.")
            elif key in LISTS and not (isinstance(value, list) and all(isinstance(one, dict) for one in value)):
                self.problem((key,), f"{key} is a list of tables. Write [[{key}]] above each.")

    def _form(self, top: Mapping[str, Any]) -> Questionnaire | None:
        name = top.get("form", "")
        if name not in QUESTIONNAIRES:
            what = f"no form {name!r}." if name else "no form."
            self.problem(("form",), f"{what}{did_you_mean(name, QUESTIONNAIRES)}")
            return None
        form = QUESTIONNAIRES[name]
        changed = self._options(form)
        changed["words"] = self.texts("words", form.words)
        changed["criteria"] = self._criteria(form)
        changed["instruction"] = top.get("instruction", form.instruction)
        try:
            return replace(form, **changed)
        except ValueError as error:
            self.problem(("options",), f"[options] {error}")
            return None

    def _options(self, form: Questionnaire) -> dict[str, Any]:
        """The settings of a form, by the annotations of its class."""
        kinds = get_type_hints(type(form))
        known = {name: kinds[name] for name in form.options()}
        changed: dict[str, Any] = {}
        for key, value in self.given("options").items():
            if key not in known:
                self.problem(("options", key), f"[options] has no key {key!r}.{did_you_mean(key, known)}")
            elif isinstance(getattr(form, key), Mapping):
                changed[key] = self._mapping(("options", key), value, float if key == "weights" else str)
            else:
                changed[key] = self.value(("options", key), f"[options] {key}", value, known[key])
        return changed

    def _mapping(self, place: Place, value: Any, kind: type) -> dict[str, Any]:
        label = f"[{'.'.join(map(str, place))}]"
        if not isinstance(value, dict) or not value:
            self.problem(place, f"{label} is a table with at least one key. Write {label} with its keys below it.")
            return {}
        return {key: self.value((*place, key), f"{label} {key}", one, kind) for key, one in value.items()}

    def _criteria(self, form: Questionnaire) -> tuple[Criterion, ...]:
        """The criteria of the form; a table of the same name changes one, other tables replace them all."""
        tables = self.given("criteria")
        if not tables:
            return form.criteria
        if not form.ABOUT:
            self.problem(
                ("criteria",), f"the form {form.name!r} asks for texts, not for judgments. Leave [criteria] out."
            )
            return ()
        shipped = {one.name: one for one in form.criteria}
        found = []
        for name, table in tables.items():
            default = shipped.get(name, form.criteria[0])
            declared = {"unit": default.unit, "asks": default.asks, **(table if isinstance(table, dict) else {})}
            if name in shipped:
                same_scale = not isinstance(table, dict) or not {"low", "high", "labels"} & set(table)
                kept = default.as_record() if same_scale else {"question": default.question, "scale": default.scale}
                declared = {**{key: value for key, value in kept.items() if value}, **declared}
                if "low" in default.as_record() and same_scale:
                    declared = {"low": default.low, "high": default.high, **declared}
            try:
                found.append(self._criterion(form, name, declared if isinstance(table, dict) else table))
            except ValueError as error:
                self.problem(("criteria", name), f"[criteria.{name}] {error}")
        return tuple(found)

    def _criterion(self, form: Questionnaire, name: str, declared: Any) -> Criterion:
        criterion = read_criterion(name, declared)
        if not criterion.question:
            raise ValueError("has no question. Write what annotators are asked.")
        if criterion.unit != form.ABOUT:
            raise ValueError(f"is about {criterion.unit!r}, and the form {form.name!r} shows {form.ABOUT!r}.")
        has_scale = form.name in ("spans", "listener") or criterion.span is not None
        if not has_scale:
            raise ValueError("has no scale. Give low and high, or labels.")
        shipped = form.criteria[0]
        if form.name in FIXED_SCALE and (criterion.low, criterion.high) != (shipped.low, shipped.high):
            raise ValueError(f"has a scale of its own. The answers of the form {form.name!r} are fixed: leave it out.")
        if name == "comment":
            raise ValueError("has the name of the comment. Choose another.")
        return criterion

    def _rules(self, pages: Mapping[str, Any], payment: Mapping[str, Any], seed: int) -> Rules | None:
        before = len(self.problems)
        for table, key in (("pages", "lease_minutes"), ("pages", "revise_minutes"), ("payment", "per_page")):
            value = (pages if table == "pages" else payment).get(key, 0.0)
            if not (isfinite(value) and value >= 0):
                self.problem((table, key), f"[{table}] {key} is {value:g}. Give 0 or more.")
        if len(self.problems) > before:
            return None
        try:
            return Rules(
                judgments_per_unit=pages.get("judgments", 3),
                page_size=pages.get("units", 10),
                lease_seconds=60.0 * pages.get("lease_minutes", 60.0),
                revise_seconds=60.0 * pages.get("revise_minutes", 10.0),
                max_pages_per_annotator=pages.get("most"),
                policy=pages.get("policy", "balanced"),
                checks_per_page=pages.get("checks", 0),
                seed=seed or 0,
                price_per_page=payment.get("per_page", 0.0),
                currency=payment.get("currency", "USD"),
            )
        except ValueError as error:
            self.problem(("pages",), f"[pages] {error}")
        except TypeError:  # a value that was reported already
            pass
        return None

    def _survey(self) -> tuple[Question, ...]:
        kinds = get_type_hints(Question)
        found: list[Question] = []
        tables = self.content.get("survey", [])
        for at, table in enumerate(tables if isinstance(tables, list) else []):
            before = len(self.problems)
            for key in ("name", "question"):
                if isinstance(table, dict) and key not in table:
                    self.problem(("survey", at), f"[[survey]] needs the key {key!r}.")
            values = self.values(("survey", at), table if isinstance(table, dict) else {}, kinds)
            if len(self.problems) > before:
                continue
            try:
                found.append(Question(**values))
            except ValueError as error:
                self.problem(("survey", at), f"[[survey]] {error}")
        if len({one.name for one in found}) < len(found):
            self.problem(("survey",), "[[survey]] has two questions of one name.")
        return tuple(found)

    def _sensible(
        self, rules: Rules | None, checks: tuple[Example, ...], payment: Mapping[str, Any], panel: Mapping[str, Any]
    ) -> None:
        """What fits its type and still cannot be meant."""
        if rules is not None and rules.checks_per_page > len(checks) and not self.problems:
            self.problem(
                ("pages", "checks"),
                f"[pages] checks is {rules.checks_per_page}, and there are {len(checks)}. Add [[checks]], or lower it.",
            )
        if (payment.get("seconds_per_unit") or 1.0) <= 0:
            self.problem(("payment", "seconds_per_unit"), "[payment] seconds_per_unit must be above 0.")
        url = panel.get("completion_url")
        if url and not url.startswith("https://"):
            self.problem(("panel", "completion_url"), "[panel] completion_url must begin with https://.")
        if panel.get("name") and not panel.get("person"):
            self.problem(("panel",), "[panel] needs the key 'person': the parameter of the link that names a person.")

    def _page_text(self, name: str, default: str) -> str:
        table = self.given(name)
        values = self.values((name,), table, {"text": str})
        if name in self.content and not values.get("text", "").strip():
            self.problem((name,), f"[{name}] needs the key 'text'.")
            raise DataError(self.problems)
        return values.get("text", default) or default
