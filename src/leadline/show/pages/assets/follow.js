// What each figure becomes when the reader chooses a measure, an effort or topics: new rows, and a chart that fits them.
// A figure that is not listed here is fixed: it is about the report's own measures, effort and topics.
"use strict";
Leadline.follow = (() => {
  const { grouped, decimals, score, percent, short, plain } = Leadline, S = Leadline.scores;
  const ALPHA = 0.05, LINE = 16, TIGHT = 20, NARROW_LETTERS = 13;
  // So many decimals and significant digits at least.
  const round = (value, digits = 4) => {
    if (value === null || Number.isNaN(value)) return null;
    const size = Math.abs(value), small = size > 0 && size < 1 ? -Math.floor(Math.log10(size)) - 1 : 0;
    return Number(value.toFixed(digits + small));
  };
  const counted = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;

  // ---- charts ----------------------------------------------------------------------------------------------------
  const visit = (node, work) => {
    if (node === null || typeof node !== "object") return;
    if (!Array.isArray(node)) work(node);
    for (const child of Object.values(node)) visit(child, work);
  };
  // Names of measures, wherever the specification has them, but not inside the name of a run.
  const renamed = (spec, names) => {
    const changes = names.filter(([from, to]) => from !== to)
      .map(([from, to]) => [new RegExp(`(?<![\\w-])${from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\d.])`, "g"), to]);
    const fresh = (text) => changes.reduce((now, [from, to]) => now.replace(from, () => to), text);
    const runs = new Set(S.page().runs), alike = [...runs].filter((run) => fresh(run) !== run);
    const longer = alike.filter((run) => !names.some(([from]) => from === run)).flatMap((run) => [run, short(run), short(run, 18)]);
    const change = (node, key) => {
      if (typeof node === "string") {
        const run = ["run", "of"].includes(key) || (key === "labelExpr" ? alike : longer).some((one) => node.includes(one));
        return run ? node : fresh(node);
      }
      if (Array.isArray(node)) return node.every((one) => runs.has(one)) ? node : node.map((one) => change(one));
      if (node === null || typeof node !== "object") return node;
      return Object.fromEntries(Object.entries(node).map(([name, value]) => [fresh(name), change(value, name)]));
    };
    return changes.length ? change(spec) : spec;
  };
  // Axes of runs: their order, and the place before each name.
  const reordered = (spec, runs) => {
    const known = new Set(S.page().runs);
    const list = (letters, gap) => JSON.stringify(runs.map((run, i) => `${i + 1}${gap}${short(run, letters)}`));
    visit(spec, (node) => {
      if (Array.isArray(node.sort) && node.sort.length && node.sort.every((run) => known.has(run))) node.sort = runs;
      if (typeof node.labelExpr !== "string") return;
      if (node.labelExpr.includes('(narrow ? ["')) {
        const labels = `(narrow ? ${list(NARROW_LETTERS, " ")} : ${list(24, "  ")})[indexof(${JSON.stringify(runs)}, datum.value)]`;
        node.labelExpr = node.labelExpr.includes(" ? (narrow ?") ? node.labelExpr : labels;
      } else if (node.labelExpr.endsWith("datum.value) + 1")) node.labelExpr = `indexof(${JSON.stringify(runs)}, datum.value) + 1`;
    });
    return spec;
  };
  // The data of parts of a chart that have rows of their own: labels, guides. What several parts share has a name.
  const parts = (spec, has) => {
    const found = [];
    visit(spec, ({ data }) => { if (data?.values) found.push(data); });
    for (const name of Object.keys(spec.datasets ?? {})) {
      found.push({ get values() { return spec.datasets[name]; }, set values(rows) { spec.datasets[name] = rows; } });
    }
    return found.filter(({ values }) => values.length && has(values[0]));
  };
  const settled = (spec, values) => {
    for (const param of spec.params) if (param.name in values) param.value = values[param.name];
    return spec;
  };
  const scaled = (spec, old, fresh) => visit(spec, (node) => {
    if (JSON.stringify(node.domain) === JSON.stringify(old)) node.domain = fresh;
  });
  // Labels at the ends of lines: new heights without overlaps, as charts/labels.py sets them.
  const labelled = (rows, ends, [low, high], height) => {
    const gap = LINE / height * (high - low), texts = rows.map((row) => ends.get(row.of) ?? [row.y, row.text]);
    const by = rows.map((_, i) => i).sort((a, b) => texts[a][0] - texts[b][0] || b - a), places = texts.map(([y]) => y);
    let above = high + gap;
    for (const at of [...by].reverse()) places[at] = above = Math.min(places[at], above - gap);
    let below = low - gap;
    for (const at of by) places[at] = below = Math.max(places[at], below + gap);
    return rows.map((row, i) => ({ ...row, y: places[i], text: texts[i][1],
      tight: texts[i][1].length <= TIGHT ? texts[i][1] : `${texts[i][1].slice(0, TIGHT / 2 - 1)}…${texts[i][1].slice(-TIGHT / 2)}` }));
  };
  const topOf = (values) => Math.min(1, Math.max(0.1, Math.ceil(Math.max(...values) * 10) / 10));

  // ---- what is chosen ----------------------------------------------------------------------------------------------
  const chosen = ({ measure, effort, slice, topics, run }) => {
    const page = S.page(), indices = topics.length
      ? topics.map((topic) => page.topics.indexOf(topic)).filter((t) => t >= 0) : S.every();
    const answerable = indices.filter((t) => page.relevant[t] > 0);
    const main = S.find(measure), limit = effort ?? page.effort;
    const of = (one) => {
      const cube = S.matrix(one, effort), defined = indices.filter((t) => cube.every((row) => !Number.isNaN(row[t])));
      const values = page.runs.map((_, r) => defined.map((t) => cube[r][t]));
      const sums = values.map((row) => S.summary(row, one)), sign = one.better === "lower" ? -1 : 1;
      const order = page.runs.map((_, r) => r).sort((a, b) =>
        sign * (sums[b].mean - sums[a].mean) || (page.runs[a] < page.runs[b] ? -1 : 1));
      return { values, sums, order, sign, topics: defined, name: S.nameAt(one, effort), bounds: one };
    };
    return { page, effort, limit, slice, indices, answerable, of, run: page.runs.indexOf(run), main,
      trio: page.trio.map((name) => S.find(name)), where: slice ? `, topics with ${slice}` : "" };
  };
  const names = (c) => c.page.measures.map((one) => [one.name, S.nameAt(one, c.effort)]);
  const runsOf = (c, order) => order.map((r) => c.page.runs[r]);
  const cells = ({ mean, low, high }) => ({ mean: round(mean), low: round(low), high: round(high) });
  const means = "Means over the chosen topics, with 95\u202f% intervals.";

  // p of the first run against each other one, in their order, with Holm's correction for all pairs of runs.
  const pairsKnown = new Map();
  const againstFirst = (s) => {
    const key = `${s.name} ${s.topics.join(" ")}`;
    if (!pairsKnown.has(key)) {
      if (pairsKnown.size > 24) pairsKnown.clear();
      const gaps = s.order.flatMap((a, i) => s.order.slice(i + 1).map((b) => s.values[a].map((one, t) => one - s.values[b][t])));
      pairsKnown.set(key, S.holm(S.randomP(gaps)).slice(0, s.order.length - 1));
    }
    return pairsKnown.get(key);
  };

  // ---- one function for each figure --------------------------------------------------------------------------------
  const told_apart = (c) => {
    const s = c.of(c.main), rest = s.order.slice(1), runs = runsOf(c, s.order), leader = runs[0];
    const ps = s.topics.length > 1 ? againstFirst(s) : rest.map(() => 1);
    const shown = new Set([...s.order.slice(0, c.page.shown), c.page.runs.indexOf(c.page.baseline)]);
    const rows = s.order.map((r, i) => {
      const verdict = i ? (ps[i - 1] < ALPHA ? "told apart" : "not told apart") : "first";
      return { place: i + 1, run: runs[i], shown: shown.has(r), ...cells(s.sums[r]), verdict,
        note: verdict + (runs[i] === c.page.baseline ? " (baseline)" : "") };
    });
    const level = ps.filter((p) => !(p < ALPHA)).length;
    return { rows, edit: (spec) => reordered(renamed(spec, [[c.page.measure, s.name]]), runs),
      title: `${level ? `${counted(level, "system")} cannot` : "Every other system can"} be told from ${leader} by ${s.name}${c.where}`,
      reading: `${counted(s.topics.length, "topic")}; randomisation test, Holm's correction for all pairs of systems, 5\u202f%. The words firm and fragile `
        + `also need samples of the judgements: the verdict has them for ${c.page.measure} and all topics.` };
  };

  const triangle = (c, { rows: before }) => {
    const s = c.of(c.main), most = new Set(before.map((row) => row.row)).size, order = s.order.slice(0, most);
    const gap = (a, b) => s.values[a].map((one, i) => one - s.values[b][i]);
    const pairs = order.flatMap((a, i) => order.slice(i + 1).map((b) => [a, b]));
    const enough = s.topics.length > 1, gaps = pairs.map(([a, b]) => gap(a, b));
    const random = enough ? S.randomP(gaps) : gaps.map(() => 1), student = gaps.map((one) => (enough ? S.studentP(one) : 1));
    const cell = (row, column, test, p) => ({ row: c.page.runs[row], column: c.page.runs[column], test, p: Number(p.toPrecision(3)),
      level: ["p < 0.001", "p < 0.01", "p < 0.05", "p < 0.1", "p ≥ 0.1"][[0.001, 0.01, 0.05, 0.1].filter((one) => p >= one).length],
      written: p < 0.001 ? "<0.001" : String(Number(p.toPrecision(2))) });
    const rows = pairs.flatMap(([a, b], i) => [cell(a, b, "randomisation", random[i]), cell(b, a, "t", student[i])]);
    const both = pairs.filter((_, i) => random[i] < ALPHA && student[i] < ALPHA).length;
    return { rows, edit: (spec) => reordered(spec, runsOf(c, order)),
      title: `${both} of ${counted(pairs.length, "pair")} of systems differ by ${s.name}, by both tests at 5\u202f%${c.where}`,
      reading: `${counted(s.topics.length, "topic")}. Above the diagonal: the randomisation test; below: the t test; best first, without correction.` };
  };

  const sorted_scores = (c, { rows: before }) => {
    const three = c.trio.map(c.of), order = three[1].order, runs = runsOf(c, order), [ap, pres, recall] = three.map((one) => one.name);
    const rows = order.flatMap((r, i) => three.map((one) => ({ run: runs[i], place: i + 1, measure: one.name, ...cells(one.sums[r]) })));
    const top = (given) => topOf(given.map((row) => row.high ?? row.mean ?? 0));
    const begin = Math.max(1, Math.floor(runs.length / 20)), end = Math.max(2, Math.floor(runs.length / 5));
    return { rows, title: `${ap}, ${pres} and ${recall} of all systems${c.where}`,
      reading: `The systems are sorted by ${pres}. ${means}`,
      edit: (given) => {
        const spec = reordered(renamed(given, names(c)), runs);
        scaled(spec, [0, top(before)], [0, top(rows)]);
        for (const part of parts(spec, (row) => "text" in row && "y" in row)) {
          part.values = part.values.map((word) => ({ ...word, y: Math.max(...rows.filter((row) =>
            row.measure === word.text && row.place > begin && row.place <= end).map((row) => row.mean)) }));
        }
        return spec;
      } };
  };

  const six_measures = (c, { rows: before }) => {
    const columns = [...new Set(before.map((row) => row.measure))].map((name) => S.find(name)), six = columns.map(c.of);
    const order = c.of(c.main).order, most = new Set(before.map((row) => row.run)).size;
    const runs = runsOf(c, order.slice(0, most));
    const places = six.map((one) => decimals(one.sums.map((sum) => sum.mean)));
    const rows = order.slice(0, most).flatMap((r, i) => six.map((one, column) => ({ place: i + 1, run: runs[i], measure: one.name, column,
      ...cells(one.sums[r]), best: r === one.order[0], written: score(one.sums[r].mean, places[column]) })));
    const ends = six.map((_, m) => Math.max(1e-9, ...rows.filter((row) => row.column === m).map((row) => row.high ?? row.mean)) / 0.84);
    return { rows, title: `Six measures side by side, best first by ${c.of(c.main).name}${c.where}`,
      reading: `${means} Ringed: the best of all systems.`,
      edit: (given) => {
        return settled(renamed(given, names(c)), { ends, systems: runs, labels: runs.map((run, i) => `${i + 1}  ${short(run)}`) });
      } };
  };

  const spectrogram = (c, { rows: before }) => {
    const columns = Object.keys(before[0]).filter((name) => !["run", "topic"].includes(name));
    const cubes = columns.map((name) => S.matrix(S.find(name), c.effort));
    const run = new Map(c.page.runs.map((name, r) => [name, r])), topic = new Map(c.page.topics.map((name, t) => [name, t]));
    const rows = !c.effort ? before : before.map((row) => Object.fromEntries([["run", row.run], ["topic", row.topic],
      ...columns.map((name, m) => [name, round(cubes[m][run.get(row.run)][topic.get(row.topic)], 3)])]));
    return { rows, title: `${S.nameAt(c.main, c.effort)} of every run on every topic${c.where}`,
      reading: "The more a cell stands out from the background, the better the answer; best systems at the top, best answered topics on the left." };
  };

  const slices = (c, { rows: before }) => {
    const cube = S.matrix(c.main, c.effort), name = S.nameAt(c.main, c.effort);
    const inside = new Map(c.page.slices.map((one) => [one.name, one.topics.map((topic) => c.page.topics.indexOf(topic))]));
    const run = new Map(c.page.runs.map((one, r) => [one, r]));
    const rows = before.map((row) => {
      const values = (inside.get(`${plain(row.by)}: ${plain(row.slice)}`) ?? []).map((t) => cube[run.get(row.run)][t]).filter((one) => !Number.isNaN(one));
      return { ...row, ...cells(S.summary(values, c.main, 5)) };
    });
    return { rows, title: `${name} by kind of topic`, edit: (spec) => renamed(spec, [[c.page.measure, name]]),
      reading: "Means over the topics of each slice; slices with fewer than 5 topics have no interval." };
  };

  // The recall or PRES of each run at each effort, over the chosen topics.
  const along = (c, family, grid) => c.page.runs.map((_, r) => grid.map((effort) =>
    c.answerable.map((t) => S.value(family, r, t, effort))));

  const recall_effort = (c, { rows: before }) => {
    const guides = before.filter((row) => row.kind === "guide"), systems = before.filter((row) => row.kind !== "guide");
    const grid = [...new Set(before.map((row) => row.effort))], run = new Map(c.page.runs.map((one, r) => [one, r]));
    const at = new Map(grid.map((effort, e) => [effort, e])), recall = along(c, "R", grid), pres = along(c, "PRES", grid);
    const rows = systems.map((row) => {
      const r = run.get(row.run), e = at.get(row.effort), one = S.summary(recall[r][e], { low: 0, high: 1 });
      return { ...row, recall: round(one.mean), low: round(one.low), high: round(one.high), PRES: round(S.mean(pres[r][e])) };
    });
    const { relevant, listed } = c.page, leader = run.get(c.page.a);
    const perfect = (effort) => S.mean(c.answerable.map((t) => Math.min(effort / relevant[t], 1)));
    const shuffled = (effort) => S.mean(c.answerable.map((t) =>
      S.ranksOf(leader, t).length / relevant[t] * Math.min(effort / Math.max(listed[t], 1), 1)));
    rows.push(...guides.map((row) => ({ ...row, recall: round((row.run === "perfect" ? perfect : shuffled)(row.effort)) })));
    const last = grid.at(-1), middle = Math.max(1, Math.round(last * 0.4));
    const ends = new Map(rows.filter((row) => row.effort === last && row.kind === "named")
      .map((row) => [row.run, [row.recall, `${short(row.run)}  ${percent(row.recall)}`]]));
    ends.set(" perfect", [perfect(last), "perfect"]);
    return { rows, title: `Recall against effort${c.where}`, reading: `Mean over ${counted(c.answerable.length, "topic")}.`,
      edit: (spec) => {
        const few = rows.filter((row) => row.kind !== "other");
        for (const part of parts(spec, () => true)) {
          const [first] = part.values;
          if ("kind" in first) part.values = few;
          else if ("of" in first) part.values = labelled(part.values, ends, [0, 1], 360);
          else if (first.text === "random order") part.values = [{ ...first, y: shuffled(middle) }];
        }
        return spec;
      } };
  };

  const effort_curves = (c, { rows: before }) => {
    const families = [...new Set(before.map((row) => row.measure))], grid = [...new Set(before.map((row) => row.effort))];
    const curves = new Map(families.map((family) => [family, along(c, family, grid).map((row) => row.map(S.mean))]));
    const run = new Map(c.page.runs.map((one, r) => [one, r])), at = new Map(grid.map((effort, e) => [effort, e]));
    const rows = before.map((row) => ({ ...row, mean: round(curves.get(row.measure)[run.get(row.run)][at.get(row.effort)]) }));
    return { rows, title: `PRES, average precision and recall against effort${c.where}`,
      reading: `Means over ${counted(c.answerable.length, "topic")}.`,
      edit: (spec) => {
        spec.concat.forEach((part, m) => {
          const here = rows.filter((row) => row.measure === families[m]), top = topOf(here.map((row) => row.mean));
          const old = topOf(before.filter((row) => row.measure === families[m]).map((row) => row.mean ?? 0));
          scaled(part, [0, old], [0, top]);
          const ends = new Map(here.filter((row) => row.effort === grid.at(-1)).map((row) => [row.run, [row.mean + 0.06 * top, short(row.run, 18)]]));
          for (const names of parts(part, (row) => "of" in row)) names.values = labelled(names.values, ends, [0, top], 300);
        });
        return spec;
      } };
  };

  const precision_recall = (c, { rows: before }) => {
    const run = new Map(c.page.runs.map((one, r) => [one, r])), kept = new Map();
    const curve = (name) => {
      if (!kept.has(name)) kept.set(name, c.answerable.map((t) => {
        const ranks = S.ranksOf(run.get(name), t), best = Array(ranks.length + 1).fill(0);
        for (let i = ranks.length - 1; i >= 0; i--) best[i] = Math.max(best[i + 1], (i + 1) / ranks[i]);
        return (share) => {
          const exact = share * c.page.relevant[t], whole = Math.floor(exact), k = Math.max(1, whole + (exact - whole >= 0.5 ? 1 : 0));
          return best[k - 1] ?? 0;
        };
      }));
      return kept.get(name);
    };
    const rows = before.map((row) => ({ ...row, precision: round(S.mean(curve(row.run).map((one) => one(row.recall)))) }));
    const starts = rows.filter((row) => row.recall === 0), places = decimals(starts.map((row) => row.precision), 2);
    const ends = new Map(starts.map((row) => [row.run, [row.precision, `${short(row.run)}  ${score(row.precision, places)}`]]));
    return { rows, title: `Precision against recall${c.where}`, reading: `Means over ${counted(c.answerable.length, "topic")}.`,
      edit: (spec) => {
        for (const part of parts(spec, (row) => "of" in row)) part.values = labelled(part.values, ends, [0, 1], 360);
        return spec;
      } };
  };

  const TABLE = { told_apart: ["measure effort slice", told_apart], triangle: ["measure effort slice", triangle],
    sorted_scores: ["effort slice", sorted_scores], six_measures: ["measure effort slice", six_measures],
    spectrogram: ["measure effort slice", spectrogram], slices: ["measure effort", slices], recall_effort: ["slice", recall_effort],
    effort_curves: ["slice", effort_curves], precision_recall: ["slice", precision_recall] };
  const NEEDS_RANKS = ["recall_effort", "effort_curves", "precision_recall", "pool_map", "pres_area", "pres_surface"];
  const uses = (name) => {
    if (!S || !(name in TABLE)) return [];
    const all = S.page().ranked.length === S.page().runs.length;
    return !all && NEEDS_RANKS.includes(name) ? [] : TABLE[name][0].split(" ");
  };
  // What the choice makes of a figure; null if it changes nothing.
  const made = (name, choice, data) => (uses(name).some((one) => choice[one] !== undefined)
    ? TABLE[name][1](chosen(choice), data) : null);
  return { uses, made, TABLE, tools: { visit, renamed, settled, parts, scaled, labelled, counted, round, cells } };
})();
