// The card: one document at a time, judged by keys or buttons.

import { PREFIX, Queue, newId } from "./queue.js";
import { fill, highlighter } from "./texts.js";

const at = (id) => document.getElementById(id);
const { topic, view, csrf, person, role, document: asked, ahead, excludes, closedTitle, closedText } = at("desk").dataset;
const readOnly = role === "organiser";
const MANY = Number(ahead ?? 10), FEW = Math.ceil(MANY / 2.5); // cards that wait here: below FEW more are fetched, so that a lost connection is no end
const NAMES = { 2: "highly relevant", 1: "relevant", 0: "not relevant", "-2": "unsure" };
const GRADES = new Set([...document.querySelectorAll("[data-grade]")].map((each) => Number(each.dataset.grade)));
const KEYS = { 0: () => judge(0), 1: () => judge(1), 2: () => judge(2), "?": () => judge(-2), u: undo, s: skip, j: next,
  n: writeNote, r: chooseReason, c: markPassage, d: showDescription, t: () => { if (usable()) tell("tags"); }, h: () => at("help").showModal() };

let about = { claims: [], reasons: [], highlight: [] };
let highlight = (text) => document.createTextNode(text);
let current = null, coming = [], done = [], counts = null, reason = "", fetching = false, wanted = false;
let acts = 0; // how much was done here
let started = 0, spent = 0; // of the time that this page was looked at
const seen = new Map(); // documents that were shown here
const judged = new Set(); // documents judged or skipped here, which an answer on its way may still list

async function ask(path, values) {
  const answer = await fetch(`${PREFIX}${path}?${new URLSearchParams({ topic, ...values })}`);
  const content = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(content.error), { status: answer.status });
  return content;
}

// What the server has, and what waits

let told = "";
const queue = new Queue(person, csrf, ({ waiting, refused, problem, saved }) => {
  const status = at("status");
  if (saved) { told = words(saved); announce(saved.body.document); refill(); tell("saved"); }
  let text = told;
  if (waiting && problem) text = `${waiting} waiting to be sent: not saved yet, ${problem}. Kept in this browser.`;
  else if (waiting) text = "Saving…";
  if (refused.length) text += ` ${refused.length} refused: ${refused[0].problem}`;
  status.replaceChildren(text);
  status.classList.toggle("waiting", Boolean(refused.length || (waiting && problem)));
  if (refused.length) {
    status.append(" ", button("Try again", () => queue.retry()), " ", button("Forget", () => queue.forget()));
  }
});

/** Tell what else is on the page. */
const tell = (what, detail = null) => document.dispatchEvent(new CustomEvent(`leadline:${what}`, { detail }));

function words({ path, body, stored }) {
  if (path.endsWith("undo")) return "Undone.";
  if (path.endsWith("tags")) return "Saved: the tags.";
  if (path.endsWith("skips")) return "Skipped: it comes back at the end.";
  if (path.endsWith("judgements")) return `Saved: ${NAMES[body.grade]}${stored === "already" ? " (was stored already)" : ""}.`;
  return "Saved.";
}

function button(text, action, kind = "plain") {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: kind, textContent: text, onclick: action });
  return made;
}

// Other tabs of the same person
const tabs = "BroadcastChannel" in window ? new BroadcastChannel(`leadline:${person}:${topic}`) : null;
const announce = (name) => tabs?.postMessage(name);
if (tabs) tabs.onmessage = ({ data }) => {
  coming = coming.filter((card) => card.document !== data);
  if (current?.document === data) {
    at("own").hidden = false;
    at("own").textContent = "You judged this one in another tab just now. A grade given here replaces that one.";
  }
  refill();
};

// Which card comes next

async function refill(after = "") {
  if (readOnly) return;
  if (fetching) { wanted = true; return; } // that answer may be older than what was done since
  fetching = true;
  const before = acts, settled = !queue.keys("wait").length;
  try {
    const from = after || coming.at(-1)?.document || current?.document || "";
    const have = JSON.stringify([current, ...coming].filter(Boolean).map((card) => card.document));
    const answer = await ask("/api/next", { view, count: MANY, have, ...(from && { after: from }) });
    counts = answer;
    tell("counts", answer);
    if (settled && acts === before) { // else the answer may be older than what was done here
      done = answer.undoable;
      judged.clear();
    }
    const here = new Set([current?.document, ...coming.map((card) => card.document)]);
    for (const card of answer.cards) {
      if (!here.has(card.document) && !judged.has(card.document) && coming.length < MANY) coming.push(card);
    }
    showCounts();
    if (!current) advance();
  } catch (error) {
    if (!current) nothing(error.status ? "The next document cannot be shown" : "No connection", error.status ? error.message
      : "The next document comes when the server answers again. What you judged is kept in this browser.");
    if (!error.status) setTimeout(() => { if (!current) refill(); }, 2000);
  } finally {
    fetching = false;
    if (wanted) { wanted = false; setTimeout(refill, 50); }
  }
}

