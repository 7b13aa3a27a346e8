"use strict";
// Sorted tables, the list of columns, and the costs of thresholds.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);

  // A frame that scrolls sideways says so: nothing else shows it where scroll bars are hidden.
  const measure = (frame) => {
    const hidden = frame.scrollWidth - frame.clientWidth;
    const name = frame.querySelector('tbody th[scope="row"]');
    return {
      frame,
      isWide: hidden > 4,
      hasMore: hidden - frame.scrollLeft > 4,
      // The names of the rows stay in view, unless they would fill the frame.
      keepsNames: name !== null && name.offsetWidth < 0.45 * frame.clientWidth,
    };
  };
  const cue = ({ frame, isWide, hasMore, keepsNames }) => {
    frame.classList.toggle("more", isWide && hasMore);
    frame.classList.toggle("fixed", isWide && keepsNames);
    const before = frame.previousElementSibling;
    if (before && before.matches(".hint")) before.hidden = !isWide;
    else if (isWide) {
      frame.before(Object.assign(document.createElement("p"), { className: "hint", textContent: "Scroll sideways for more →" }));
    }
  };
  // All are measured before any is changed: else the page would be laid out once for each frame.
  // A frame in a closed element has no width; to measure it would lay out all 500 columns.
  const resized = new ResizeObserver((entries) =>
    entries.filter(({ contentRect }) => contentRect.width > 0).map(({ target }) => measure(target)).forEach(cue));
  window.pageTables = {
    watch(frame) {
      resized.observe(frame);
      frame.addEventListener("scroll", () => cue(measure(frame)), { passive: true });
    },
  };
  all(".scroll").forEach(window.pageTables.watch);

  const sortKey = (row, column) => {
    const place = row.cells[column];
    const text = place.dataset.value ?? place.textContent.trim();
    const value = Number(text.replaceAll(",", "").replace("−", "-"));
    return text === "" || text === "–" ? null : Number.isNaN(value) ? text : value;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  const sortTable = (table, column, descending) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: sortKey(row, column) }));
    // Rows without a value stand last in both directions.
    rows.sort((a, b) => (a.key === null) - (b.key === null) || (descending ? -1 : 1) * compare(a.key, b.key));
    body.append(...rows.map(({ row }) => row));
  };
  all("table.sortable").forEach((table) => all("thead th", table).forEach((heading, column) => {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortTable(table, column, descending);
    });
  }));

  const list = byId("columns");
  if (list) {
    const columns = all("details.column", list).map((element, place) => ({
      element, place, name: element.querySelector(".name").textContent.toLowerCase(),
    }));
    const search = byId("column-search");
    const filter = byId("column-attention");
    const show = () => {
      const wanted = search.value.trim().toLowerCase();
      let shown = 0;
      for (const { element, name } of columns) {
        const isShown = name.includes(wanted) && !(filter.checked && Number(element.dataset.attention) < 0.5);
        element.hidden = !isShown;
        shown += isShown;
      }
      byId("column-count").textContent = `${shown} of ${columns.length} columns`;
    };
    const order = () => {
      const key = byId("column-sort").value;
      const sorted = [...columns].sort((a, b) =>
        key === "name" ? a.name.localeCompare(b.name, "en", { numeric: true })
          : Number(b.element.dataset[key]) - Number(a.element.dataset[key]) || a.place - b.place);
      list.append(...sorted.map(({ element }) => element));
    };
    byId("column-tools").hidden = false;
    byId("column-tools").addEventListener("submit", (event) => event.preventDefault());
    search.addEventListener("input", show);
    filter.addEventListener("change", show);
    byId("column-sort").addEventListener("change", order);
  }

  const costs = byId("costs");
  if (costs) {
    const rows = all("#thresholds tbody tr");
    const update = () => {
      const [positive, negative] = ["cost-positive", "cost-negative"].map((id) => Number(byId(id).value) || 0);
      const totals = rows.map(({ dataset }) => positive * dataset.positive + negative * dataset.negative);
      const best = totals.indexOf(Math.min(...totals));
      rows.forEach((row, i) => {
        row.querySelector(".cost").textContent = totals[i].toLocaleString("en", { maximumFractionDigits: 2 });
        row.classList.toggle("best", i === best);
      });
      // Within the table's own frame only: the page stays where it is.
      const frame = rows.length ? rows[best].closest(".scroll") : null;
      if (frame) frame.scrollTop = rows[best].offsetTop - frame.clientHeight / 2;
      byId("cost-best").textContent = rows.length ? `Cheapest threshold: ${rows[best].cells[0].textContent}` : "";
    };
    costs.hidden = false;
    costs.addEventListener("submit", (event) => event.preventDefault());
    costs.addEventListener("input", update);
    update();
  }
})();
