"use strict";
// Files that are dropped anywhere on a page, or chosen in a form with data-offer, are sent one after the other. The page
// that says what they are is opened then; nothing is added before the person confirms there.
(() => {
  const csrf = document.currentScript.dataset.csrf;
  const said = document.createElement("div");
  said.className = "dropping";
  said.setAttribute("role", "status");
  said.hidden = true;
  document.body.append(said);
  let sending = false;

  function say(text) { said.textContent = text; said.hidden = !text; }

  function send(address, file, progress) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      request.open("POST", address);
      request.setRequestHeader("X-CSRF-Token", csrf);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.upload.addEventListener("progress", (event) => progress(event.loaded / (event.total || 1)));
      request.addEventListener("error", () => failed(new Error("the connection was lost")));
      request.addEventListener("load", () => {
        let answer = {};
        try { answer = JSON.parse(request.responseText); } catch { /* plain text */ }
        if (request.status < 300) done(answer);
        else failed(new Error(answer.error ?? request.responseText.trim()));
      });
      request.send(file);
    });
  }

  async function offer(files) {
    if (sending || !files.length) return;
    sending = true;
    const wrong = [];
    try {
      const { id } = await send("/api/offers", "", () => {});
      let place = 0;
      for (const [name, file] of files) {
        place += 1;
        const where = files.length > 1 ? `${place} of ${files.length}: ` : "";
        try {
          await send(`/api/offers/file?${new URLSearchParams({ offer: id, name: name.slice(-300) })}`, file, (share) => {
            say(share < 1 ? `Sending ${where}${name}, ${Math.round(100 * share)} %` : `Looking at ${where}${name} …`);
          });
        } catch (error) {
          wrong.push(`${name}: ${error.message}`);
        }
      }
      if (wrong.length === files.length) throw new Error(wrong.join(" · "));
      location.assign(`/add/${id}`);
    } catch (error) {
      say(`Not sent. ${error.message}`);
    } finally {
      sending = false;
    }
  }

  async function inside(entry, found) {  // the files of a folder, and of the folders in it
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      if (!file.name.startsWith(".")) found.push([entry.fullPath.replace(/^\//, ""), file]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const each of some) await inside(each, found);
    }
  }

  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  let depth = 0;
  addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    if (!sending) say("Drop the files to add them");
  });
  addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    if (!depth && !sending) say("");
  });
  addEventListener("dragover", (event) => { if (hasFiles(event)) event.preventDefault(); });
  addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    const entries = [...event.dataTransfer.items].map((each) => each.webkitGetAsEntry?.()).filter(Boolean);
    const plain = [...event.dataTransfer.files].map((file) => [file.name, file]);
    const found = [];
    try {
      for (const each of entries) await inside(each, found);
    } catch { /* the files as the browser lists them */ }
    offer(found.length ? found : plain);
  });
  for (const form of document.querySelectorAll("form[data-offer]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      offer([...form.querySelector("input[type=file]").files].map((file) => [file.name, file]));
    });
  }
})();
