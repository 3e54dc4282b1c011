// Scores in the page: each measure of the report at any effort and over any topics. Where a measure stops at the effort,
// it is computed from the ranks of the relevant documents; the others come with the page.
"use strict";
Leadline.scores = (() => {
  if (!document.getElementById("data-scores")) return null;
  const EXACT = 11; // topics up to which the randomisation test tries every choice of signs
  const DRAWS = 4000;
  let kept;
  const page = () => (kept ??= { ...Leadline.read("data-choices"), ...Leadline.read("data-topics"), ...Leadline.read("data-scores") });
  const every = () => page().topics.map((_, t) => t);

  // ---- measures: of a run on a topic with n relevant documents, of which those found within the effort have `ranks` ----
  const MOVING = {
    R: (ranks, n) => ranks.length / n,
    P: (ranks, n, effort) => ranks.length / effort,
    AP: (ranks, n) => ranks.reduce((sum, rank, i) => sum + (i + 1) / rank, 0) / n,
    PRES: (ranks, n, effort) => {
      const m = ranks.length, late = (n - m) * effort + (n * (n + 1) - m * (m + 1)) / 2;
      return 1 - ((ranks.reduce((sum, rank) => sum + rank, 0) + late) / n - (n + 1) / 2) / effort;
    },
  };
  let found;
  // The sorted ranks of the relevant documents that a run lists for a topic.
  const ranksOf = (run, topic) => {
    if (!found) {
      const { ranked, ranks, offsets, topics } = page();
      found = [];
      ranked.forEach((r, j) => {
        found[r] = topics.map((_, t) =>
          ranks[j].slice(offsets[t], offsets[t + 1]).filter((rank) => rank > 0).sort((a, b) => a - b));
      });
    }
    return found[run][topic];
  };
  const within = (run, topic, effort) => ranksOf(run, topic).filter((rank) => rank <= effort);
  const value = (family, run, topic, effort) => {
    const n = page().relevant[topic];
    return n ? MOVING[family](within(run, topic, effort), n, effort) : NaN;
  };
  const find = (name) => page().measures.find((one) => one.name === name) ?? page().measures[0];
  const moves = (measure, effort) => Boolean(effort && measure.family in MOVING && page().ranked.length === page().runs.length);
  const nameAt = (measure, effort) => (moves(measure, effort) ? measure.name.replace(/@\d+$/, `@${effort}`) : measure.name);
  // Run × topic.
  const cubes = new Map();
  const matrix = (measure, effort) => {
    const key = nameAt(measure, effort);
    if (!cubes.has(key)) {
      if (cubes.size > 24) cubes.clear();
      cubes.set(key, moves(measure, effort)
        ? page().runs.map((_, r) => Float64Array.from(page().topics, (_, t) => value(measure.family, r, t, effort)))
        : measure.values.map((row) => Float64Array.from(row, (one) => (one === null ? NaN : one * page().unit))));
    }
    return cubes.get(key);
  };

  // ---- statistics ------------------------------------------------------------------------------------------------
  const logGamma = (x) => {
    const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5];
    const base = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
    return -base + Math.log(2.5066282746310005 * c.reduce((sum, one, i) => sum + one / (x + 1 + i), 1.000000000190015) / x);
  };
  // The regularised incomplete beta function, by its continued fraction.
  const beta = (x, a, b) => {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
    let c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), sum = d;
    for (let m = 1; m < 300; m++) {
      for (const top of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
        d = 1 / (1 + top * d);
        c = 1 + top / c;
        sum *= c * d;
      }
      if (Math.abs(c * d - 1) < 1e-12) break;
    }
    return front * sum;
  };
  const twoSided = (t, df) => beta(df / (df + t * t), df / 2, 0.5);
  const quantiles = new Map();
  const quantile = (df) => { // of Student's t, for 95 %
    if (!quantiles.has(df)) {
      let low = 0, high = 1000;
      for (let i = 0; i < 80; i++) {
        const middle = (low + high) / 2;
        if (twoSided(middle, df) > 0.05) low = middle; else high = middle;
      }
      quantiles.set(df, low);
    }
    return quantiles.get(df);
  };
  const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const deviation = (values) => {
    const middle = mean(values);
    return Math.sqrt(values.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (values.length - 1));
  };
  // Mean and 95 % interval, inside the range of the measure; no interval for fewer values than `fewest`.
  const summary = (values, { low = -Infinity, high = Infinity }, fewest = 2) => {
    const middle = mean(values);
    if (values.length < fewest) return { mean: Number.isNaN(middle) ? null : middle, low: null, high: null };
    const width = quantile(values.length - 1) * deviation(values) / Math.sqrt(values.length);
    return { mean: middle, low: Math.max(middle - width, low), high: Math.min(middle + width, high) };
  };
  const studentP = (differences) => {
    const spread = deviation(differences), middle = mean(differences);
    if (!(spread > 1e-15)) return Math.abs(middle) > 1e-15 ? 0 : 1;
    return twoSided(middle / spread * Math.sqrt(differences.length), differences.length - 1);
  };
  // Fisher's randomisation test of each row: every choice of signs for few topics, else the same random ones for all rows.
  const randomP = (rows) => {
    const n = rows[0]?.length ?? 0, exact = n <= EXACT, draws = exact ? 2 ** n : DRAWS;
    const sums = rows.map((row) => Math.abs(row.reduce((sum, one) => sum + one, 0)) - 1e-12);
    const extreme = rows.map(() => 0), signs = new Float64Array(n);
    let seed = 1;
    const random = () => { // xorshift: the same signs at every visit
      seed ^= seed << 13; seed ^= seed >>> 17; seed ^= seed << 5;
      return seed & 1024;
    };
    for (let draw = 0; draw < draws; draw++) {
      for (let t = 0; t < n; t++) signs[t] = (exact ? (draw >> t) & 1 : random()) ? 1 : -1;
      rows.forEach((row, i) => {
        let sum = 0;
        for (let t = 0; t < n; t++) sum += signs[t] * row[t];
        if (Math.abs(sum) >= sums[i]) extreme[i] += 1;
      });
    }
    return extreme.map((number) => (exact ? number / draws : (number + 1) / (draws + 1)));
  };
  const holm = (ps) => {
    const corrected = Array(ps.length);
    let worst = 0;
    ps.map((p, i) => [p, i]).sort(([a], [b]) => a - b).forEach(([p, i], place) => {
      corrected[i] = worst = Math.min(1, Math.max(worst, p * (ps.length - place)));
    });
    return corrected;
  };

  return { page, every, ranksOf, within, value, find, moves, nameAt, matrix, mean, summary, studentP, randomP, holm };
})();
