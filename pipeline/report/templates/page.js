"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const say = (text) => { byId("status").textContent = text; };
  const isDark = () => root.dataset.theme === "dark";

  // --- Charts -----------------------------------------------------------------------------

  const specs = JSON.parse(byId("specs").textContent);
  const views = new Map();

  const contentOf = (figure) => JSON.parse(figure.querySelector("script").textContent);
  // Vega keeps groups in plain objects: a class of the name `constructor` would find a function
  // there. An invisible space makes it another name.
  const asName = (value) => (typeof value === "string" && value in {} ? `\u200b${value}` : value);
  const objects = ({ fields, rows }) =>
    rows.map((row) => Object.fromEntries(fields.map((field, i) => [field, asName(row[i])])));

  // Specifications name colours as CSS variables, and the width of labels by a word.
  const resolve = (spec, plot) => {
    const style = getComputedStyle(root);
    const replace = (value) =>
      value === "a third" ? Math.round(plot.clientWidth / 3)
        : value === "by width" ? Math.max(1, Math.floor(plot.clientWidth / 160))
        : typeof value === "string" && value.startsWith("var(--")
          ? style.getPropertyValue(value.slice(4, -1)).trim() : value;
    return JSON.parse(JSON.stringify(spec), (_, value) => replace(value));
  };

  const CONFIG = {
    background: null,
    font: "system-ui, sans-serif",
    aria: false,
    view: { stroke: null },
    axis: {
      labelColor: "var(--muted)", titleColor: "var(--muted)", gridColor: "var(--line)",
      domainColor: "var(--line)", tickColor: "var(--line)", labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 500, titlePadding: 8, tickCount: 5,
    },
    legend: {
      labelColor: "var(--ink)", titleColor: "var(--muted)", labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: 500, orient: "top", labelLimit: 200, symbolStrokeWidth: 2, symbolOpacity: 1, columns: "by width",
      offset: 6, padding: 0,
    },
    text: { color: "var(--ink)" },
  };

  const draw = async (figure) => {
    const plot = figure.querySelector(".plot");
    views.set(figure, null);
    const content = contentOf(figure);
    const datasets = Object.fromEntries(
      Object.entries(content.others || {}).map(([name, data]) => [name, objects(data)]));
    const spec = resolve({ ...specs[content.spec], config: CONFIG }, plot);
    const result = await vegaEmbed(plot, { data: { values: objects(content) }, datasets, ...spec }, {
      mode: "vega-lite", renderer: "svg", actions: false,
      // Interprets expressions: the content security policy forbids to compile them.
      ast: true,
      tooltip: { theme: isDark() ? "dark" : "light" },
    });
    // The place around it has the words; the library's roles inside have none.
    plot.querySelector("svg").setAttribute("aria-hidden", "true");
    if (views.get(figure)) views.get(figure).finalize();
    views.set(figure, result);
  };

  const figures = all("figure.figure");
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      if (!views.has(target)) draw(target);
    }
  }, { rootMargin: "400px" });
  figures.forEach((figure) => watch.observe(figure));
  document.addEventListener("themechange", () => [...views.keys()].forEach(draw));

  // The numbers of a chart become a table when they are asked for: most are never opened.
  const cell = (row, tag, value) => {
    const made = document.createElement(tag);
    if (typeof value === "number") {
      made.className = "n";
      made.textContent = value.toLocaleString("en", { maximumSignificantDigits: 6 });
    } else {
      made.append(Object.assign(document.createElement("bdi"), { textContent: value ?? "–" }));
    }
    if (tag === "th") made.scope = "col";
    row.append(made);
  };
  const tabulate = (figure, details) => {
    if (details.querySelector("table")) return;
    const { headings, rows } = contentOf(figure);
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    headings.forEach((heading) => cell(head, "th", heading));
    const body = table.createTBody();
    rows.forEach((values) => {
      const row = body.insertRow();
      values.forEach((value) => cell(row, "td", value));
    });
    const frame = document.createElement("div");
    Object.assign(frame, { className: "scroll tall", tabIndex: 0 });
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Numbers of the chart");
    frame.append(table);
    details.append(frame);
  };
  figures.forEach((figure) => {
    const details = figure.querySelector("details.numbers");
    details.addEventListener("toggle", () => details.open && tabulate(figure, details));
  });

  // --- Links inside the page --------------------------------------------------------------

  // By hand: in a frame made from text, as Kubeflow's viewer has, such links would leave the page.
  const reveal = (target) => {
    for (let up = target; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    // At once: a smooth scroll would draw each chart on its way, and miss a target that moves.
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  };
  const menu = document.querySelector("details.menu");
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (menu.open && !(menu.contains(event.target) && !link)) menu.open = false;
    const target = link && byId(link.getAttribute("href").slice(1));
    if (!target) return;
    event.preventDefault();
    reveal(target);
    try { history.replaceState(null, "", link.getAttribute("href")); } catch { /* a sandboxed frame */ }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) { menu.open = false; menu.querySelector("summary").focus(); }
  });
  const start = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  if (start) reveal(start);

  const current = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      all(`nav a[href="#${target.id}"]`).forEach((link) =>
        isIntersecting ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
    }
  }, { rootMargin: "-20% 0px -75% 0px" });
  all("section.part").forEach((part) => current.observe(part));

  // --- Theme, copy ------------------------------------------------------------------------

  const theme = byId("theme");
  const nameTheme = () => { theme.textContent = isDark() ? "Light theme" : "Dark theme"; };
  theme.hidden = false;
  nameTheme();
  theme.addEventListener("click", window.pageTheme.toggle);
  document.addEventListener("themechange", nameTheme);

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };
  all("button.copy").forEach((button) => {
    const code = button.parentElement.querySelector("code");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        // A page from a file, or in a frame, may not write to the clipboard this way.
        select(code);
        if (!document.execCommand("copy")) { say("Press Ctrl+C to copy the selected command."); return; }
      }
      button.textContent = "Copied";
      say("The command is copied.");
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  });

  // --- Tables -----------------------------------------------------------------------------

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

  // --- Columns: search, order, filter -----------------------------------------------------

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

  // --- Costs of thresholds ----------------------------------------------------------------

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
      byId("cost-best").textContent = rows.length ? `Cheapest threshold: ${rows[best].cells[0].textContent}` : "";
    };
    costs.hidden = false;
    costs.addEventListener("submit", (event) => event.preventDefault());
    costs.addEventListener("input", update);
    update();
  }

  // --- Print ------------------------------------------------------------------------------

  const MOST_PRINTED = 60;
  let opened = [];
  const prepare = () => {
    if (opened.length) return;
    const shown = all("details.column:not([hidden])");
    const skipped = new Set(shown.length > MOST_PRINTED
      ? shown.filter(({ dataset }) => Number(dataset.attention) < 0.5) : []);
    opened = all("details:not([open]):not(.numbers):not(.menu)").filter((details) => !skipped.has(details));
    opened.forEach((details) => { details.open = true; });
    window.pageTheme.print(true);
    const closed = (figure) => figure.closest("details:not([open]), [hidden]");
    figures.filter((figure) => !views.has(figure) && !closed(figure)).forEach(draw);
  };
  const restore = () => {
    opened.forEach((details) => { details.open = false; });
    opened = [];
    window.pageTheme.print(false);
  };
  window.addEventListener("beforeprint", prepare);
  window.addEventListener("afterprint", restore);
  window.matchMedia("print").addEventListener("change", ({ matches }) => (matches ? prepare() : restore()));
})();
