// Beside the card: how much is found, what more would cost, when to draw at random or to stop, and who agrees to that.

import { PREFIX } from "./queue.js";
import { count, decide, percent, prices, steering } from "./steering.js";

const at = (id) => document.getElementById(id);
const { csrf, known, role, topic } = at("desk").dataset;
const documents = (number) => `${count(number)} ${number === 1 ? "document" : "documents"}`;

let asking = false, again = false, mode = "", stopped = null;
const steer = steering(csrf, async (stopped) => { await renew(); if (stopped) tell("restart"); });

async function renew() {
  if (asking) { again = true; return; }
  asking = true;
  try {
    const answer = await fetch(`${PREFIX}/api/certificate`);
    if (answer.ok) show(await answer.json());
  } catch { /* the card says that there is no connection */ } finally {
    asking = false;
    if (again) { again = false; setTimeout(renew, 200); }
  }
}

function show(now) {
  if (now.hidden) showOwn(now); else showAll(now);
  if (now.blocking && role !== "organiser") at("warned").append(button("Read it now", () => tell("open", now.blocking)));
  steer(now, topic === "abstract");
  if (at("agree")) agreement(now.agreement, now.stopped);
  if (stopped !== null && stopped !== now.stopped) tell("restart");
  stopped = now.stopped;
  if (mode && mode !== now.mode && topic !== "audit") tell("restart");
  mode = now.mode;
}

/** What a reviewer may know while others read the same documents: nothing of what these marked. */
function showOwn(now) {
  const order = now.mode === "draws" ? "Random draws" : "In the learner's order";
  at("mode").textContent = `${order}: ${count(now.read)} of ${documents(now.of)} read by all; of ${count(now.own.read)} you read, you kept ${count(now.own.kept)}.`;
  at("bound").textContent = "Some documents are read twice, so how much is found is for the organiser and the expert until the review is stopped.";
  at("figure").replaceChildren();
  at("discovery").replaceChildren();
  at("outlook").textContent = at("price").textContent = "";
  at("warned").hidden = !now.blocking;
  at("warned").textContent = now.blocking ? "A draw that you skipped holds the certificate back. " : "";
}

function showAll(now) {
  const confidence = `${100 * (1 - now.alpha)} % confidence`;
  at("mode").textContent = now.stopped ? "The review was stopped." : now.mode === "draws"
    ? `Random draws: ${count(now.drawn)} of ${count(now.unread)}, ${count(now.hits)} relevant.`
    : `In the learner's order: ${documents(now.read)} read, ${count(now.relevant)} relevant.`;
  if (now.since_last !== null && !now.switched && !now.stopped) at("mode").textContent += ` ${count(now.since_last)} since the last relevant.`;
  draw("figure", now.switched ? now.figure : ""); // before the draws, all unread may be relevant: what was found says more
  draw("discovery", now.switched || now.read === 0 ? "" : now.discovery);
  at("bound").textContent = now.switched
    ? `At least ${percent(now.bound)} found (${confidence}, valid whenever you stop). ${now.estimate_words}`
    : "Nothing is known of what is unread until documents are drawn at random.";
  if (now.sensitivity) at("bound").textContent += ` If readers overlook independently of each other (first readers kept ${count(now.sensitivity.kept)} of ${count(now.sensitivity.confirmed)} that second readers kept and an expert confirmed): at least ${percent(now.sensitivity.bound)}.`;
  if (now.overall !== null) at("bound").textContent += ` All ${now.rounds} rounds together: at least ${percent(now.overall)}.`;
  at("outlook").textContent = now.outlook;
  at("price").textContent = prices(now);
  const warned = [];
  if (now.refuted) warned.push("An earlier limit was refuted by the draws: it was dropped, and the bound fell.");
  if (now.reopened) warned.push(`${documents(now.reopened)} from before the draws must be read again; until then they count as missing.`);
  if (now.blocking) warned.push(`A skipped draw holds ${now.waiting ? `${count(now.waiting)} later ones` : "the certificate"} back.`);
  else if (now.waiting) warned.push(`${now.waiting === 1 ? "1 draw was read and does" : `${count(now.waiting)} draws were read and do`} not count yet: somebody has one before ${now.waiting === 1 ? "it" : "them"} open.`);
  at("warned").hidden = !warned.length;
  at("warned").textContent = `${warned.join(" ")} `;
}

function draw(place, figure) {
  const drawing = figure && new DOMParser().parseFromString(figure, "image/svg+xml").documentElement;
  at(place).replaceChildren(...(drawing ? [document.importNode(drawing, true)] : []));
}

/** Who wants the review to stop, or to go on; the last reviewer who says so decides. Nobody's marks are in it. */
function agreement({ agreed, waiting, mine }, stopped) {
  const what = stopped ? "go on" : "stop";
  at("agreed").textContent = agreed.length ? `To ${what}: ${agreed.join(", ")}. Not yet: ${waiting.join(", ") || "nobody"}.` : "";
  at("agree").hidden = agreed.length + waiting.length < 2;
  at("agree").textContent = mine && waiting.length ? `No longer ${what}` : `Agree to ${what}`;
  at("agree").onclick = () => {
    if (mine && waiting.length) { agree({ to: stopped ? "resume" : "stop", agree: false }); return; }
    at("agreeing-title").textContent = stopped ? "Go on with the review?" : "Stop the review here?";
    at("agreeing-words").textContent = `The review ${stopped ? "goes on" : "stops"} when all reviewers have said so, or when the organiser or the expert decides it.`;
    at("agreeing").returnValue = "";
    at("agreeing").onclose = () => { if (at("agreeing").returnValue === "agree") agree({ to: stopped ? "resume" : "stop" }); };
    at("agreeing").showModal();
  };
}

async function agree(content) {
  await decide(csrf, "/api/agree", content, (said) => { at("status").textContent = said; });
  await renew();
}

const tell = (what, detail = null) => document.dispatchEvent(new CustomEvent(`leadline:${what}`, { detail }));

function button(text, action) {
  return Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: text, onclick: action });
}

at("find").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const { found } = await (await fetch(`${PREFIX}/api/find?${new URLSearchParams({ words: at("find-words").value })}`)).json();
    at("found").replaceChildren(...found.map((each) => {
      const item = document.createElement("li");
      item.append(`${each.title || each.document} `);
      if (each.read) item.append(button("read already: look at it", () => tell("open", each.document)));
      else item.append(button("it is relevant", () => {
        tell("add", { document: each.document, grade: 1, reason: known });
        item.replaceChildren(`${each.title || each.document}: added`);
      }));
      return item;
    }));
    if (!found.length) at("found").replaceChildren(Object.assign(document.createElement("li"), { textContent: "No document of this review has these words." }));
  } catch {
    at("found").replaceChildren(Object.assign(document.createElement("li"), { textContent: "No connection." }));
  }
});

at("change-settings")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const content = { learner: at("set-learner").value, target: Number(at("set-target").value) };
  await decide(csrf, "/api/settings", content, (said) => { at("status").textContent = said; });
  await renew();
  tell("restart");
});

document.addEventListener("leadline:saved", renew);
document.addEventListener("leadline:counts", ({ detail }) => { if (mode && topic !== "audit" && detail.mode !== mode) renew(); });
if (matchMedia("(max-width: 760px)").matches) at("certificate-part").open = false;
renew();
setInterval(() => { if (!document.hidden) renew(); }, 20000); // what others do
