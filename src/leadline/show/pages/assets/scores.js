// Scores in the page: each measure of the report at any effort and over any topics. Where a measure stops at the effort,
// it is computed from the ranks of the relevant documents; the others come with the page.
"use strict";
Leadline.scores = (() => {
  if (!document.getElementById("data-scores")) return null;
  // Of the randomisation test: differences up to which every choice of signs is counted, what is equal, the finest grid.
  const EXACT = 20, SAME = 1e-9, FINEST = 1e-3;
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
  // Fisher's randomisation test of each row as the report computes it (trust/randomisation.py): every flip of up to 20
  // differences is counted, half of them against the other half; beyond, p is the saddlepoint of the flips' distribution.
  const sumsOf = (sizes) => {
    let sums = [0];
    for (const one of sizes) sums = [...sums.map((sum) => sum + one), ...sums.map((sum) => sum - one)];
    return Float64Array.from(sums).sort();
  };
  const countedP = (sizes, free, needed) => {
    const freed = sizes.slice(sizes.length - free), half = free >> 1;
    const fixed = sizes.slice(0, sizes.length - free).reduce((sum, one) => sum + one, 0);
    const some = sumsOf(freed.slice(0, half)), others = sumsOf(freed.slice(half));
    let found = 0, place = others.length; // as the one sum grows, ever more of the others are enough
    for (const one of some) {
      while (place > 0 && others[place - 1] >= needed - fixed - one) place -= 1;
      found += others.length - place;
    }
    return Math.min(1, found * 2 ** (1 - sizes.length));
  };
  // The largest step of which all sizes are multiples, by Euclid's algorithm; 0 if there is none that matters.
  const gridOf = (sizes) => sizes.reduce((step, one) => {
    let a = step, b = one;
    while (b > 0 && a >= FINEST) {
      let rest = a % b;
      if (rest < SAME || b - rest < SAME) rest = 0;
      [a, b] = [b, rest];
    }
    return a < FINEST ? 0 : a;
  }, 1);
  // The probability of more than w under the normal distribution, over its density at w.
  const mills = (w) => {
    if (w > 3) {
      let down = w;
      for (let i = 80; i > 0; i--) down = w + i / down;
      return 1 / down;
    }
    let sum = 0, term = w;
    for (let i = 3; term > 1e-17; i += 2) { sum += term; term *= w * w / i; }
    return Math.sqrt(Math.PI / 2) * Math.exp(w * w / 2) - sum;
  };
  const saddlepointP = (sizes, minority) => {
    const least = 2 ** (1 - sizes.length), h = gridOf(sizes), short = minority + h / 2;
    const add = (of) => sizes.reduce((sum, one) => sum + of(one), 0);
    const s = add((one) => one) - 2 * short, spread = add((one) => one * one), z = s / Math.sqrt(spread);
    if (z < 1e-3) return 1;
    let t = s / spread, curvature = spread;
    for (let i = 0; i < 200; i++) {
      const x = (one) => Math.exp(-2 * t * one), share = (one) => x(one) / (1 + x(one));
      curvature = 4 * add((one) => one * one * share(one) / (1 + x(one)));
      const step = 2 * (add((one) => one * share(one)) - short) / curvature;
      if (Math.abs(step) <= 1e-13 * t) break;
      t = Math.max(t + step, s / spread);
    }
    const w = Math.sqrt(2 * (sizes.length * Math.log(2) - 2 * t * short - add((one) => Math.log1p(Math.exp(-2 * t * one)))));
    const v = (h ? Math.sinh(t * h) / h : t) * Math.sqrt(curvature);
    return Math.min(1, Math.max(least, 2 * Math.exp(-w * w / 2) / Math.sqrt(2 * Math.PI) * (mills(w) + 1 / v - 1 / w)));
  };
  const flipP = (row) => {
    const largest = row.reduce((most, one) => Math.max(most, Math.abs(one)), 0) || 1;
    const parts = [...row].map((one) => one / largest).filter((one) => Math.abs(one) > SAME / 1000);
    const sum = parts.reduce((all, one) => all + one, 0), needed = Math.abs(sum) * (1 - 1e-9) - 1e-10 * row.length / largest;
    if (!(needed > 0)) return 1;
    const sizes = parts.map(Math.abs).sort((a, b) => b - a), total = sizes.reduce((all, one) => all + one, 0);
    const free = sizes.filter((one) => one <= (total - needed) / 2).length;
    if (free <= EXACT) return countedP(sizes, free, needed);
    const minority = Math.abs(parts.reduce((all, one) => all + (one * sum < 0 ? one : 0), 0));
    return saddlepointP(sizes, minority);
  };
  const randomP = (rows) => rows.map(flipP);
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
