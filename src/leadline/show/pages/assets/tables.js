// Tables: sorted by a click on their heads; and the topics, with a search and the documents behind every score.
"use strict";
(() => {
  const { make } = Leadline;

  // ---- sorting -------------------------------------------------------------------------------------------------
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    if ("v" in cell.dataset) return cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
    return cell.textContent;
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return Number.isNaN(a) - Number.isNaN(b) || a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };
  // Pinned rows first; the others in the order of the last sort, or as they came.
  const pinnedFirst = (table) => {
    const rows = [...table.tBodies[0].rows];
    rows.forEach((row, i) => { row.place ??= i; });
    const pinned = (row) => row.classList.contains("pinned");
    table.tBodies[0].append(...rows.sort((a, b) => pinned(b) - pinned(a) || a.place - b.place));
  };
  const sortBy = (table, column, descending) => {
    const body = table.tBodies[0], turn = descending ? -1 : 1;
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort(([a], [b]) => (Number.isNaN(a) || Number.isNaN(b) ? compare(a, b) : turn * compare(a, b)));
    rows.forEach(([, row], i) => { row.place = i; });
    pinnedFirst(table);
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      if (i === column) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  };
  const sortable = (table) => {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = make("button", { type: "button", text: cell.textContent });
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const before = cell.getAttribute("aria-sort");
        const numbers = cell.classList.contains("num");
        sortBy(table, column, before ? before === "ascending" : numbers);
      });
    });
  };
  document.querySelectorAll("table.sortable").forEach(sortable);

  Leadline.sortable = sortable;
  Leadline.sortBy = sortBy;
  Leadline.pinnedFirst = pinnedFirst;
})();

