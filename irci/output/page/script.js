"use strict";
// Headers become buttons that sort, and tables of many rows get a box that filters. Of very many the first are shown, so that
// this stays quick. Without this script all rows are there and can be read; on paper they are too.
(() => {
  const FEW = 8;
  const MOST = 500;
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

  const make = (tag, properties, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const numberOf = (text) => (text === "" ? NaN : Number(text.replace(/^</, "")));
  const isNumeric = (texts) => texts.every((text) => text === "" || text === "nan" || !Number.isNaN(numberOf(text)));

  // What is empty or no number comes last, either way; rows that are equal stay in their order.
  const sorted = (rows, place, direction) => {
    if (direction === "none") return rows;
    const texts = rows.map(({ cells }) => cells[place].dataset.value ?? cells[place].textContent.trim());
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

  class Rows {
    constructor(table) {
      this.table = table;
      this.given = [...table.tBodies[0].rows];
      this.order = this.given;
      this.words = [];
      this.most = MOST;
      this.sortable();
      if (this.given.length > FEW) this.filterable();
      if (this.given.length > MOST) this.show();
    }

    sortable() {
      const headers = [...this.table.tHead.rows[0].cells];
      headers.forEach((header, place) => {
        const button = make("button", { type: "button" }, ...header.childNodes);
        header.append(button);
        header.setAttribute("aria-sort", "none");
        button.addEventListener("click", () => {
          const direction = NEXT[header.getAttribute("aria-sort")];
          headers.forEach((each) => each.setAttribute("aria-sort", each === header ? direction : "none"));
          this.order = sorted(this.given, place, direction);
          this.show();
        });
      });
    }

    filterable() {
      const heading = document.getElementById(`${this.table.id}-heading`).textContent;
      const input = make("input", { type: "search", id: `${this.table.id}-filter`, ariaLabel: `Rows with, in ${heading}` });
      this.told = make("output", { htmlFor: input.id });
      this.all = make("button", { type: "button", hidden: true });
      const label = make("label", { htmlFor: input.id }, "Rows with");
      this.table.closest(".scroll").before(make("div", { className: "filter" }, label, input, this.told, this.all));
      input.addEventListener("input", () => {
        this.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.show();
      });
      this.all.addEventListener("click", () => {
        this.most = Infinity;
        this.show();
      });
    }

    matching() {
      if (!this.words.length) return this.order;
      this.texts ??= new Map(this.given.map((row) => [row, row.textContent.toLowerCase()]));
      return this.order.filter((row) => this.words.every((word) => this.texts.get(row).includes(word)));
    }

    show() {
      const rows = this.matching();
      this.fill(rows.slice(0, this.most));
      if (!this.told) return;
      const isCut = rows.length > this.most;
      const found = this.words.length ? `${rows.length} of ${this.given.length} rows` : "";
      this.told.textContent = isCut ? [found, `the first ${this.most} are shown`].filter(Boolean).join(", ") : found;
      this.all.hidden = !isCut;
      this.all.textContent = `Show all ${rows.length}`;
    }

    fill(rows) {
      const shown = document.createDocumentFragment();
      rows.forEach((row) => shown.append(row));
      this.table.tBodies[0].replaceChildren(shown);
    }
  }

  const tables = [...document.querySelectorAll("table")].map((table) => new Rows(table));
  const folded = [...document.querySelectorAll("details.whole")];
  let closed = [];
  addEventListener("beforeprint", () => {
    tables.forEach((each) => each.fill(each.order));
    closed = folded.filter((each) => !each.open);
    closed.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => {
    tables.forEach((each) => each.show());
    closed.forEach((each) => { each.open = false; });
  });
})();
