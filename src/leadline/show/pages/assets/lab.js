"use strict";
// A page that shows running work (data-reload, its value: seconds of the first pause) loads itself again, the only place
// that does. The pauses grow, so that work of an hour costs few requests; nothing is loaded while the page is hidden,
// while somebody types in it, or while a file is chosen.
const SHORTEST = 2, USUAL = 3, LONGEST = 30;  // seconds
const waiting = document.querySelector("[data-reload]");
const place = `pause ${location.pathname}${location.search}`;

function kept() {  // the pause before this load, and when that was
  try { return JSON.parse(sessionStorage.getItem(place)) ?? {}; } catch { return {}; }
}

function keep(value) {
  try {
    if (value) sessionStorage.setItem(place, JSON.stringify(value));
    else sessionStorage.removeItem(place);
  } catch { /* no storage: the pause does not grow */ }
}

function nextPause() {
  const first = Math.max(SHORTEST, Number(waiting.dataset.reload) || USUAL);
  const { pause, at } = kept();
  const again = pause > 0 && Date.now() - at < 2000 * LONGEST;  // else somebody comes back later
  return again ? Math.min(LONGEST, Math.max(first, 1.5 * pause)) : first;
}

function isBusy() {
  const chosen = [...document.querySelectorAll("input[type=file]")].some((each) => each.files.length);
  return chosen || document.activeElement?.matches("input, select, textarea");
}

if (waiting) {
  const pause = nextPause();
  let timer;
  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(reload, 1000 * pause);
  };
  const reload = () => {
    if (isBusy()) return wait();
    keep({ pause, at: Date.now() });
    location.reload();
  };
  document.addEventListener("visibilitychange", wait);
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait);
} else {
  keep(null);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
