// What is cut off, overlaps or scrolls aside on the page as it is shown, a sentence each.
() => {
  const found = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) found.push(`the page is ${wide} pixels wider than the screen`);
  for (const svg of document.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect();
    if (!frame.width) continue;
    const box = svg.closest(".drawing");
    if (box.scrollWidth > box.clientWidth + 1) found.push(`${svg.id} scrolls`);
    const clip = svg.querySelector("clipPath rect");
    const to = svg.getScreenCTM();
    const [x, y, w, h] = ["x", "y", "width", "height"].map((side) => clip[side].baseVal.value);
    const plot = { left: x * to.a + to.e, right: (x + w) * to.a + to.e, top: y * to.d + to.f, bottom: (y + h) * to.d + to.f };
    const inside = (mark, area, slack) => {
      const own = mark.getBoundingClientRect();
      const out = [area.left - own.left, own.right - area.right, area.top - own.top, own.bottom - area.bottom];
      if (Math.max(...out) > slack) found.push(`${svg.id}: ${mark.tagName} ${mark.textContent.slice(0, 30)} is cut off`);
    };
    for (const text of svg.querySelectorAll("text")) inside(text, frame, 1);
    const marks = "circle, polygon, text, .intervals path";
    for (const mark of svg.querySelectorAll("g[clip-path] :is(" + marks + ")")) inside(mark, plot, 2);
    const labels = [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
    const isTilted = (text) => (text.getAttribute("transform") ?? "").startsWith("rotate(-35");
    labels.forEach(([one, a], place) => {
      for (const [two, b] of labels.slice(0, place)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Tilted labels are parallel: their boxes overlap although they are a line's height apart.
        const apart = isTilted(one) && isTilted(two) && Math.abs(a.right - b.right) * Math.sin((35 * Math.PI) / 180) >= 9;
        if (across > 2 && down > 3 && !apart) found.push(`${svg.id}: ${one.textContent} lies over ${two.textContent}`);
      }
    });
  }
  for (const box of document.querySelectorAll(".box")) {
    const cell = box.querySelector("tbody td");
    if (!cell || box.scrollWidth <= box.clientWidth) continue;
    const share = cell.getBoundingClientRect().width / box.clientWidth;
    if (share > 0.5) found.push(`the first column of ${box.parentElement.id} takes ${Math.round(100 * share)}%`);
  }
  return found;
}
