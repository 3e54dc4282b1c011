// More figures that follow the reader's choice: places, the pool, and how PRES behaves.
"use strict";
(() => {
  if (!Leadline.scores) return;
  const { grouped, decimals, score, percent, short } = Leadline, S = Leadline.scores, { TABLE, tools } = Leadline.follow;
  const { visit, renamed, settled, parts, scaled, counted, round } = tools;
  const ALPHA = 0.05;
  const median = (values) => {
    const sorted = [...values].sort((a, b) => a - b), half = sorted.length / 2;
    return sorted.length ? (sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2 : NaN;
  };
  const replaced = (spec, has, rows) => {
    for (const part of parts(spec, has)) part.values = rows;
  };

  const bump = (c, { rows: before }) => {
    const three = c.trio.map(c.of), all = c.page.runs.length, names = three.map((one) => one.name);
    const places = three.map((one) => {
      const at = [];
      one.order.forEach((r, i) => {
        const last = one.order[i - 1];
        at[r] = i && Math.abs(one.sums[r].mean - one.sums[last].mean) <= 1e-12 ? at[last] : i + 1;
      });
      return at;
    });
    const few = new Set(before.map((row) => row.run)).size === all;
    const shown = c.page.runs.map((_, r) => r).filter((r) => few || places.some((at) => at[r] <= 10)).sort((a, b) => places[1][a] - places[1][b]);
    // Measure, then pair: 1 if the first is significantly better, -1 if worse; Holm's correction over the pairs shown.
    const pairs = shown.flatMap((a, i) => shown.slice(i + 1).map((b) => [a, b]));
    const prefers = three.map((one) => {
      const gaps = pairs.map(([a, b]) => one.values[a].map((value, i) => value - one.values[b][i]));
      const ps = one.topics.length > 1 ? S.holm(gaps.map(S.studentP)) : gaps.map(() => 1);
      return gaps.map((gap, i) => (ps[i] < ALPHA ? Math.sign(S.mean(gap)) : 0));
    });
    const states = [0, 1].map((m) => {
      const state = new Map(shown.map((r) => [r, "steady"]));
      pairs.forEach(([a, b], i) => {
        if ((places[m][a] - places[m][b]) * (places[m + 1][a] - places[m + 1][b]) >= 0) return;
        const now = prefers[m][i] * prefers[m + 1][i] < 0 ? "significant" : "chance";
        for (const r of [a, b]) if (state.get(r) !== "significant") state.set(r, now);
      });
      return state;
    });
    const heights = places.map((at) => new Map([...shown].sort((a, b) => at[a] - at[b] || shown.indexOf(a) - shown.indexOf(b)).map((r, i) => [r, i + 1])));
    const rows = shown.flatMap((r) => names.map((measure, m) => ({ run: c.page.runs[r], measure, place: places[m][r], mean: round(three[m].sums[r].mean) })));
    const firm = pairs.filter((_, i) => [0, 1].some((m) => prefers[m][i] * prefers[m + 1][i] < 0)).length;
    return { rows,
      title: firm ? `${names.join(", ")}: ${counted(firm, "pair")} of systems in opposite order, significantly${c.where}`
        : `Places under ${names.join(", ")}: no swap of order is significant${c.where}`,
      reading: "Swaps that may be chance are dashed and dim (t test, Holm's correction over the pairs shown, 5\u202f%).",
      edit: (given) => {
        const spec = renamed(given, c.page.measures.map((one) => [one.name, S.nameAt(one, c.effort)]));
        const old = parts(spec, (row) => "place" in row)[0].values;
        const colours = new Map(old.map((row) => [row.run, row.colour])), grey = "var(--c-8b959c)";
        const who = (r) => ({ run: c.page.runs[r], colour: colours.get(c.page.runs[r]) ?? grey });
        const dots = shown.flatMap((r) => names.map((measure, m) => ({ ...who(r), x: m, y: heights[m].get(r), measure, place: places[m][r] })));
        const lines = shown.flatMap((r) => [0, 1].map((m) => ({ ...who(r), x: m, y: heights[m].get(r), x2: m + 1, y2: heights[m + 1].get(r), state: states[m].get(r) })));
        const words = dots.filter((dot) => dot.x === 2).map((dot) => ({ ...dot, text: `${dot.place}  ${short(dot.run)}` }));
        for (const part of parts(spec, () => true)) part.values = "state" in part.values[0] ? lines : "text" in part.values[0] ? words : dots;
        scaled(spec, [colours.size + 0.6, 0.4], [shown.length + 0.6, 0.4]);
        spec.height = spec.height / colours.size * shown.length;
        return spec;
      } };
  };

  const pool_map = (c, { rows: before, more }) => {
    const { runs: counts, bands } = more.pool, finders = new Map();
    const found = c.page.runs.map((_, r) => c.answerable.flatMap((t) => {
      const { offsets, ranked, ranks } = c.page, row = ranks[ranked.indexOf(r)], ids = [];
      for (let d = offsets[t]; d < offsets[t + 1]; d++) if (row[d] > 0 && row[d] <= c.limit) ids.push(d);
      for (const d of ids) finders.set(d, (finders.get(d) ?? 0) + 1);
      return ids;
    }));
    const run = new Map(c.page.runs.map((one, r) => [one, r]));
    const sum = (values) => c.indices.reduce((total, t) => total + values[t], 0);
    const rows = before.map((row) => {
      const mine = found[run.get(row.run)], one = Object.hasOwn(counts, row.run) ? counts[row.run] : null;
      const judged = c.slice ? Object.fromEntries(bands.map((band, b) => {
        const listed = one ? sum(one.listed[b]) : 0;
        return [band, listed ? round(sum(one.judged[b]) / listed) : null];
      })) : {};
      return { ...row, ...judged, "relevant found": mine.length, alone: c.page.runs.length > 1 ? mine.filter((d) => finders.get(d) === 1).length : 0 };
    });
    const known = c.answerable.reduce((total, t) => total + c.page.relevant[t], 0), once = [...finders.values()].filter((n) => n === 1).length;
    return { rows, title: `Who found what within ${counted(c.limit, "document")}${c.where}`,
      reading: `Of ${counted(known, "relevant document")}, ${grouped(once)} found by one system alone and ${grouped(known - finders.size)} by none; per cent judged in the cells.`,
      edit: (spec) => settled(spec, { most: Math.max(1, ...rows.map((row) => row["relevant found"])) }) };
  };

  const relevant_distribution = (c, { rows }) => {
    const known = c.answerable.map((t) => c.page.relevant[t]), middle = median(known), over = known.filter((n) => n > c.limit).length;
    return { rows, title: `Relevant documents of ${counted(known.length, "topic")}${c.where}`,
      reading: `The median is ${middle}; in ${counted(over, "topic")} recall cannot be full after ${counted(c.limit, "document")}.`,
      edit: (spec) => {
        for (const part of parts(spec, (row) => "y" in row)) {
          part.values = part.values.map((row) => ({ ...row, y: middle, ...(row.text ? { text: `median ${middle}` } : {}) }));
        }
        return settled(spec, { most: Math.max(...known) });
      } };
  };

  // The system that the figures of one system show: the one highlighted last, else the first by the report's measure.
  const system = (c) => (c.run >= 0 ? c.run : c.page.runs.indexOf(c.page.a));

  const pres_area = (c) => {
    const r = system(c), values = c.answerable.map((t) => S.value("PRES", r, t, c.limit)), middle = S.mean(values);
    const at = values.reduce((best, value, i) => (Math.abs(value - middle) < Math.abs(values[best] - middle) ? i : best), 0);
    const t = c.answerable[at], n = c.page.relevant[t], ranks = S.within(r, t, c.limit);
    const rows = Array.from({ length: n }, (_, i) => ({ document: i + 1, best: i + 1, met: ranks[i] ?? c.limit + i + 1, worst: c.limit + i + 1, found: i < ranks.length }));
    const value = values[at], end = c.limit + n;
    return { rows, title: `Topic ${c.page.topics[t]}: ${c.page.runs[r]} wins ${percent(value)} of the area between worst and best (PRES ${score(value)})`,
      reading: `${grouped(ranks.length)} of ${counted(n, "relevant document")} found within ${counted(c.limit, "document")}; the others count as found just after that. `
        + `Strong colour: what PRES counts; faint: what a perfect order would add. This topic is the nearest to the mean${c.where}.`,
      edit: (spec) => {
        visit(spec, (node) => { // the axes: documents read, then relevant documents
          if (node.scale?.domain && node.field === "met" && node.axis) { node.scale.domain = [0, end]; }
          if (node.scale?.domain && node.field === "document") node.scale.domain = [0, n];
        });
        for (const part of parts(spec, (row) => "x" in row)) {
          part.values = part.values.map((row) => (row.text?.startsWith("PRES") ? { x: end / 2, y: n / 2, text: `PRES ${score(value)}` }
            : { ...row, x: c.limit, ...(row.text ? { text: `stops at ${counted(c.limit, "document")}` } : {}) }));
        }
        return spec;
      } };
  };

  const pres_surface = (c) => {
    const r = system(c), who = c.page.runs[r];
    const rows = c.answerable.map((t) => {
      const pres = S.value("PRES", r, t, c.limit), recall = S.value("R", r, t, c.limit);
      return { topic: c.page.topics[t], PRES: round(pres), recall: round(recall), lateness: recall > 0 ? round(Math.min(Math.max(1 - pres / recall, 0), 1)) : 0 };
    });
    const missed = 1 - S.mean(rows.map((row) => row.recall)), late = S.mean(rows.map((row) => row.recall - row.PRES));
    return { rows, title: `${who} loses ${score(missed)} of PRES by missing documents and ${score(late)} by finding some late${c.where}`,
      reading: `Each dot is a topic of ${who} after ${counted(c.limit, "document")}: higher is more found, further right is later.`,
      edit: (spec) => {
        visit(spec, (node) => {
          if (typeof node.title === "string" && node.title.startsWith("lateness")) node.title = `lateness (0: first of all, 1: at rank ${grouped(c.limit)})`;
        });
        return spec;
      } };
  };

  const pres_rr = (c) => {
    const E = c.limit, worth = (rank) => [rank > E ? 0 : 1 - (rank - 1) / E, 1 / rank];
    const ranks = [...new Set([...Array.from({ length: 60 }, (_, i) => Math.round(E ** (i / 59))),
      ...Array.from({ length: Math.min(60, E) }, (_, i, all) => Math.round(1 + (E - 1) * i / Math.max(Math.min(60, E) - 1, 1))), E + 1])].sort((a, b) => a - b);
    const rows = ranks.map((rank) => ({ rank, PRES: round(worth(rank)[0]), RR: round(worth(rank)[1]) }));
    const example = Math.min(E, Math.max(2, Math.floor(E / 10))), [pres, rr] = worth(example);
    const marked = [["PRES", pres], ["RR", rr]].map(([name, y]) => ({ x: example, y, text: `${name} ${score(y, decimals([y], 2))}` }));
    return { rows, title: `A single relevant document at rank ${grouped(example)} of ${grouped(E)} is worth PRES ${score(pres, decimals([pres], 2))}, RR ${score(rr, decimals([rr], 2))}`,
      reading: `PRES falls evenly over the ${counted(E, "document")} that are read, RR at once.`,
      edit: (spec) => {
        visit(spec, (node) => { if (node.field === "rank" && node.scale?.domain) node.scale.domain = [1, E + 1]; });
        replaced(spec, (row) => "text" in row, marked);
        return spec;
      } };
  };

  Object.assign(TABLE, { bump: ["effort slice", bump], pool_map: ["effort slice", pool_map],
    relevant_distribution: ["effort slice", relevant_distribution], pres_area: ["run effort slice", pres_area],
    pres_surface: ["run effort slice", pres_surface], pres_rr: ["effort", pres_rr] });
})();
