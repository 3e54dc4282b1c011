// Figures: drawn when they come near the window, with controls that work by keyboard and a link that keeps the view.
"use strict";
const Leadline = (() => {
  const NARROW = 520; // pixels of a chart below which labels move into it
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") element.textContent = value;
      else if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, "\u202f");

  // The decimals of a column, as in records/result.py: different numbers look different, and only 0 looks like 0.
  const decimals = (values, least = 3) => {
    const numbers = [0, ...values.filter(Number.isFinite)].sort((a, b) => a - b);
    const near = 1e-12 * Math.max(1, -numbers[0], numbers.at(-1)), different = [];
    for (const value of numbers) {
      if (!different.length || value - different.at(-1) > near) different.push(value);
      else if (value === 0) different[different.length - 1] = 0;
    }
    const sizes = different.filter((value) => value !== 0).map(Math.abs);
    if (!sizes.length) return least;
    const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
    let places = least;
    if (high < 1) places = least - 1 - Math.floor(Math.log10(high));
    else if (low >= 10) places = Math.max(0, least - 1 - Math.floor(Math.log10(low)));
    while (Number(low.toFixed(places)) === 0) places += 1;
    while (new Set(different.map((value) => value.toFixed(places))).size < different.length) places += 1;
    return places;
  };
  const score = (value, places = decimals([value])) => {
    if (value === null || value === undefined) return "–";
    const text = value.toFixed(places);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  };
  const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(100 * share)}\u202f%`);

  // A name as the files have it: names that mean something to Vega end in an invisible mark (charts/drawable.py).
  const MARK = "\u2060";
  const plain = (name) => (name.endsWith(MARK) ? name.slice(0, -1) : name);

  // A name shortened in the middle, as formatting.py does it.
  const short = (name, most = 24) => {
    const half = Math.floor(most / 2);
    return name.length <= most ? name : `${name.slice(0, half)}…${name.slice(name.length - (most - half - 1))}`;
  };

  // A time as the verdict writes it: minutes, or hours with one decimal.
  const hours = (minutes) => {
    if (minutes < 60) return `${Math.round(minutes)} minute${Math.round(minutes) === 1 ? "" : "s"}`;
    const shown = (minutes / 60).toFixed(1).replace(/\.0$/, "");
    return `${shown} hour${shown === "1" ? "" : "s"}`;
  };
  const nearest = (steps, value) =>
    steps.reduce((best, step) => (Math.abs(step - value) < Math.abs(best - value) ? step : best));

  // ---- the address: #figure?control=value&…; a control with several values is repeated -------------------------
  const fragment = () => {
    const [name, rest = ""] = location.hash.slice(1).split("?");
    const given = new URLSearchParams(rest), state = Object.fromEntries(given);
    if (given.has("chosen")) state.chosen = given.getAll("chosen");
    return { name: decodeURIComponent(name), state };
  };
  const address = (name, state) => {
    const pairs = Object.entries(state).flatMap(([key, value]) => [].concat(value).map((one) => [key, one]));
    const text = new URLSearchParams(pairs).toString();
    return `#${encodeURIComponent(name)}${text ? `?${text}` : ""}`;
  };
  const remember = (name, state) => {
    try { history.replaceState(null, "", address(name, state)); } catch { /* some viewers forbid it */ }
  };

  // ---- data ----------------------------------------------------------------------------------------------------
  const rowsOf = ({ columns, count }) => {
    const rows = Array.from({ length: count }, () => ({}));
    for (const [name, column] of columns) {
      const { of, at } = column;
      for (let i = 0; i < count; i++) {
        const value = of ? of[at[i]] : column[i];
        if (value !== undefined) rows[i][name] = value;
      }
    }
    return rows;
  };
  const csvOf = (rows) => {
    const columns = [...new Set(rows.flatMap(Object.keys))];
    const cell = (value) => {
      const text = value === null || value === undefined ? "" : plain(String(value));
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [columns, ...rows.map((row) => columns.map((name) => row[name]))]
      .map((row) => row.map(cell).join(",")).join("\n") + "\n";
  };
  const save = (name, href) => {
    const link = make("a", { href, download: name });
    document.body.append(link);
    link.click();
    link.remove();
  };
  const download = (name, rows) => save(name, `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(rows))}`);

  // ---- pictures: always on light paper, with the title ------------------------------------------------------------
  const light = (data) => JSON.parse(JSON.stringify(data).replace(/var\(--c-([0-9a-f]{6})\)/g, "#$1"));
  const lines = (text, letters) => {
    const found = [""];
    for (const word of text.split(" ")) {
      const line = found.at(-1);
      if (line && line.length + word.length >= letters) found.push(word);
      else found[found.length - 1] = line ? `${line} ${word}` : word;
    }
    return found;
  };

  // ---- one figure ----------------------------------------------------------------------------------------------
  class Figure {
    constructor(element) {
      this.element = element;
      this.name = element.id;
      this.chart = element.querySelector(".chart");
      this.state = {};
      this.inputs = {};
      Leadline.shared.figures.set(this.name, this);
      const click = (kind, work) => element.querySelector(`button.${kind}`)?.addEventListener("click", work);
      click("csv", () => download(`${this.name}.csv`, this.rows()));
      click("svg", () => this.picture("svg"));
      click("png", () => this.picture("png"));
    }

    get data() { return (this._data ??= read(`data-${this.name}`)); }
    rows() { return this.made?.rows ?? rowsOf(this.data.rows); }

    // What the reader's choice makes of this figure: rows, texts and a changed chart; null while it changes nothing.
    get made() {
      if (this._made === undefined) {
        this._made = Leadline.follow.made(this.name, Leadline.shared.choice(),
          { get rows() { return rowsOf(this.all); }, all: this.data.rows, more: this.data.more });
        this.write();
      }
      return this._made;
    }

    // The title and the reading of the report, or those of the reader's choice.
    write() {
      const heading = this.element.querySelector("h3"), reading = this.element.querySelector(".reading");
      this.texts ??= [heading.textContent, reading.textContent];
      heading.textContent = this._made?.title ?? this.texts[0];
      reading.textContent = this._made?.reading ?? this.texts[1];
      this.chart.setAttribute("aria-label", heading.textContent);
    }

    // Whether the figure changes with a choice of the reader.
    follows(name) {
      return Leadline.follow.uses(this.name).includes(name === "chosen" ? "run" : name) || this.has(name);
    }

    draw() { return (this.drawing ??= this._draw()); }

    param(name) { return (this.data.spec.params ?? []).find((param) => param.name === name); }
    has(name) { return Boolean(this.param(name)); }
    options(name) { return this.param(name)?.bind?.options ?? []; }

    // The value that the whole page gives to a parameter of this figure, if it has it and the value fits.
    shared(name) {
      const value = this.has(name) ? Leadline.shared.signal(name) : undefined;
      if (value === undefined) return undefined;
      const steps = this.data.more.steps?.[name], options = name === "measure" ? this.options(name) : [];
      if (options.length && !options.includes(value)) return undefined;
      return steps ? nearest(steps, value) : value;
    }

    // A chart that is not drawn yet takes the values when it is.
    follow(names) {
      const uses = Leadline.follow.uses(this.name);
      if (names.some((name) => uses.includes(name === "chosen" ? "run" : name))) {
        this._made = this._all = undefined;
        for (const name of names) if (this.shared(name) !== undefined) this.show(name, this.shared(name));
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => (this.drawing ? this.redraw() : this.made), 40);
        return;
      }
      if (!this.view) return;
      const mine = names.filter((name) => this.shared(name) !== undefined);
      for (const name of mine) {
        this.show(name, this.shared(name));
        this.view.signal(name, this.shared(name));
      }
      if (mine.length) this.view.runAsync();
      this.say();
    }

    // The specification with everything the reader has chosen, and the compiled chart's data.
    specification() {
      let spec = structuredClone(this.data.spec);
      spec = this.made?.edit?.(spec) ?? spec;
      for (const param of spec.params ?? []) {
        delete param.bind;
        const value = this.shared(param.name) ?? this.state[param.name];
        if (value !== undefined) param.value = value;
      }
      this.fit(spec);
      return spec;
    }
    patch(compiled) {
      // The rows join the compiled chart: on the way there, thousands of them would be copied again and again.
      for (const source of compiled.data) if (source.name === this.data.named) source.values = this.rows();
      return compiled;
    }

    async picture(kind) {
      const spec = this.specification();
      const letters = Math.max(40, Math.floor(this.room() / 8));
      const heading = this.element.querySelector("h3").textContent;
      const reading = this.element.querySelector(".reading").textContent;
      spec.title = { text: lines(heading, letters), subtitle: lines(reading, letters * 1.15), offset: 14 };
      spec.padding = 12;
      const config = { ...light(Leadline.config), background: "#fbfaf7" };
      const place = make("div");
      const { view, finalize } = await vegaEmbed(place, light(spec), {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, config, patch: (one) => this.patch(one),
      });
      const href = kind === "svg"
        ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await view.toSVG())}` : await view.toImageURL("png", 2);
      finalize();
      save(`${this.name}.${kind}`, href);
    }

    async _draw() {
      if (!this.chart) return;
      const { more } = this.data;
      this.params = (this.data.spec.params ?? []).filter((param) => param.bind);
      this.defaults = Object.fromEntries(this.params.map((param) => [param.name, param.value]));
      this.steps = more.steps ?? {};
      if (!this.controlled) this.addControls();
      const { view } = await vegaEmbed(this.chart, this.specification(), {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: Leadline.config,
        tooltip: { theme: "custom" }, patch: (compiled) => this.patch(compiled),
      });
      this.view = view;
      this.chart.querySelector("svg").setAttribute("aria-hidden", "true"); // the chart's name and reading say it
      this.frame();
      if (more.drag && !this.dragged) this.allowDrag(more.drag);
      this.say();
      this.element.dataset.drawn = "yes";
      if (!performance.getEntriesByName("first").length) performance.mark("first");
    }

    // A chart wider than its place scrolls, also by keyboard.
    frame() {
      const wider = this.chart.scrollWidth > this.chart.clientWidth + 1;
      if (wider) this.chart.setAttribute("tabindex", "0");
      else this.chart.removeAttribute("tabindex");
    }

    // The width for the chart. In a section that is folded it is that of a figure elsewhere of the same kind.
    room() {
      if (this.chart.clientWidth) return this.chart.clientWidth;
      const wide = this.element.classList.contains("wide") ? "figure.wide" : "figure:not(.wide)";
      const open = [...document.querySelectorAll(`${wide} > .chart`)].find((chart) => chart.clientWidth);
      return open?.clientWidth ?? document.querySelector(".page").clientWidth - 2 * 48;
    }

    // The width of the page, however the chart is built.
    fit(spec) {
      const room = this.room();
      const narrow = (spec.params ?? []).find((param) => param.name === "narrow");
      const parts = spec.concat ?? spec.hconcat ?? spec.vconcat;
      if (narrow) narrow.value = room / (spec.concat ? spec.columns : 1) < NARROW;
      if (narrow?.value && this.data.more.narrow_row) { // a list: each name above its strip
        spec.height = this.data.more.narrow_row * spec.params.find((param) => param.name === "systems").value.length;
      }
      if (this.data.more.square) {
        spec.width = Math.min(spec.width, room - (room < NARROW ? 140 : 200)); // beside the names
        return;
      }
      if (parts || spec.facet || spec.repeat) {
        const units = parts ?? [spec.spec];
        const first = units[0].width ?? spec.spec?.width;
        if (typeof first !== "number") return;
        const most = spec.columns ?? (spec.hconcat ? parts.length : 1);
        const edge = 96; // an axis with its title, and the gap to the next chart
        const columns = Math.max(1, Math.min(most, Math.floor(room / (Math.min(first, 200) + edge))));
        if (spec.columns) spec.columns = columns;
        if (spec.hconcat) return;
        const width = Math.max(120, Math.floor(room / columns) - edge);
        for (const unit of units) if (typeof unit.width === "number" && first < 4 * width) unit.width = width;
      } else if (typeof spec.width === "number") {
        if (this.data.more.fixed) return; // it would not be readable any smaller: the figure scrolls
        spec.width = room;
        spec.autosize = { type: "fit-x", contains: "padding" };
      }
    }

    addControls() {
      this.controlled = true;
      const place = this.element.querySelector(".controls");
      for (const param of this.params) {
        const { bind, name } = param;
        const label = make("label", {}, make("span", { text: bind.name ?? name }));
        let input;
        if (bind.input === "select") {
          input = make("select");
          bind.options.forEach((value, i) =>
            input.append(make("option", { value, text: (bind.labels?.[i] ?? value) || "–" })));
        } else if (bind.input === "range") {
          const steps = this.steps[name];
          label.className = "slider";
          input = make("input", { type: "range", min: steps ? 0 : bind.min, max: steps ? steps.length - 1 : bind.max,
            step: steps ? 1 : bind.step ?? "any" });
        } else if (bind.input === "checkbox") input = make("input", { type: "checkbox" });
        else input = make("input", { type: "number", min: 0, step: "any" });
        label.append(input);
        if (bind.input === "range") label.append((input.shown = make("output")));
        input.dataset.param = name;
        input.addEventListener("input", () => {
          const value = this.valueOf(input, param);
          if (value !== undefined) this.set(name, value);
        });
        this.inputs[name] = input;
        place.append(label);
        this.show(name, this.shared(name) ?? this.state[name] ?? param.value);
      }
      if (this.data.more.readout) this.readout = this.element.querySelector(".readout");
    }

    valueOf(input, { bind, name }) {
      if (bind.input === "checkbox") return input.checked;
      if (bind.input === "select") return typeof this.defaults[name] === "number" ? Number(input.value) : input.value;
      const number = Number(input.value);
      if (input.value === "" || !Number.isFinite(number)) return undefined;
      if (bind.input === "number" && number <= 0) return undefined;
      return this.steps[name] ? this.steps[name][number] : number;
    }

    show(name, value) {
      const input = this.inputs[name];
      if (!input) return;
      const steps = this.steps[name];
      if (input.type === "checkbox") input.checked = value;
      else if (Array.isArray(value)) input.value = value.at(-1) ?? "";
      else input.value = steps ? steps.indexOf(value) : value;
      if (input.shown) {
        input.shown.textContent = Number.isInteger(value) ? grouped(value) : value;
        input.setAttribute("aria-valuetext", name === "effort" ? `read ${value} documents` : String(value));
      }
    }

    set(name, value) {
      if (Leadline.shared.NAMES.includes(name)) {
        Leadline.shared.set(name, name === "chosen" ? [value].filter(Boolean) : value, this.name);
        return;
      }
      this.state[name] = value;
      this.show(name, value);
      this.view?.signal(name, value).runAsync();
      this.say();
      remember(this.name, { ...this.changed(), ...Leadline.shared.changed() });
    }

    changed() {
      const all = Object.entries(this.state);
      return Object.fromEntries(all.filter(([name, value]) => value !== this.defaults?.[name]));
    }

    // A state that came with the address: texts, to be turned into what the controls hold.
    restore(state) {
      const params = (this.data.spec?.params ?? []).filter((param) => param.bind);
      for (const param of params) {
        if (!(param.name in state) || Leadline.shared.NAMES.includes(param.name)) continue;
        const text = state[param.name], { bind } = param;
        const kinds = { number: Number, boolean: (word) => word === "true" };
        let value = (kinds[typeof param.value] ?? String)(text);
        if (typeof value === "number" && !Number.isFinite(value)) continue;
        if (bind.input === "select" && !bind.options.includes(value)) continue;
        const steps = this.data.more.steps?.[param.name];
        if (steps) value = nearest(steps, value);
        this.state[param.name] = value;
        this.show(param.name, value);
        this.view?.signal(param.name, value).runAsync();
      }
      this.say();
    }

    say() {
      const link = this.element.querySelector("a.link");
      const state = { ...this.changed(), ...Leadline.shared.changed() };
      if (link && this.defaults) link.setAttribute("href", address(this.name, state));
      if (this.readout) this.readOut();
    }

    // What the effort under the line gives: one row a system.
    readOut() {
      const value = (name) => this.shared(name) ?? this.state[name] ?? this.defaults[name];
      const effort = value("effort"), minutes = value("minutes"), chosen = value("chosen");
      const runs = [...new Set([...this.data.more.readout, ...chosen])];
      this._all ??= this.rows();
      const here = this._all.filter((row) => row.effort === effort && row.kind !== "guide");
      const found = new Map(here.map((row) => [row.run, row]));
      const read = `${grouped(effort)} document${effort === 1 ? "" : "s"}`;
      const cost = make("p", { text: `Read ${read}: ${hours(effort * minutes)} a topic, at ${minutes} minutes each.` });
      const head = make("tr", {}, ...["system", "recall", "95\u202f% interval", "PRES"].map((text, i) =>
        make("th", { text, class: i ? "num" : null, scope: "col" })));
      const shown = runs.filter((run) => found.has(run)), places = decimals(shown.map((run) => found.get(run).PRES));
      const rows = shown.map((run) => {
        const { recall, low, high, PRES } = found.get(run);
        const interval = low === null || low === undefined ? "–" : `${percent(low)} to ${percent(high)}`;
        const numbers = [percent(recall), interval, score(PRES, places)].map((text) => make("td", { class: "num", text }));
        return make("tr", {}, make("td", { class: "id", text: run }), ...numbers);
      });
      const table = make("table", { class: "fit" }, make("thead", {}, head), make("tbody", {}, ...rows));
      this.readout.replaceChildren(cost, make("div", { class: "scroll" }, table));
    }

    allowDrag(name) {
      this.dragged = true;
      const steps = this.steps[name];
      this.chart.classList.add("draggable");
      const move = (event) => {
        const box = this.chart.querySelector("svg").getBoundingClientRect();
        const x = event.clientX - box.left - this.view.origin()[0];
        const at = this.view.scale("x").invert(Math.max(0, Math.min(this.view.width(), x)));
        const value = nearest(steps, at);
        if (value !== (this.shared(name) ?? this.defaults[name])) this.set(name, value);
      };
      this.chart.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        try { this.chart.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
        this.held = true;
        move(event);
      });
      this.chart.addEventListener("pointermove", (event) => { if (this.held) move(event); });
      const release = () => { this.held = false; };
      for (const end of ["pointerup", "pointercancel"]) this.chart.addEventListener(end, release);
    }

    // Back to what the report itself shows.
    restart(names) {
      const mine = names.filter((name) => this.follows(name));
      if (!mine.length) return;
      this._made = this._all = undefined;
      for (const name of mine) {
        delete this.state[name];
        this.show(name, this.param(name)?.value);
      }
      if (this.view) this.redraw();
      this.made; // its texts
    }

    // Drawn again at once if it can be seen, else when it comes near the window.
    redraw() {
      if (!this.drawing) return;
      this.view?.finalize();
      this.view = this.drawing = null;
      const box = this.element.getBoundingClientRect();
      if (this.chart.clientWidth && box.bottom > -400 && box.top < window.innerHeight + 400) this.draw();
      else setTimeout(() => this.made, 300); // its texts
    }
  }

  return { Figure, read, make, grouped, decimals, score, percent, short, plain, MARK, hours, nearest, fragment, address, remember, download };
})();
