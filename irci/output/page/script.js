"use strict";
// Headers become buttons that sort, and tables of many rows get a box that filters. Without this everything can be read.
(() => {
  const FEW = 8;
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  const cellsOf = (rows, place) => rows.map(({ cells }) => cells[place].dataset.value ?? cells[place].textContent.trim());
  const numberOf = (text) => (text === "" ? NaN : Number(text.replace(/^</, "")));
  const isNumeric = (texts) => texts.every((text) => text === "" || text === "nan" || !Number.isNaN(numberOf(text)));

  // What is empty or no number comes last, either way; rows that are equal stay in their order.
  const sorted = (rows, place, direction) => {
    const texts = cellsOf(rows, place);
    const keys = isNumeric(texts) ? texts.map(numberOf) : texts;
    const sign = direction === "ascending" ? 1 : -1;
    const isLast = (key) => key === "" || Number.isNaN(key);
    const order = rows.map((_, i) => i).sort((a, b) => {
      const [x, y] = [keys[a], keys[b]];
      if (isLast(x) || isLast(y)) return isLast(x) - isLast(y);
      return x < y ? -sign : x > y ? sign : 0;
    });
    return order.map((i) => rows[i]);
  };

  const sortable = (table, given) => {
    const headers = [...table.tHead.rows[0].cells];
    headers.forEach((header, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      header.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = NEXT[header.getAttribute("aria-sort")];
        headers.forEach((each) => each.setAttribute("aria-sort", each === header ? direction : "none"));
        const shown = document.createDocumentFragment();
        (direction === "none" ? given : sorted(given, place, direction)).forEach((row) => shown.append(row));
        table.tBodies[0].append(shown);
      });
    });
  };

  const filterable = (table, rows) => {
    const name = document.getElementById(`${table.id}-heading`).textContent;
    const box = document.createElement("div");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("output");
    box.className = "filter";
    input.type = "search";
    input.id = `${table.id}-filter`;
    label.htmlFor = input.id;
    label.textContent = "Rows with";
    input.setAttribute("aria-label", `Rows with, in ${name}`);
    box.append(label, input, count);
    table.closest(".scroll").before(box);
    let texts;
    const filter = () => {
      texts ??= rows.map((row) => row.textContent.toLowerCase());
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        shown += !row.hidden;
      });
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    };
    input.addEventListener("input", filter);
  };

  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.tBodies[0].rows];
    sortable(table, rows);
    if (rows.length > FEW) filterable(table, rows);
  }

  const details = [...document.querySelectorAll("details")];
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = details.filter((each) => !each.open);
    closed.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
})();