function advance() {
  const card = coming.shift();
  if (card) show(card);
  else if (counts && (counts.closed || counts.left - waitingHere() <= 0)) {
    current = null;
    nothing(counts.closed ? closedTitle ?? "This topic is closed" : "Nothing left here",
      counts.closed ? closedText ?? "The organiser closed it." : "You have judged all of it. U takes back the last one; the list below has them all.");
  } else {
    current = null;
    nothing("One moment", queue.keys("wait").length ? "What you judged is being sent." : "Fetching the next document.");
    setTimeout(() => { if (!current) refill(); }, queue.keys("wait").length ? 1000 : 100);
  }
  if (current && coming.length < FEW) refill();
}

const waitingHere = () => new Set(queue.keys("wait").map((key) => queue.read(key)?.body.document)).size;

function nothing(title, text) {
  at("card").hidden = true;
  at("empty").hidden = false;
  allowGrades(false);
  at("empty-title").textContent = title;
  at("empty-text").textContent = text;
}

function allowGrades(allowed) {
  for (const each of document.querySelectorAll("[data-grade]")) each.disabled = !allowed || readOnly;
}

function show(card) {
  current = card;
  allowGrades(!counts?.closed);
  seen.set(card.document, card);
  reason = card.reason ?? "";
  started = performance.now();
  spent = 0;
  at("empty").hidden = true;
  at("card").hidden = false;
  at("card-id").textContent = card.shown;
  at("card-about").textContent = card.about.join(" · ");
  at("card-title").replaceChildren(highlight(card.missing ? "This document is not in the collection" : card.title || card.shown));
  fill(at("abstract"), [{ name: "", text: card.abstract || bare(card) }].filter(({ text }) => text), card.abstract ? highlight : (text) => text);
  at("claims-part").hidden = !card.claim_count;
  at("claims-title").textContent = `Claims (${card.claim_count})`;
  fill(at("claims"), card.claims ?? [], highlight);
  at("more-claims")?.remove();
  if (card.claims === null) at("claims").before(Object.assign(button("Show the claims", (event) => {
    event.target.remove();
    load("claims", at("claims"), card);
  }, ""), { id: "more-claims" }));
  at("description-part").hidden = true;
  at("description-button").hidden = !card.description_length;
  at("description-words").textContent = `Description (about ${Math.max(1, Math.round(card.description_length / 6)).toLocaleString("en")} words)`;
  at("description").replaceChildren();
  at("description").job = null;
  showOwn();
  showOthers();
  tell("shown", card);
  scrollTo({ top: 0, behavior: "instant" });
  if (!document.querySelector("dialog[open]")) at("card-title").focus({ preventScroll: true });
}

/** What is said of a record without any text. */
function bare(card) {
  if (card.missing || card.claim_count || card.description_length) return "";
  return card.title ? "The record has no abstract." : "The record has neither a title nor an abstract.";
}

async function load(field, element, card) {
  try {
    const { paragraphs } = await ask("/api/text", { document: card.document, field });
    if (current === card) fill(element, paragraphs, highlight);
    return true;
  } catch (error) {
    at("status").textContent = error.message || "No connection: the text could not be fetched.";
    return false;
  }
}

async function showDescription() {
  if (!current?.description_length) return;
  if (at("description-part").hidden) {
    at("description-part").hidden = false;
    if (!(await load("description", at("description"), current))) { at("description-part").hidden = true; return; }
  }
  at("description-title").focus({ preventScroll: true });
  at("description-part").scrollIntoView();
}

function showOwn() {
  const parts = [];
  if (current.grade !== null && current.grade !== undefined) parts.push(`Your grade: ${NAMES[current.grade]}.`);
  if (reason) parts.push(`Reason: ${reason}.`);
  if (current.note) parts.push(`Note: ${current.note}`);
  if (draftOf(current) !== null) parts.push("A note that you typed is not saved yet: N opens it.");
  at("own").hidden = !parts.length;
  at("own").textContent = parts.join(" ");
  for (const each of document.querySelectorAll("[data-grade]")) {
    each.setAttribute("aria-pressed", String(Number(each.dataset.grade) === current.grade && current.grade !== null));
  }
  const passages = current.passages ?? [];
  at("passages").hidden = !passages.length;
  at("passage-list").replaceChildren(...passages.map((each) => {
    const item = document.createElement("li");
    const short = each.text.length > 200 ? `${each.text.slice(0, 200)}…` : each.text;
    item.append(`Claim ${each.claim}: “${short}” `);
    if (!readOnly) item.append(button("Remove", () => takeBack(each)));
    return item;
  }));
}

