"use strict";
// Draws the charts when they come into view, and makes tables of their numbers.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  const isDark = () => root.dataset.theme === "dark";
  const specs = JSON.parse(byId("specs").textContent);
  const views = new Map();

  const contentOf = (figure) => JSON.parse(figure.querySelector("script").textContent);
  // Vega keeps groups in plain objects: a class of the name `constructor` would find a function
  // there. An invisible space makes it another name.
  const asName = (value) => (typeof value === "string" && value in {} ? `\u200b${value}` : value);
  const objects = ({ fields, rows }) =>
    rows.map((row) => Object.fromEntries(fields.map((field, i) => [field, asName(row[i])])));

  // Specifications name colours as CSS variables, and the width of labels by a word.
  const NARROW = 480;
  const resolve = (spec, plot) => {
    const style = getComputedStyle(root);
    const isNarrow = plot.clientWidth < NARROW;
    const above = { labelLimit: plot.clientWidth, labelAlign: "left", labelPadding: 0, labelOffset: -12 };
    const replace = (value) =>
      value && value.labelLimit === "above on phones" && isNarrow ? { ...value, ...above }
        : value === "a third" || (value === "above on phones" && !isNarrow) ? Math.round(plot.clientWidth / (isNarrow ? 2 : 3))
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
    if (JSON.stringify(spec).includes('"labelOffset":-12')) spec.height = Math.round(1.6 * spec.height);
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
  window.pageCharts = {
    drawVisible() {
      const isClosed = (figure) => figure.closest("details:not([open]), [hidden]");
      figures.filter((figure) => !views.has(figure) && !isClosed(figure)).forEach(draw);
    },
  };

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
    window.pageTables.watch(frame);
  };
  figures.forEach((figure) => {
    const details = figure.querySelector("details.numbers");
    details.addEventListener("toggle", () => details.open && tabulate(figure, details));
  });
})();
