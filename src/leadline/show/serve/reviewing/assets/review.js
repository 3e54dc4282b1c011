// Beside the card: how much is found, what more would cost, and when to draw at random or to stop.

import { PREFIX, newId } from "./queue.js";

const at = (id) => document.getElementById(id);
const { csrf, known, role, topic } = at("desk").dataset;
const percent = (share) => `${Math.floor(100 * share + 1e-9)} %`;
const count = (number) => number.toLocaleString("en");
const documents = (number) => `${count(number)} ${number === 1 ? "document" : "documents"}`;

let shown = null, asking = false, again = false, mode = "";

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

/** What each target costs, in a sentence. */
function prices(now) {
  const certified = now.prices.filter(({ draws }) => !draws), wanted = now.prices.filter(({ draws }) => draws);
  const list = (texts) => texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : texts[0];
  const done = certified.length ? `Certified: ${percent(certified.at(-1).target)}. ` : "";
  if (!wanted.length) return done;
  const draws = [...new Set(wanted.map((each) => count(each.draws)))];
  return `${done}To certify ${list(wanted.map((each) => percent(each.target)))} you would read about ${list(draws.length > 1 ? wanted.map((each) => count(each.draws)) : draws)}${now.switched ? " more" : ""} at random, if none of them is relevant.`;
}

function show(now) {
  shown = now;
  const confidence = `${100 * (1 - now.alpha)} % confidence`;
  at("mode").textContent = now.stopped ? "The review was stopped." : now.mode === "draws"
    ? `Random draws: ${count(now.drawn)} of ${count(now.unread)}, ${count(now.hits)} relevant.`
    : `In the learner's order: ${documents(now.read)} read, ${count(now.relevant)} relevant.`;
  const drawing = new DOMParser().parseFromString(now.figure, "image/svg+xml").documentElement;
  at("figure").replaceChildren(document.importNode(drawing, true));
  at("bound").textContent = now.switched
    ? `At least ${percent(now.bound)} found (${confidence}, valid whenever you stop). ${now.estimate_words}`
    : "Nothing is known of what is unread until documents are drawn at random.";
  if (now.sensitivity) at("bound").textContent += ` With reviewers' misses (first readers kept ${now.sensitivity.agreed} of ${now.sensitivity.both}): at least ${percent(now.sensitivity.bound)}.`;
  if (now.overall !== null) at("bound").textContent += ` All ${now.rounds} rounds together: at least ${percent(now.overall)}.`;
  at("price").textContent = prices(now);
  const warned = [];
  if (now.refuted) warned.push("An earlier limit was refuted by the draws: it was dropped, and the bound fell.");
  if (now.reopened) warned.push(`${documents(now.reopened)} from before the draws must be read again; until then they count as missing.`);
  if (now.blocking) warned.push(`A skipped draw holds ${now.waiting ? `${count(now.waiting)} later ones` : "the certificate"} back.`);
  else if (now.waiting) warned.push(`${now.waiting === 1 ? "1 draw was read and does" : `${count(now.waiting)} draws were read and do`} not count yet: somebody has one before ${now.waiting === 1 ? "it" : "them"} open.`);
  if (!now.switched && now.unrewarding) warned.push(`The last ${count(now.in_a_row)} were not relevant: this is a good moment for random draws.`);
  at("warned").hidden = !warned.length;
  at("warned").textContent = `${warned.join(" ")} `;
  if (now.blocking && role !== "organiser") at("warned").append(button("Read it now", () => tell("open", now.blocking)));
  at("switch").hidden = now.stopped || topic !== "abstract" || (!now.switched && now.read >= now.of);
  at("switch").textContent = now.mode === "draws" ? "Back to the learner's order" : "Draw at random";
  at("stop").hidden = false;
  at("stop").textContent = now.stopped ? "Go on with the review" : "Stop here";
  if (mode && mode !== now.mode) tell("restart");
  mode = now.mode;
}

const tell = (what, detail = null) => document.dispatchEvent(new CustomEvent(`leadline:${what}`, { detail }));

function button(text, action) {
  return Object.assign(document.createElement("button"), { type: "button", className: "plain", textContent: text, onclick: action });
}

async function send(path, content) {
  try {
    const answer = await fetch(`${PREFIX}${path}`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
      body: JSON.stringify({ id: newId(), ...content }),
    });
    const said = await answer.json();
    at("status").textContent = said.saved ? "Saved." : said.error;
  } catch {
    at("status").textContent = "No connection: nothing was changed. Try again.";
  }
  await renew();
}

at("switch").onclick = () => {
  if (shown.mode === "draws") { send("/api/switch", { to: "learner" }); return; }
  if (shown.switched) { send("/api/switch", { to: "draws" }); return; }
  at("switching-price").textContent = `${prices(shown)} Each one that is relevant makes it more.`;
  at("switching").returnValue = "";
  at("switching").showModal();
};
at("switching").addEventListener("close", () => { if (at("switching").returnValue === "switch") send("/api/switch", { to: "draws" }); });
at("stop").onclick = () => {
  if (shown.stopped) { send("/api/stop", { resume: true }).then(() => tell("restart")); return; }
  at("stopping-words").replaceChildren(...shown.sentences.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  at("stopping").returnValue = "";
  at("stopping").showModal();
};
at("stopping").addEventListener("close", () => { if (at("stopping").returnValue === "stop") send("/api/stop", {}).then(() => tell("restart")); });

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

document.addEventListener("leadline:saved", renew);
document.addEventListener("leadline:counts", ({ detail }) => { if (mode && detail.mode !== mode) renew(); });
if (matchMedia("(max-width: 760px)").matches) at("certificate-part").open = false;
renew();
setInterval(() => { if (!document.hidden) renew(); }, 20000); // what others do
