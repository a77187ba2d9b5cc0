"use strict";

// Sort a table by a click on a header: once up, once down. Gaps stay at the end.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const header = button.parentElement;
    const table = header.closest("table");
    const column = [...header.parentElement.children].indexOf(header);
    const ascending = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const value = (row) => row.children[column];
    const compare = header.classList.contains("number")
      ? (a, b) => {
          const [x, y] = [a, b].map((row) => (value(row).dataset.value === "" ? NaN : Number(value(row).dataset.value)));
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
          return ascending ? x - y : y - x;
        }
      : (a, b) => (ascending ? 1 : -1) * value(a).textContent.localeCompare(value(b).textContent);
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  });
}

// Show only the rows that hold every word of the search.
for (const input of document.querySelectorAll(".table input")) {
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of input.closest(".table").querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}

// The text behind a mark, on hover, touch and focus.
const tip = document.getElementById("tip");
const told = (mark) => mark && mark.querySelector(":scope > title");
function show(event) {
  const mark = event.target.closest ? event.target.closest("[data-hit]") : null;
  const title = told(mark);
  if (!title) {
    tip.hidden = true;
    return;
  }
  tip.textContent = title.textContent;
  tip.hidden = false;
  const x = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
  const y = Math.min(event.clientY + 12, window.innerHeight - tip.offsetHeight - 8);
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${Math.max(8, y)}px`;
}
for (const kind of ["mousemove", "click"]) document.addEventListener(kind, show);

// Light and dark: as the system says, until the button is pressed.
document.getElementById("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});
