// What the reader chooses once for the whole page: systems to highlight, effort, measure, topics, minutes a document.
// A figure follows if its chart has a parameter of that name, or if follow.js computes it anew.
"use strict";
Leadline.shared = (() => {
  const { read, make, grouped, hours, nearest, remember, MARK } = Leadline;
  const page = document.getElementById("data-choices") ? read("data-choices") : { systems: [], free: [], slices: [] };
  const NAMES = ["chosen", "effort", "measure", "slice", "minutes"];
  const FREE = ["measure", "effort", "slice"];
  const MOST = 6; // systems highlighted at a time
  const colours = new Map(page.systems);
  const figures = new Map();
  const values = {};
  const box = document.querySelector(".choices");
  const find = (name) => box?.querySelector(`[name="${name}"]`);
  let last = "researchers";

  // ---- values --------------------------------------------------------------------------------------------------
  const chosen = () => values.chosen ?? [];
  const topics = () => page.slices.find((one) => one.name === values.slice)?.topics ?? [];
  const shades = () => {
    const free = [...page.free];
    return chosen().map((run) => colours.get(run) || free.shift() || "var(--ink)");
  };
  // The value of a figure's parameter; undefined while the reader has not chosen any.
  const signal = (name) => {
    if (name === "shades") return shades();
    if (name === "slice") return topics();
    return values[name];
  };
  // What the figures of follow.js are computed for; undefined where the reader has not chosen, or chose the report's own.
  const choice = () => ({
    measure: values.measure === page.measure ? undefined : values.measure, effort: values.effort,
    slice: values.slice || undefined, topics: topics(), run: chosen().at(-1),
  });
  const checked = (name, value) => {
    if (name === "chosen") {
      const known = [].concat(value).map((run) => (colours.has(run) ? run : run + MARK)).filter((run) => colours.has(run));
      return [...new Set(known)].slice(-MOST);
    }
    if (name === "effort" || name === "minutes") return Number(value) > 0 && Number.isFinite(Number(value))
      ? Number(value) : undefined;
    if (name === "slice") return page.slices.some((one) => one.name === value) ? value : "";
    return page.measures?.includes(value) ? value : undefined;
  };
  const changed = () => Object.fromEntries(
    Object.entries(values).filter(([, value]) => (Array.isArray(value) ? value.length : value !== "")));

  const set = (name, given, from = last) => {
    const value = checked(name, given);
    if (value === undefined) return;
    values[name] = value;
    last = from;
    for (const figure of figures.values()) figure.follow(name === "chosen" ? ["shades", "chosen"] : [name]);
    show();
    remember(from, { ...(figures.get(from)?.changed() ?? {}), ...changed() });
  };
  const toggle = (run) =>
    set("chosen", chosen().includes(run) ? chosen().filter((one) => one !== run) : [...chosen(), run]);
  const restore = (state) => {
    for (const name of NAMES) {
      const value = name in state ? checked(name, state[name]) : undefined;
      if (value !== undefined) values[name] = value;
    }
    for (const figure of figures.values()) figure.follow([...NAMES, "shades"]);
    show();
  };

  // ---- the selector, the times in the verdict, and the pins in the table of systems ------------------------------
  const rows = [...document.querySelectorAll("tr[data-run]")];
  const swatch = (colour) => {
    const dot = make("span", { class: "swatch" });
    dot.style.background = colour;
    return dot;
  };
  const show = () => {
    const minutes = values.minutes ?? page.minutes;
    for (const time of document.querySelectorAll("[data-documents]")) {
      time.textContent = hours(Number(time.dataset.documents) * minutes);
    }
    const picked = chosen(), shade = shades();
    for (const row of rows) {
      const on = picked.includes(row.dataset.run);
      row.classList.toggle("pinned", on);
      row.querySelector("button.pin").setAttribute("aria-pressed", on);
    }
    for (const table of new Set(rows.map((row) => row.closest("table")))) Leadline.pinnedFirst(table);
    if (!box) return;
    box.querySelector(".tags").replaceChildren(...picked.map((run, i) => {
      const tag = make("button", { type: "button", class: "tag", "aria-label": `no longer highlight ${run}` },
        swatch(shade[i]), make("span", { class: "id", text: run }), make("span", { text: " ×" }));
      tag.addEventListener("click", () => toggle(run));
      return tag;
    }));
    const effort = values.effort ?? page.effort;
    find("effort").value = page.efforts.indexOf(nearest(page.efforts, effort));
    find("effort").setAttribute("aria-valuetext", `read ${effort} documents`);
    box.querySelector("output").textContent = grouped(effort);
    find("minutes").value = minutes;
    find("slice").value = values.slice ?? "";
    find("measure").value = values.measure ?? page.measure;
    for (const option of document.querySelectorAll("[name=measure] option, [data-param=measure] option")) {
      option.textContent = Leadline.scores ? Leadline.scores.nameAt(Leadline.scores.find(option.value), values.effort) : option.value;
    }
    const { measure, slice, effort: read } = choice(), any = measure || slice || read;
    box.querySelector(".reset").hidden = !any;
    for (const figure of figures.values()) figure.element.classList.toggle("fixed", Boolean(any) && !FREE.some((name) => figure.follows(name)));
  };
  if (box) {
    find("chosen").append(...page.systems.map(([run]) => make("option", { value: run, text: run })));
    find("chosen").addEventListener("change", (event) => {
      if (event.target.value) toggle(event.target.value);
      event.target.value = "";
    });
    find("effort").max = page.efforts.length - 1;
    find("effort").addEventListener("input", (event) => set("effort", page.efforts[event.target.value], "researchers"));
    find("slice").append(...page.slices.map(({ name }) => make("option", { value: name, text: name })));
    find("slice").closest("label").hidden = !page.slices.length;
    for (const name of ["measure", "slice", "minutes"]) {
      find(name).addEventListener("input", (event) => set(name, event.target.value, "researchers"));
    }
    find("measure").append(...page.measures.map((name) => make("option", { value: name, text: name })));
    find("measure").closest("label").hidden = page.measures.length < 2;
    box.querySelector(".reset").addEventListener("click", () => {
      for (const name of FREE) delete values[name];
      for (const figure of figures.values()) figure.restart(FREE);
      show();
      remember("researchers", changed());
    });
    box.open = window.innerWidth >= 900;
  }
  for (const row of rows) row.querySelector("button.pin").addEventListener("click", () => toggle(row.dataset.run));
  const filter = document.querySelector("[name=find-system]");
  filter?.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !row.classList.contains("pinned") && !words.every((word) => text.includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    document.querySelector(".systems-shown").textContent = words.length ? `${shown} of ${rows.length} shown` : "";
  });

  // Called when all figures are drawn: how many figures follow each choice.
  const count = () => {
    if (!box) return;
    const folded = [...figures.values()].filter((figure) => figure.chart);
    const having = (name) => folded.filter((figure) => figure.follows(name)).length;
    const words = { chosen: "systems", effort: "the effort", measure: "the measure", slice: "the topics" };
    const parts = Object.entries(words).filter(([name]) => having(name)).map(([name, text]) => `${having(name)} follow ${text}`);
    box.querySelector(".follow").textContent = `Of ${folded.length} figures, ${parts.join(", ")}; the others stay.`;
    show();
  };
  return { NAMES, figures, signal, choice, set, toggle, restore, changed, count, show, chosen };
})();
