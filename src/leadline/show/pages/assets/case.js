"use strict";
// Keys of a case, which press the buttons that are there: X, Y, A and one's own grades by their letters; 2, 1 and 0 as on
// the judging pages the first grade of that worth; U takes back, S puts on the shortlist, Q saves the query, N writes a
// note, J and K go on in the shortlist. A document that is open is marked as read.
(() => {
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;
  const press = (button) => { if (button) button.click(); return Boolean(button); };

  const place = () => document.activeElement?.closest(".hit") ?? document.getElementById("reading");

  function grade(key) {
    const buttons = [...(place() ?? document).querySelectorAll(".grading button[name=grade]")].filter((each) => each.value);
    if (!place()) return false;
    return press(buttons.find((each) => each.value.toLowerCase() === key)) ||
      press(buttons.find((each) => each.dataset.value === key));
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    const beside = { j: "a[rel=next]", k: "a[rel=prev]" }[key];
    if (beside && document.getElementById("reading")) press(document.querySelector(beside));
    else if (key === "n") { const note = document.getElementById("note"); if (note) { event.preventDefault(); note.focus(); } }
    else if (key === "u" || key === "q") press(document.querySelector(`button[data-key=${key}]`));
    else if (key === "s") press(place()?.querySelector("button[data-key=s]"));
    else if (key.length === 1) grade(key);
  });

  const hit = /^#hit[0-9]+$/.test(location.hash) ? document.querySelector(location.hash) : null;
  if (hit) (hit.querySelector("a") ?? hit).focus({ preventScroll: true });

  const reading = document.querySelector("[data-read]");
  const bar = document.querySelector("[data-case]");
  if (reading && bar) {
    for (const each of document.querySelectorAll(".without-script")) each.hidden = true;
    fetch(`/api/case/${encodeURIComponent(bar.dataset.case)}/do`, {
      method: "POST", headers: { "content-type": "application/json", "x-csrf-token": reading.dataset.csrf },
      body: JSON.stringify({ kind: "read", documents: [reading.dataset.read] }),
    }).then((answer) => answer.text()).catch(() => { /* no connection: it is marked when the page is opened again */ });
  }
})();
