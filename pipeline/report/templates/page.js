"use strict";
// Links inside the page, the theme, copied commands, and printing.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  const say = (text) => { byId("status").textContent = text; };
  const isDark = () => root.dataset.theme === "dark";

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
    window.pageCharts.drawVisible();
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
