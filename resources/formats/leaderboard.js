"use strict";
// Sorting and filtering for tables that are complete without it; controls appear only where this runs.
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
  };
  const missing = (item) => item === "" || item === "n/a" || Number.isNaN(item);
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  const sort = (table, column, header) => {
    const up = header.getAttribute("aria-sort") === "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row, place) => ({ row, place, value: value(row, column) }));
    rows.sort((a, b) => {
      // What is not known comes last, whichever way the column is sorted.
      if (missing(a.value) || missing(b.value)) return missing(a.value) - missing(b.value) || a.place - b.place;
      return (up ? 1 : -1) * compare(a.value, b.value) || a.place - b.place;
    });
    table.tBodies[0].append(...rows.map((item) => item.row));
  };
  for (const table of document.querySelectorAll("table.board")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = header.textContent;
      button.addEventListener("click", () => sort(table, column, header));
      header.replaceChildren(button);
    });
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.type = "search";
    label.className = "filter";
    label.append("Show rows with ", field);
    const count = document.createElement("output");
    label.append(" ", count);
    const filter = () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length ? `${shown} of ${table.tBodies[0].rows.length}` : "";
    };
    field.addEventListener("input", filter);
    table.before(label);
  }
})();
