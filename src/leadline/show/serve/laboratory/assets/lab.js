"use strict";
// A page that shows running work loads itself again, but not while somebody types in it.
const waiting = document.querySelector("[data-reload]");
if (waiting) {
  const seconds = Number(waiting.dataset.reload);
  setInterval(() => {
    const busy = document.activeElement && document.activeElement.matches("input, select, textarea");
    if (!busy && !document.hidden) location.reload();
  }, 1000 * seconds);
}