// ---- topics: called once, when the charts at the top are drawn or an address asks for a topic ----------------------
Leadline.topics = () => {
  const { make, read, decimals, score, grouped, address, remember, download, sortable, sortBy } = Leadline;
  const section = document.getElementById("topics");
  const data = read("data-topics");
  const START = { a: data.a, b: data.b, search: "", show: "all", topic: "" };
  const state = { ...START };
  const find = (name) => section.querySelector(`[name="${name}"]`);
  const place = new Map(data.runs.map((run, i) => [run, i]));
  const sign = data.better === "lower" ? -1 : 1;
  const number = (value, text, none = "–") =>
    make("td", { class: "num", "data-v": value ?? "", text: value === null ? none : text(value) });
  const headOf = (heads) =>
    make("thead", {}, make("tr", {}, ...heads.map(([text, kind]) => make("th", { text, class: kind, scope: "col" }))));

  const bestOf = (t) => {
    let best = -1;
    data.values.forEach((row, r) => {
      if (row[t] !== null && (best < 0 || sign * row[t] > sign * data.values[best][t])) best = r;
    });
    return best;
  };
  const bests = data.topics.map((_, t) => bestOf(t));
  const means = data.topics.map((_, t) => {
    const known = data.values.map((row) => row[t]).filter((value) => value !== null);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  });
  const texts = data.topics.map((topic, t) =>
    [topic, ...data.columns.map((column) => column.values[t])].join(" ").toLowerCase());

  const two = () => [data.values[place.get(state.a)], state.b ? data.values[place.get(state.b)] : null];
  const lead = (t) => {
    const [first, second] = two();
    return !second || first[t] === null || second[t] === null ? null : sign * (first[t] - second[t]);
  };

  const drawTopics = () => {
    const [first, second] = two();
    const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = data.topics.map((_, t) => t).filter((t) =>
      words.every((word) => texts[t].includes(word))
      && (state.show === "all" || (state.show === "lost" ? lead(t) < 0 : lead(t) > 0)));
    const heads = [["topic"], ...data.columns.map((column) => [column.name]), ["relevant", "num"], [state.a, "num"],
      ...(second ? [[state.b, "num"], ["lead", "num"]] : []),
      ["mean of all", "num"], ["best", "num"], ["best system"]];
    const best = (t) => (bests[t] < 0 ? null : data.values[bests[t]][t]);
    const columnOf = (values) => { const places = decimals(values); return (value) => number(value, (one) => score(one, places)); };
    const runs = columnOf([...first, ...(second ?? [])]), leads = columnOf(data.topics.map((_, t) => lead(t)));
    const others = columnOf([...means, ...data.topics.map((_, t) => best(t))]);
    const rows = shown.map((t) => {
      const open = make("button", { type: "button", text: data.topics[t], title: "its relevant documents" });
      open.addEventListener("click", () => {
        choose({ topic: data.topics[t] });
        section.querySelector(".detail").focus();
      });
      const row = make("tr", {}, make("td", { class: "id" }, open),
        ...data.columns.map((column) => make("td", { class: "text", text: column.values[t] })),
        number(data.relevant[t], grouped), runs(first[t]),
        ...(second ? [runs(second[t]), leads(lead(t))] : []),
        others(means[t]), others(best(t)),
        make("td", { class: "id", text: bests[t] < 0 ? "–" : data.runs[bests[t]] }));
      if (lead(t) < 0) row.className = "lost";
      row.dataset.topic = data.topics[t];
      return row;
    });
    const table = make("table", {}, headOf(heads), make("tbody", {}, ...rows));
    sortable(table);
    if (second) sortBy(table, heads.findIndex(([name], i) => name === "lead" && i > data.columns.length), false);
    section.querySelector(".topics").replaceChildren(table);
    const lost = data.topics.filter((_, t) => lead(t) < 0).length;
    const won = data.topics.filter((_, t) => lead(t) > 0).length;
    section.querySelector(".found").textContent = (second
      ? `${state.a} is ahead of ${state.b} on ${won} topics and behind on ${lost}${lost ? ", shaded" : ""}. ` : "")
      + `${shown.length} of ${data.topics.length} topics shown.`;
  };

  // ---- one topic, document by document -------------------------------------------------------------------------
  const drawDocuments = () => {
    const t = data.topics.indexOf(state.topic), detail = section.querySelector(".detail");
    if (t < 0) { detail.replaceChildren(); return; }
    const kept = new Map(data.ranked.map((r, i) => [data.runs[r], data.ranks[i]]));
    const [begin, end] = [data.offsets[t], data.offsets[t + 1]];
    const shown = [state.a, state.b].filter((run) => run && kept.has(run));
    const missing = [state.a, state.b].filter((run) => run && !kept.has(run));
    const rank = (run, d) => kept.get(run)[d] || null;
    const rows = [];
    for (let d = begin; d < end; d++) {
      const ranks = data.ranked.map((r, i) => [data.ranks[i][d], data.runs[r]]).filter(([at]) => at > 0);
      const within = ranks.filter(([at]) => at <= data.effort).length;
      const [first, who] = ranks.reduce((best, next) => (next[0] < best[0] ? next : best), [Infinity, ""]);
      const theirs = Object.fromEntries(shown.map((run) => [run, rank(run, d)]));
      rows.push({ document: data.documents[d], grade: data.grades[d], ...theirs, systems: within,
        earliest: who ? first : null, by: who });
    }
    const heads = [["document"], ["grade", "num"], ...shown.map((run) => [run, "num"]),
      [`systems that list it within ${grouped(data.effort)}`, "num"], ["earliest rank", "num"], ["by"]];
    const whole = (value) => number(value, grouped, "not listed");
    const body = rows.map((row) => make("tr", {}, make("td", { class: "id", text: row.document }), whole(row.grade),
      ...shown.map((run) => whole(row[run])), whole(row.systems), whole(row.earliest),
      make("td", { class: "id", text: row.by || "nobody" })));
    const table = make("table", { class: "fit" }, headOf(heads), make("tbody", {}, ...body));
    sortable(table);
    if (shown.length) sortBy(table, 2, false);
    const csv = make("button", { type: "button", class: "plain csv", text: "data as CSV" });
    csv.addEventListener("click", () => download(`topic-${state.topic}.csv`, rows));
    const found = (run) => `${run} lists ${rows.filter((row) => row[run] !== null).length}`;
    const small = ` The ranks of ${missing.join(" and ")} are not kept in this page, to keep it small.`;
    const text = `${shown.map(found).join("; ")}. Ranks are counted from 1.${missing.length ? small : ""}`;
    const title = `Topic ${state.topic}: ${rows.length} relevant documents, and at which rank each system lists them`;
    detail.replaceChildren(make("h3", { text: title }), make("p", { class: "aside", text }),
      make("div", { class: "tall" }, table), make("p", { class: "tools" }, csv));
  };

  const draw = () => {
    for (const name of ["a", "b", "search", "show"]) find(name).value = state[name];
    drawTopics();
    drawDocuments();
    const link = Object.fromEntries(Object.entries(state).filter(([name, value]) => value !== START[name]));
    section.querySelector("a.link").setAttribute("href", address("topics", link));
    return link;
  };
  const choose = (change) => { Object.assign(state, change); remember("topics", draw()); };

  for (const name of ["a", "b"]) {
    find(name).append(...data.order.map((run) => make("option", { value: run, text: run })));
  }
  for (const name of ["a", "b", "show"]) {
    find(name).addEventListener("change", () => choose({ [name]: find(name).value }));
  }
  find("search").addEventListener("input", () => choose({ search: find("search").value }));
  section.querySelector(".tools button.csv").addEventListener("click", () => {
    const rows = data.topics.flatMap((topic, t) => data.runs.map((run, r) =>
      ({ topic, relevant: data.relevant[t], run, [data.measure]: data.values[r][t] })));
    download("topics.csv", rows);
  });
  draw();
  return (given) => {
    for (const name of ["a", "b"]) if (place.has(given[name])) state[name] = given[name];
    for (const name of ["search", "topic"]) if (name in given) state[name] = given[name];
    if (["all", "lost", "won"].includes(given.show)) state.show = given.show;
    draw();
  };
};
