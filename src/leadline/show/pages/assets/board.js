"use strict";
// Choices take effect at once, tables sort by their heads, and runs are uploaded. Without this, forms have a button.

for (const form of document.querySelectorAll("form[data-at-once]")) {
  form.querySelector("button").hidden = true;
  let byKey = false;  // the arrow keys change a closed list at each press: wait until it is left
  form.addEventListener("keydown", (event) => { byKey = event.key.startsWith("Arrow"); if (event.key === "Enter") form.requestSubmit(); });
  form.addEventListener("pointerdown", () => { byKey = false; });
  form.addEventListener("change", () => { if (!byKey) form.requestSubmit(); });
  form.addEventListener("focusin", () => { form.querySelector("button").hidden = false; });
}

function key(cell) {
  const text = cell.dataset.value ?? cell.textContent.trim().replace("−", "-");
  const number = parseFloat(text);
  return Number.isNaN(number) ? text : number;
}

function compare(one, other) {
  if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
  return typeof one === "number" ? -1 : 1;  // numbers before what is missing
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    if ("plain" in head.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[place]), row]);
      rows.sort(([one], [other]) => (down ? -1 : 1) * compare(one, other));
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}

// Below a long table that scrolls in its box: how much of it is shown.
function sayRest() {
  for (const said of document.querySelectorAll("[data-rest]")) {
    const box = said.previousElementSibling;
    const rows = [...box.querySelector("tbody").rows];
    if (box.matches(".short")) {  // the twelfth row is the last that is shown
      box.style.maxHeight = `${rows[11].offsetTop + rows[11].offsetHeight + box.offsetHeight - box.clientHeight}px`;
    }
    said.hidden = box.scrollHeight <= box.clientHeight + 1;
    const shown = rows.filter((row) => row.offsetTop + row.offsetHeight <= box.clientHeight + 1).length;
    said.textContent = `${shown} of ${rows.length} shown, scroll for the rest`;
  }
}
addEventListener("resize", sayRest);
sayRest();

for (const form of document.querySelectorAll("form[data-upload]")) {
  const said = form.querySelector("[data-said]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = form.elements.file.files[0];
    const name = form.elements.name.value.trim() || file.name;
    const button = form.querySelector("button");
    button.disabled = true;
    said.className = "";
    said.textContent = `Sending and checking ${file.name} …`;
    try {
      const asked = new URLSearchParams({ name, qrels: form.dataset.qrels });
      const answer = await fetch(`/api/runs?${asked}`, {
        method: "POST", body: file,
        headers: { "X-CSRF-Token": form.dataset.csrf, "Content-Type": "application/octet-stream" },
      });
      const text = await answer.text();
      if (!answer.ok) {
        let why = text;
        try { why = JSON.parse(text).error; } catch { /* plain text */ }
        throw new Error(why);
      }
      const { run, stored, note } = JSON.parse(text);
      if (stored === "already") {
        said.textContent = `This run is there already, as ${run}.${note ? ` ${note}.` : ""}`;
      } else {
        location.assign(`${form.dataset.back}&${new URLSearchParams({ new: run })}`);
      }
    } catch (error) {
      said.className = "wrong";
      said.textContent = `Not added: ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });
}
