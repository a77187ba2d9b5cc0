"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// What only a script can do is hidden until there is one.
for (const control of all("#theme, .copy, .tools input, .rank-by")) control.hidden = false;

// Sort a table by a click on a header: once up, once down. Gaps stay at the end.
for (const button of all("th button")) {
  button.addEventListener("click", () => {
    const header = button.parentElement;
    const table = header.closest("table");
    const column = [...header.parentElement.children].indexOf(header);
    const ascending = header.getAttribute("aria-sort") !== "ascending";
    for (const other of all("th", table)) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const cell = (row) => row.children[column];
    const compare = header.classList.contains("number")
      ? (a, b) => {
          const [x, y] = [a, b].map((row) => (cell(row).dataset.value === "" ? NaN : Number(cell(row).dataset.value)));
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
          return ascending ? x - y : y - x;
        }
      : (a, b) => (ascending ? 1 : -1) * cell(a).textContent.localeCompare(cell(b).textContent);
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  });
}

// Rank a leaderboard by any evaluator: best first, equal scores share a rank, gaps at the end without one.
for (const choice of all(".rank-by select")) {
  choice.addEventListener("change", () => {
    const table = choice.closest(".table").querySelector("table");
    const column = Number(choice.value);
    const better = Number(choice.selectedOptions[0].dataset.better);
    const value = (row) => (row.cells[column].dataset.value === "" ? NaN : better * row.cells[column].dataset.value);
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return Number.isNaN(x) || Number.isNaN(y) ? Number.isNaN(x) - Number.isNaN(y) : y - x;
    });
    for (const row of rows) {
      const own = value(row);
      const rank = Number.isNaN(own) ? "" : 1 + rows.filter((other) => value(other) > own).length;
      row.cells[0].textContent = rank === "" ? "–" : rank;
      row.cells[0].dataset.value = rank;
    }
    for (const header of all("th", table)) header.removeAttribute("aria-sort");
    table.tBodies[0].append(...rows);
  });
}

// Show only the rows that hold every word of the search, and say how many these are.
for (const input of all(".tools input")) {
  const count = input.parentElement.querySelector(".count");
  const unsearched = count.textContent;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = all("tbody tr", input.closest(".table"));
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const found = rows.filter((row) => !row.hidden).length;
    count.textContent = words.length ? `${found} of ${rows.length} rows match` : unsearched;
  });
}

// Marks keep their text in a title, which is for files of their own; here a note shows it instead of the browser.
for (const title of all("figure svg :not(svg) > title")) {
  title.parentElement.dataset.note = title.textContent;
  title.textContent = "";
}

// A note about a mark: on hover it follows the pointer; by click, tap or arrow key it stays until it is closed.
const note = document.getElementById("note");
let told = null;
function closeNote() {
  if (told) told.classList.remove("told");
  told = null;
  note.hidden = true;
  note.classList.remove("pinned");
}
function tell(mark, x, y, pinned) {
  closeNote();
  told = mark;
  mark.classList.add("told");
  note.firstElementChild.textContent = mark.dataset.note;
  note.classList.toggle("pinned", pinned);
  note.hidden = false;
  const left = Math.min(x + 12, document.documentElement.clientWidth - note.offsetWidth - 8);
  const below = y + 12 + note.offsetHeight < window.innerHeight;
  const top = below ? y + 12 : Math.max(8, y - 12 - note.offsetHeight);
  note.style.left = `${Math.max(8, left) + window.scrollX}px`;
  note.style.top = `${top + window.scrollY}px`;
}
const isPinned = () => note.classList.contains("pinned");
const markUnder = (event) => event.target.closest?.("[data-note]");
document.addEventListener("mousemove", (event) => {
  if (isPinned()) return;
  const mark = markUnder(event);
  if (mark) tell(mark, event.clientX, event.clientY, false);
  else closeNote();
});
// A finger is wider than a mark: a tap beside one means the nearest.
function markNear(event, reach = 14) {
  const distance = (mark) => {
    const box = mark.getBoundingClientRect();
    return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
  };
  const drawing = event.target.closest?.(".drawing");
  const near = drawing ? all("[data-note]", drawing).map((mark) => [distance(mark), mark]) : [];
  return near.filter(([away]) => away <= reach).sort((a, b) => a[0] - b[0])[0]?.[1];
}
document.addEventListener("click", (event) => {
  const mark = markUnder(event) ?? markNear(event);
  if (mark) tell(mark, event.clientX, event.clientY, true);
  else if (!note.contains(event.target) || event.target.closest("button")) closeNote();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeNote();
});

// A figure in focus: arrow keys go from mark to mark, from left to right.
for (const drawing of all(".drawing")) {
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const left = (mark) => mark.getBoundingClientRect().left;
    const marks = step ? all("[data-note]", drawing).map((mark) => [left(mark), mark]).sort((a, b) => a[0] - b[0]) : [];
    if (!marks.length) return;
    event.preventDefault();
    const at = marks.findIndex(([, mark]) => mark === told);
    const next = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length;
    const mark = marks[next][1];
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = mark.getBoundingClientRect();
    tell(mark, box.right, box.bottom, true);
  });
}

// Copy a block; where the browser does not allow it, select it instead.
for (const button of all(".copy")) {
  button.addEventListener("click", async () => {
    const text = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}

// Light and dark: as the system says, until the button is pressed.
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
