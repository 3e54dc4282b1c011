// The tree of classes: branches are drawn when they are opened; the filter opens those that hold what is sought.
"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const tree = read("data-tree"), documents = read("data-documents"), index = read("data-index");
  const PAGE = 100; // documents that are shown at once
  const home = document.querySelector(".directory"), words = document.getElementById("words");
  const output = document.querySelector(".filter output"), line = document.querySelector("code.line");
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const searched = documents.title.map((title, at) => plain(`${title} ${documents.id[at]}`));
  let sought = [];

  const make = (name, kind, text) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const isFound = (at) => sought.every((word) => searched[at].includes(word));
  const isNamed = (branch) => sought.length > 0 && sought.every((word) => plain(`${branch.code} ${branch.title}`).includes(word));

  // How many documents of a branch the filter leaves; all where the branch itself is named.
  const everything = (branch, into = new Set()) => {
    for (const at of branch.own) into.add(at);
    for (const under of branch.under) everything(under, into);
    return into;
  };
  const count = (branch, whole) => {
    branch.whole = whole || isNamed(branch);
    for (const under of branch.under) count(under, branch.whole);
    branch.left = [...everything(branch)].filter((at) => isFound(at)).length;
    branch.shown = !sought.length || branch.whole || branch.left > 0 || branch.under.some((under) => under.shown);
  };

  const shownCount = (branch) => (sought.length && !branch.whole ? branch.left : branch.count);

  const marked = (text) => {
    const element = make("span", "words");
    const folded = plain(text);
    const word = sought.find((each) => folded.length === text.length && folded.includes(each));
    if (!word) { element.textContent = text || "(no title)"; return element; }
    const from = folded.indexOf(word);
    element.append(text.slice(0, from), make("mark", "", text.slice(from, from + word.length)), text.slice(from + word.length));
    return element;
  };

  const list = (branch) => {
    const all = branch.own.filter((at) => !sought.length || branch.whole || isFound(at));
    const block = document.createDocumentFragment(), items = make("ol");
    let done = 0;
    const button = make("button", "plain more");
    button.type = "button";
    const add = () => {
      for (const at of all.slice(done, done + PAGE)) {
        const item = make("li");
        item.append(make("span", "code", documents.id[at]), marked(documents.title[at]), make("span", "date", documents.date[at]));
        items.append(item);
      }
      done = Math.min(done + PAGE, all.length);
      button.hidden = done === all.length;
      button.textContent = `${(all.length - done).toLocaleString("en")} more`;
    };
    button.addEventListener("click", add);
    add();
    block.append(items, button);
    return block;
  };

  const tell = (branch) => {
    const filter = /^[A-HY]\d*/.test(branch.code) ? ` --class ${branch.code}` : "";
    line.textContent = `leadline search ${index} "words"${filter}`;
  };

  const drawn = (branch, largest) => {
    const details = make("details"), summary = make("summary"), inside = make("div", "inside");
    summary.setAttribute("role", "treeitem");
    const number = shownCount(branch);
    const bar = make("span", "bar");
    bar.style.width = `${Math.max(0.5, (100 * number) / largest)}%`;
    summary.append(make("span", "code", branch.code), make("span", "name", branch.title),
      make("span", "count", number.toLocaleString("en")), bar);
    details.append(summary, inside);
    const fill = () => {
      summary.setAttribute("aria-expanded", String(details.open));
      if (!details.open) return;
      tell(branch);
      if (inside.childElementCount) return;
      const most = Math.max(1, ...branch.under.map(shownCount));
      for (const under of branch.under) if (under.shown) inside.append(drawn(under, most));
      if (branch.own.length) inside.append(list(branch));
    };
    summary.setAttribute("aria-expanded", "false");
    details.addEventListener("toggle", fill);
    details.open = sought.length > 0 && branch.shown && !branch.whole && branch.left <= 200 && branch.left > 0;
    if (details.open) fill();
    return details;
  };

  const draw = () => {
    sought = plain(words.value).split(/\s+/).filter(Boolean);
    count(tree, false);
    const most = Math.max(1, ...tree.under.map(shownCount));
    home.replaceChildren(...tree.under.filter((under) => under.shown).map((under) => drawn(under, most)));
    if (tree.own.length) home.append(list(tree));
    output.textContent = sought.length ? `${tree.left.toLocaleString("en")} of ${tree.count.toLocaleString("en")} documents` : "";
    tell(tree);
  };

  let waiting;
  words.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(draw, 150); });
  document.querySelector(".filter").addEventListener("submit", (event) => { event.preventDefault(); draw(); });
  document.addEventListener("keydown", (event) => {
    const here = document.activeElement;
    if (event.key === "/" && here !== words) { event.preventDefault(); words.focus(); return; }
    if (event.key === "Escape" && here === words) { words.value = ""; draw(); return; }
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    const all = [...home.querySelectorAll("summary")].filter((each) => each.offsetParent);
    if (here === words && event.key === "ArrowDown") { event.preventDefault(); all[0]?.focus(); return; }
    if (!(here instanceof HTMLElement) || here.tagName !== "SUMMARY") return;
    if (event.key in steps) {
      event.preventDefault();
      all[all.indexOf(here) + steps[event.key]]?.focus();
    } else if (event.key === "ArrowRight") {
      event.preventDefault();
      here.parentElement.open = true;
    } else if (event.key === "ArrowLeft") {
      event.preventDefault();
      if (here.parentElement.open) here.parentElement.open = false;
      else here.parentElement.parentElement.closest("details")?.querySelector("summary").focus();
    }
  });

  const button = document.querySelector("button.theme"), root = document.documentElement;
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : preferred.matches);
  const name = () => { button.textContent = dark() ? "light colours" : "dark colours"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  preferred.addEventListener("change", name);
  name();
  draw();
})();
