// What a person did and the server has not yet stored. Each entry has a key of its own in localStorage, so that two tabs
// never overwrite each other; the server stores an id once, so that both may send the same entry.

export const PREFIX = document.documentElement.dataset.prefix ?? ""; // of every address, where the pages are part of others
const FIRST_WAIT = 1000, LONGEST_WAIT = 15000; // milliseconds until the next try
const TOO_LONG = 20000;

export class Queue {
  /** `changed` is called with {waiting, refused, problem, saved} whenever one of them changes. */
  constructor(person, csrf, changed) {
    this.prefix = `leadline:${PREFIX}${person}:`;
    this.person = person;
    this.csrf = csrf;
    this.changed = changed;
    this.memory = new Map(); // where localStorage cannot be used
    this.wait = FIRST_WAIT;
    this.problem = "";
    this.busy = false;
    this.timer = 0;
    addEventListener("online", () => this.flush());
    addEventListener("storage", (event) => { if (event.key?.startsWith(this.prefix)) this.tell(); });
  }

  keys(kind) {
    const start = `${this.prefix}${kind}:`;
    const stored = [];
    try {
      for (let at = 0; at < localStorage.length; at++) stored.push(localStorage.key(at));
    } catch { /* only the memory, then */ }
    return [...stored, ...this.memory.keys()].filter((key) => key?.startsWith(start)).sort();
  }

  read(key) {
    try {
      return JSON.parse(this.memory.get(key) ?? localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  put(key, entry) {
    const text = JSON.stringify(entry);
    try {
      localStorage.setItem(key, text);
    } catch {
      this.memory.set(key, text);
    }
  }

  remove(key) {
    this.memory.delete(key);
    try { localStorage.removeItem(key); } catch { /* it was in the memory */ }
  }

  /** Keep an entry, and send it. */
  add(path, body) {
    const last = this.keys("wait").at(-1) ?? this.keys("refused").at(-1);
    const number = Math.max(this.number ?? 0, last ? Number(last.slice(this.prefix.length).split(":")[1]) : 0) + 1;
    this.number = number;
    this.put(`${this.prefix}wait:${String(number).padStart(9, "0")}:${body.id}`, { path, body });
    this.tell();
    return this.flush();
  }

  has(document) {
    return this.keys("wait").some((key) => this.read(key)?.body.document === document);
  }

  tell(saved = null) {
    const refused = this.keys("refused").map((key) => this.read(key)).filter(Boolean);
    this.changed({ waiting: this.keys("wait").length, refused, problem: this.problem, saved });
  }

  /** Send what waits, in its order, until all is stored or the server cannot be reached. */
  async flush() {
    if (this.busy) return;
    this.busy = true;
    clearTimeout(this.timer);
    try {
      for (let key = this.keys("wait")[0]; key !== undefined; key = this.keys("wait")[0]) {
        const entry = this.read(key);
        if (entry === null) this.remove(key);
        else if (!(await this.send(key, entry))) {
          this.timer = setTimeout(() => this.flush(), this.wait);
          this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
          break;
        } else this.wait = FIRST_WAIT;
      }
    } finally {
      this.busy = false;
    }
    this.tell();
  }

  /** Whether an entry is off the queue: stored, or refused for good. */
  async send(key, entry, again = true) {
    let answer;
    try {
      answer = await fetch(`${PREFIX}${entry.path}`, {
        method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
        body: JSON.stringify(entry.body), signal: AbortSignal.timeout(TOO_LONG),
      });
    } catch {
      this.problem = "no connection";
      return false;
    }
    const said = await answer.json().catch(() => ({}));
    if (answer.ok && said.saved) {
      this.remove(key);
      this.problem = "";
      this.tell({ ...entry, stored: said.stored });
      return true;
    }
    this.problem = said.error || `the server answered ${answer.status}`;
    if (answer.status === 401) this.problem = "you are signed out; open your personal link again";
    if (answer.status === 403 && again && await this.renewed()) return this.send(key, entry, false);
    if ([400, 403, 404, 409, 413].includes(answer.status)) { // it would be refused again
      this.remove(key);
      this.put(key.replace(":wait:", ":refused:"), { ...entry, problem: this.problem });
      this.tell();
      return true;
    }
    return false;
  }

  /** Whether the session has another token for writing than this page knows, as after a new link. */
  async renewed() {
    try {
      const answer = await (await fetch(`${PREFIX}/api/csrf`)).json();
      const other = answer.person === this.person && answer.csrf !== this.csrf;
      if (other) this.csrf = answer.csrf;
      return other;
    } catch {
      return false;
    }
  }

  /** Try again what was refused, as when a topic was opened again. */
  retry() {
    for (const key of this.keys("refused")) {
      const { path, body } = this.read(key) ?? {};
      if (path) this.put(key.replace(":refused:", ":wait:"), { path, body });
      this.remove(key);
    }
    return this.flush();
  }

  forget() {
    for (const key of this.keys("refused")) this.remove(key);
    this.problem = "";
    this.tell();
  }
}

/** An id that nobody else has. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
