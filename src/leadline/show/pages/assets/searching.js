"use strict";
// Keys: / goes to the query, j and k to the next and previous hit. A link into a folded part opens it.
(() => {
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

  const openPart = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const part = name ? document.getElementById(name) : null;
    for (let at = part; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (part) part.scrollIntoView();
  };

  const move = (step) => {
    const hits = [...document.querySelectorAll(".hit")];
    if (!hits.length) return;
    const now = hits.findIndex((hit) => hit.contains(document.activeElement));
    const next = hits[Math.min(hits.length - 1, Math.max(0, now < 0 ? 0 : now + step))];
    const title = next.querySelector("a") || next;
    title.focus();
    next.scrollIntoView({ block: "nearest" });
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const query = document.getElementById("q") || document.getElementById("patent");
    if (event.key === "/" && query) { event.preventDefault(); query.focus(); query.select(); }
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
  });
  window.addEventListener("hashchange", openPart);
  openPart();
})();
