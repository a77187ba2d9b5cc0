// Progressive enhancement of the forms: a draft until the receipt, a warning on copies, spans, visible time.
// Everything but marking spans works without it.
"use strict";

const DRAFT = "assay:";

function keep(work) {
  // Storage may be switched off; the form works without a draft.
  try { return work(); } catch { return null; }
}

function forgetDrafts(saved, over) {
  keep(() => {
    if (saved) localStorage.removeItem(DRAFT + saved);
    if (over) Object.keys(localStorage).filter((key) => key.startsWith(DRAFT)).forEach((key) => localStorage.removeItem(key));
  });
}

function values(form) {
  return [...new FormData(form)].filter(([name, value]) => name !== "ms" && value !== "");
}

function restore(form) {
  if (form.dataset.filled) return;
  const stored = keep(() => JSON.parse(localStorage.getItem(DRAFT + form.dataset.draft)));
  if (!Array.isArray(stored) || !stored.length) return;
  for (const [name, value] of stored) {
    for (const field of form.elements) {
      if (field.name !== name) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = field.value === value || field.checked;
      else field.value = value;
    }
  }
  const note = document.querySelector(".restored");
  if (note) note.hidden = false;
}

function keepDraft(form) {
  form.addEventListener("input", () => {
    keep(() => localStorage.setItem(DRAFT + form.dataset.draft, JSON.stringify(values(form))));
  });
}

function countVisibleTime(form) {
  const field = form.elements.ms;
  if (!field) return;
  let total = 0;
  let since = document.visibilityState === "visible" ? performance.now() : null;
  document.addEventListener("visibilitychange", () => {
    if (since !== null) total += performance.now() - since;
    since = document.visibilityState === "visible" ? performance.now() : null;
  });
  form.addEventListener("submit", () => {
    field.value = Math.round(total + (since === null ? 0 : performance.now() - since));
  });
}

// As on the server: case, punctuation and spaces do not make another text.
function bare(text) {
  const folded = text.normalize("NFKC").toLowerCase();
  const kept = folded.replace(/[^\p{L}\p{N}\p{M}]+/gu, " ").trim();
  return kept || folded.trim();
}

function warnOfCopies(form) {
  const areas = [...form.querySelectorAll("textarea[data-group]")];
  const look = () => {
    const seen = new Set();
    for (const area of areas) {
      const key = area.dataset.group + "\n" + bare(area.value);
      const copied = bare(area.value) !== "" && seen.has(key);
      seen.add(key);
      const note = area.parentElement.querySelector(".live");
      const text = copied ? area.dataset.warning : "";
      if (note.textContent !== text) note.textContent = text;
    }
  };
  if (areas.length) {
    form.addEventListener("input", look);
    look();
  }
}

// Spans: offsets are counted in characters (code points) of the text itself, whatever the browser counts in.
class Spans {
  constructor(root, form) {
    this.root = root;
    this.form = form;
    this.text = root.querySelector(".marked");
    this.field = root.querySelector("input[type=hidden]");
    this.category = root.querySelector(".category");
    this.severity = root.querySelector(".severity");
    this.note = root.querySelector(".live");
    this.none = root.querySelector(".none");
    this.selected = null;
    this.marked = keep(() => JSON.parse(this.field.value)) || [];
    this.none.checked = this.field.value === "[]";
    root.querySelector(".tools").hidden = false;
    this.text.contentEditable = "true";
    this.text.setAttribute("inputmode", "none");
    this.text.spellcheck = false;
    for (const kind of ["beforeinput", "paste", "drop", "cut", "dragstart"]) {
      this.text.addEventListener(kind, (event) => event.preventDefault());
    }
    document.addEventListener("selectionchange", () => this.remember());
    root.querySelector(".add").addEventListener("click", () => this.add());
    this.none.addEventListener("change", () => this.changed());
    this.show();
  }

  remember() {
    const selection = getSelection();
    if (!selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (!this.text.contains(range.startContainer) || !this.text.contains(range.endContainer)) return;
    const start = this.offset(range.startContainer, range.startOffset);
    const end = this.offset(range.endContainer, range.endOffset);
    this.selected = end > start ? [start, end] : null;
  }

  offset(node, at) {
    const before = document.createRange();
    before.setStart(this.text, 0);
    before.setEnd(node, at);
    return [...before.toString()].length;
  }

  add() {
    this.note.textContent = this.selected ? "" : this.root.dataset.nothing;
    if (!this.selected) return;
    this.marked.push([...this.selected, this.category.value, this.severity.value]);
    this.selected = null;
    this.none.checked = false;
    getSelection().removeAllRanges();
    this.changed();
  }

  changed() {
    if (this.none.checked) this.marked = [];
    this.field.value = this.marked.length || this.none.checked ? JSON.stringify(this.marked) : "";
    this.show();
    this.form.dispatchEvent(new Event("input"));
  }

  show() {
    const list = this.root.querySelector(".found");
    const characters = [...this.text.textContent];
    list.replaceChildren(...this.marked.map((span, place) => {
      const [start, end, category, severity] = span;
      const line = document.createElement("li");
      const quote = document.createElement("q");
      quote.textContent = characters.slice(start, end).join("");
      const about = document.createElement("span");
      about.textContent = `${word(this.category, category)}, ${word(this.severity, severity)}`;
      const remove = document.createElement("button");
      remove.type = "button";
      remove.className = "quiet";
      remove.textContent = this.root.dataset.remove;
      remove.setAttribute("aria-label", `${this.root.dataset.remove}: ${quote.textContent}`);
      remove.addEventListener("click", () => {
        this.marked.splice(place, 1);
        this.changed();
        this.text.focus();
      });
      line.append(quote, about, remove);
      return line;
    }));
    highlight();
  }

  range(start, end) {
    const range = document.createRange();
    const walker = document.createTreeWalker(this.text, NodeFilter.SHOW_TEXT);
    let passed = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const characters = [...node.data];
      const units = (count) => characters.slice(0, count).join("").length;
      if (start >= passed && start <= passed + characters.length) range.setStart(node, units(start - passed));
      if (end >= passed && end <= passed + characters.length) range.setEnd(node, units(end - passed));
      passed += characters.length;
    }
    return range;
  }
}

const everySpans = [];

function word(select, value) {
  const option = [...select.options].find((one) => one.value === value);
  return option ? option.textContent : value;
}

// Highlights do not touch the text, so spans may overlap; where a browser has none, the list shows them.
function highlight() {
  if (!("highlights" in CSS)) return;
  const levels = [new Highlight(), new Highlight()];
  for (const spans of everySpans) {
    for (const [start, end, , severity] of spans.marked) {
      const level = [...spans.severity.options].findIndex((one) => one.value === severity);
      levels[Math.min(Math.max(level, 0), 1)].add(spans.range(start, end));
    }
  }
  levels.forEach((one, level) => CSS.highlights.set(`span-${level}`, one));
}

forgetDrafts(document.body.dataset.saved, document.body.dataset.over);
for (const form of document.querySelectorAll("form[data-draft]")) {
  restore(form);
  for (const root of form.querySelectorAll(".spans")) everySpans.push(new Spans(root, form));
  highlight();
  keepDraft(form);
  countVisibleTime(form);
  warnOfCopies(form);
}
