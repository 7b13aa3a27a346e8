"use strict";
// In the head, so that the page never shows in the wrong theme first.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  // A sandboxed frame has no storage: reading it throws.
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const store = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* kept for this view */ } };
  let chosen = stored();
  let printing = false;

  const theme = () => (printing ? "light" : chosen || (dark.matches ? "dark" : "light"));
  const apply = () => {
    if (root.dataset.theme === theme()) return;
    root.dataset.theme = theme();
    document.dispatchEvent(new Event("themechange"));
  };
  window.pageTheme = {
    toggle() { chosen = theme() === "dark" ? "light" : "dark"; store(chosen); apply(); },
    // Paper is white.
    print(on) { printing = on; apply(); },
  };
  dark.addEventListener("change", apply);
  apply();
})();