function showOthers() {
  const marks = current.marks ?? [];
  at("others").hidden = !marks.length;
  at("others").replaceChildren(...marks.map((each) => {
    const line = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = each.grade === null ? "no grade" : NAMES[each.grade];
    line.append(`${each.person} (${each.role}): `, strong, each.reason ? `, ${each.reason}` : "", each.note ? `. Note: ${each.note}` : "");
    for (const passage of each.passages) line.append(`\nClaim ${passage.claim}: “${passage.text.slice(0, 300)}”`);
    return line;
  }));
}

function showCounts() {
  if (!counts) return;
  const ahead = new Set([...judged].filter((name) => queue.has(name))).size;
  const left = Math.max(counts.left - ahead, 0);
  at("bar").max = Math.max(counts.to_judge, 1);
  at("bar").value = counts.to_judge - left;
  const seconds = counts.seconds;
  const pace = seconds ? ` · ${Math.round(seconds)} s each · ${duration(left * seconds)} to go` : "";
  at("pace").textContent = `${counts.to_judge - left} of ${counts.to_judge} judged · ${left} left${counts.skipped ? ` (${counts.skipped} skipped)` : ""}${pace}`;
}

const duration = (seconds) => seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min`
  : `${(seconds / 3600).toFixed(1)} h`;

// What a person does

const usable = () => current && !readOnly && !counts?.closed;
const elapsed = () => Math.round((spent + (document.hidden ? 0 : performance.now() - started)) / 100) / 10;

function send(path, kind, values, name = current.document) {
  const id = newId();
  acts++;
  done.push({ id, kind, document: name, value: String(values.grade ?? "") });
  queue.add(path, { id, topic, document: name, round: counts?.round ?? about.round, seconds: elapsed(), ...values });
  return id;
}

function judge(grade) {
  if (!usable() || !GRADES.has(grade)) return;
  send("/api/judgements", "mark", { grade, ...(reason && { reason }) });
  Object.assign(current, { grade, reason });
  judged.add(current.document);
  showCounts();
  advance();
}

function skip() {
  if (!usable()) return;
  send("/api/skips", "skip", {});
  judged.add(current.document);
  advance();
}

function next() {
  if (!current || readOnly) return;
  if (coming.length) advance();
  else refill(current.document).then(() => { if (coming.length) advance(); else at("status").textContent = "This is the last one left."; });
}

async function undo() {
  if (readOnly) return;
  const last = done.pop();
  if (!last) { at("status").textContent = "Nothing to undo."; return; }
  await takeBack(last);
}

async function takeBack(event) {
  const name = event.document ?? current.document;
  acts++;
  done = done.filter((each) => each.id !== event.id);
  judged.delete(name);
  const sent = queue.add("/api/undo", { id: newId(), topic, target: event.id, document: name });
  const known = seen.get(name);
  if (current && current.document !== name) coming.unshift(current);
  coming = coming.filter((card) => card.document !== name);
  if (known) {
    const before = done.filter((each) => each.document === name && each.kind === "mark").at(-1);
    if (event.kind === "mark") Object.assign(known, { grade: before ? Number(before.value) : null, reason: "" });
    known.passages = (known.passages ?? []).filter((each) => each.id !== event.id);
    show(known);
  }
  await sent;
  try {
    const fresh = await ask("/api/card", { document: name });
    if (!current || current.document === name) show(fresh);
  } catch { /* without a connection, what is known here is shown */ }
}

// What is typed is kept in this browser until it is saved, also when the dialog is left with Escape or the page is closed.
let noted = null; // the card that the note is on
const draftKey = (card) => `${queue.prefix}draft:${topic}:${card.document}`;
const draftOf = (card) => queue.read(draftKey(card));

function writeNote() {
  if (!usable()) return;
  noted = current;
  const draft = draftOf(noted);
  at("note-text").value = draft ?? noted.note ?? "";
  at("note-draft").hidden = draft === null;
  at("note").returnValue = "";
  at("note").showModal();
}
at("note-text").addEventListener("input", () => {
  if (at("note-text").value.trim() === (noted.note ?? "")) queue.remove(draftKey(noted));
  else queue.put(draftKey(noted), at("note-text").value);
});
at("note-discard").onclick = () => {
  queue.remove(draftKey(noted));
  at("note-text").value = noted.note ?? "";
  at("note-draft").hidden = true;
  at("note-text").focus();
};
at("note-text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("note").close("save");
});
at("note").addEventListener("close", () => {
  if (at("note").returnValue === "save") {
    queue.remove(draftKey(noted));
    noted.note = at("note-text").value.trim();
    send("/api/notes", "note", { text: noted.note }, noted.document);
  } else if (draftOf(noted) !== null) at("status").textContent = "The note is not saved: it is kept in this browser, N opens it again.";
  if (current) showOwn();
});

/** Fill a dialog with choices; a digit chooses, too. */
function choose(dialog, list, choices, action) {
  list.replaceChildren(...choices.map(({ text, short }, place) => {
    const item = document.createElement("li");
    const made = button("", () => { dialog.close(); action(place); }, "");
    const key = document.createElement("kbd");
    key.textContent = short;
    const span = document.createElement("span");
    span.className = "clipped";
    span.textContent = text;
    made.append(key, span);
    item.append(made);
    return item;
  }));
  dialog.onkeydown = (event) => {
    const place = choices.findIndex(({ short }) => short.toLowerCase() === event.key.toLowerCase());
    if (place < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // it is not a grade
    dialog.close();
    action(place);
  };
  dialog.showModal();
  list.querySelector("button")?.focus(); // not the list, which scrolls and could be focused
}

function chooseReason() {
  if (!usable()) return;
  const reasons = about.reasons.map((text, place) => ({ text, short: String((place + 1) % 10) }));
  choose(at("reason"), at("reason-list"), reasons, (place) => {
    reason = about.reasons[place];
    if (excludes !== undefined) { judge(Number(excludes)); return; } // a reason is one for this grade
    if (current.grade !== null && current.grade !== undefined) send("/api/judgements", "mark", { grade: current.grade, reason });
    showOwn();
  });
}

function markPassage() {
  if (!usable()) return;
  if (!about.claims.length) { at("status").textContent = "This topic has no claims."; return; }
  const selection = getSelection();
  const text = selection && at("card").contains(selection.anchorNode) ? selection.toString().trim().slice(0, 5000) : "";
  if (text) { chooseClaim(text); return; }
  // Nothing is selected, as when somebody has no mouse: the abstract or a claim as a whole.
  const passages = [{ text: current.abstract, short: "A" }, ...(current.claims ?? []).map(({ name, text: words }) => ({ text: words, short: name }))]
    .filter((each) => each.text);
  if (!passages.length) { at("status").textContent = "Select the passage first, then press C."; return; }
  at("claim-title").textContent = "Which passage? (Or select one first, then press C.)";
  at("claim-passage").hidden = true;
  choose(at("claim"), at("claim-list"), passages, (place) => chooseClaim(passages[place].text.trim().slice(0, 5000)));
}

function chooseClaim(text) {
  at("claim-title").textContent = "Which claim does this passage bear on?";
  at("claim-passage").hidden = false;
  at("claim-passage").textContent = text;
  choose(at("claim"), at("claim-list"), about.claims.map(({ name, text: words }) => ({ text: words, short: name })), (place) => {
    const claim = about.claims[place].name;
    const id = send("/api/passages", "passage", { claim, text });
    current.passages = [...(current.passages ?? []), { id, claim, text, kind: "passage", document: current.document }];
    getSelection()?.removeAllRanges();
    showOwn();
  });
}

// The list of the topic's documents

at("list").addEventListener("toggle", async () => {
  if (!at("list").open) return;
  try {
    const { documents } = await ask("/api/documents", { view });
    const names = Object.keys(documents[0]?.marks ?? {}).filter((name) => name !== person);
    const cell = (tag, content) => { const made = document.createElement(tag); made.append(content); return made; };
    const head = document.createElement("tr");
    const titles = ["Document", ...(readOnly ? [] : ["Your grade"]), ...names];
    head.append(...titles.map((text) => Object.assign(cell("th", text), { scope: "col" })));
    at("list-head").replaceChildren(head);
    at("list-rows").replaceChildren(...documents.map((each) => {
      const row = document.createElement("tr");
      const open = button(each.document, () => openDocument(each.document));
      open.classList.add("id");
      const grade = (value) => value === null ? "–" : NAMES[value];
      const named = cell("td", open);
      if (each.title) named.append(` ${each.title}`);
      row.append(named, ...(readOnly ? [] : [cell("td", grade(each.grade) + (each.note ? ", note" : "") + (each.tags ?? []).map((tag) => `, ${tag}`).join(""))]), ...names.map((name) => cell("td", grade(each.marks[name]))));
      return row;
    }));
  } catch (error) {
    at("status").textContent = error.message || "No connection.";
  }
});

// What another part of the page asks for
document.addEventListener("leadline:restart", () => { current = null; coming = []; refill(); });
document.addEventListener("leadline:open", ({ detail }) => openDocument(detail));
document.addEventListener("leadline:add", ({ detail: { document: name, grade, reason: why } }) => {
  acts++;
  const id = newId();
  done.push({ id, kind: "mark", document: name, value: String(grade) });
  queue.add("/api/judgements", { id, topic, document: name, grade, reason: why, seconds: 0 });
});

document.addEventListener("leadline:tagged", ({ detail: { document: name, tags } }) => send("/api/tags", "tags", { tags }, name));

async function openDocument(name) {
  try {
    const card = await ask("/api/card", { document: name });
    if (current && current.document !== name && (current.grade === null || current.grade === undefined)) coming.unshift(current);
    show(card);
  } catch (error) {
    nothing("The document cannot be shown", error.message || "No connection.");
  }
}

// Keys, buttons, and the start

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]") || !at("keys-on").checked) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const action = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (action && !event.repeat) { event.preventDefault(); action(); }
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) spent += performance.now() - started;
  else started = performance.now();
});
for (const each of document.querySelectorAll("[data-grade]")) each.onclick = () => judge(Number(each.dataset.grade));
const actions = { undo, skip, next, note: writeNote, reason: chooseReason, claim: markPassage, tags: KEYS.t, help: KEYS.h };
for (const [key, name] of [["c", "claim"], ["t", "tags"]]) if (!document.querySelector(`[data-do=${name}]`)) delete KEYS[key];
for (const each of document.querySelectorAll("[data-do]")) {
  each.onmousedown = (event) => event.preventDefault(); // the selection must stay
  each.onclick = actions[each.dataset.do];
}
at("description-button").onclick = showDescription;
addEventListener("beforeunload", (event) => { if (queue.memory.size) event.preventDefault(); });
const kept = "leadline:keys";
at("keys-on").checked = localStorage.getItem(kept) !== "off";
at("keys-on").onchange = () => localStorage.setItem(kept, at("keys-on").checked ? "on" : "off");

function showTopic() {
  highlight = highlighter(about.highlight);
  at("topic-id").textContent = about.id;
  at("topic-category").textContent = about.category;
  if (about.title) at("topic-title").textContent = about.title;
  at("sent-back").hidden = !about.sent_back || role !== "assessor";
  at("sent-back").textContent = `Sent back (round ${about.round}): ${about.sent_back}`;
  const texts = [about.description, about.narrative, about.abstract].filter(Boolean).map((text) => ({ name: "", text }));
  fill(at("topic-text"), texts, (text) => document.createTextNode(text));
  at("topic-about").hidden = !texts.length;
  at("topic-claims").hidden = !about.claims.length;
  at("topic-claims-summary").textContent = `Claims (${about.claims.length})`;
  fill(at("topic-claims-list"), about.claims, (text) => document.createTextNode(text));
  at("instructions").textContent = about.instructions;
  if (matchMedia("(max-width: 760px)").matches) for (const id of ["topic-about", "how"]) at(id).open = false;
}

async function start() {
  try {
    about = await ask("/api/topic", {});
  } catch (error) {
    nothing(error.status ? "The topic cannot be opened" : "No connection", error.message || "Trying again.");
    if (!error.status) setTimeout(start, 2000);
    return;
  }
  showTopic();
  await queue.flush(); // what an earlier visit could not send
  if (asked) await openDocument(asked);
  if (readOnly) {
    document.querySelector(".keys").hidden = true;
    if (!asked) nothing("Choose a document", "The list below has all documents of the topic with everybody's grades.");
  } else refill();
}
start();

// A review keeps what it gave to a page from others for some minutes: a page that is closed gives it back.
if (at("desk").dataset.ahead !== undefined) {
  addEventListener("pagehide", () => {
    const have = [current, ...coming].filter((card) => card && !judged.has(card.document)).map((card) => card.document);
    const headers = { "Content-Type": "application/json", "X-CSRF-Token": queue.csrf };
    if (have.length) fetch(`${PREFIX}/api/release`, { method: "POST", keepalive: true, headers, body: JSON.stringify({ topic, have }) }).catch(() => {});
  });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); }); // others may have them by now
}
