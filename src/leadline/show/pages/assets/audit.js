// The audit: what it would cost, how far it is, and the buttons of whoever leads the review.

import { PREFIX } from "./queue.js";
import { count, decide, percent } from "./steering.js";

const at = (id) => document.getElementById(id);
const part = at("audit-part");
const csrf = part.dataset.csrf ?? at("desk").dataset.csrf;
const onReport = !at("desk");
let shown = null, phase = "";

async function renew() {
  try {
    const answer = await fetch(`${PREFIX}/api/audit`);
    if (answer.ok) show(await answer.json());
  } catch { /* it is asked again */ }
}

/** A table of prices: a row for each target, a column for each share that was overlooked. */
function table(now) {
  const { prices, overlooked } = now;
  const made = document.createElement("table");
  const row = (cells, tag) => {
    const line = document.createElement("tr");
    line.append(...cells.map((text, place) => Object.assign(document.createElement(place ? tag : "th"), {
      textContent: text, className: place ? "number" : "", ...(place && tag === "td" ? {} : { scope: place ? "col" : "row" }),
    })));
    return line;
  };
  made.append(row([now.begun ? "Documents to draw, if still missing" : "Documents to draw, if overlooked", ...overlooked.map((share) => `${Math.round(100 * share)}\u00a0%`)], "th"));
  made.append(...prices.map(({ target, draws }) => row([`to certify ${percent(target)}`, ...draws.map(count)], "td")));
  made.className = "small prices";
  return made;
}

function words(now) {
  if (now.hidden) return "Some documents are read twice, so this is for the organiser and the expert until the review is stopped.";
  if (!now.begun) return `${onReport ? "" : "What readers overlook is not covered by their own random draws. "}An expert can audit it: of ${count(now.population)} documents that were not kept, some are drawn at random.`;
  const kept = now.waiting_kept ? `${count(now.waiting_kept)} of what readers kept ${now.waiting_kept === 1 ? "is" : "are"} not confirmed yet. ` : "";
  if (now.phase === "draws") {
    const held = now.held ? ` ${count(now.held)} later ones do not count yet, since one before them is open.` : "";
    const more = now.more ? ` About ${count(now.more)} more certify ${percent(now.target)}, if none of them is relevant.` : "";
    return `${kept}Random draws: ${count(now.drawn)} of ${count(now.unread)}, ${count(now.hits)} relevant.${held} At least ${percent(now.bound)} found by the expert's standard, whatever readers overlooked. ${now.estimate_words}${more}`;
  }
  const last = now.in_a_row ? `; the last ${now.in_a_row === 1 ? "was" : `${count(now.in_a_row)} were`} not` : "";
  const again = now.again ? `${count(now.again_read)} of ${count(now.again)} rejected ones read again${now.again_read ? `, ${count(now.again_hits)} of them relevant${last}` : ""}. ` : "";
  const ready = now.ready ? "This is a good moment for random draws." : now.waiting_kept ? "" : `Draws are the cheaper way after ${count(now.needed)} in a row that are not relevant.`;
  return `${kept}${again}Nothing is certified before the random draws. ${ready}`;
}

function show(now) {
  shown = now;
  at("audit-words").textContent = onReport && now.phase === "draws" ? "" : words(now); // the report says it in full
  if (now.hidden) return;
  at("audit-figure").replaceChildren();
  if (now.figure && !onReport) {
    const drawing = new DOMParser().parseFromString(now.figure, "image/svg+xml").documentElement;
    at("audit-figure").append(document.importNode(drawing, true));
  }
  at("audit-prices").replaceChildren(...(now.prices.length ? [table(now)] : []));
  at("audit-begin").hidden = !now.leads || now.begun || now.stopped || !now.expert || !now.population;
  at("audit-draw").hidden = !now.leads || !now.begun || now.phase === "draws" || now.stopped || !now.population;
  if (now.leads && !now.begun && !now.expert && !at("audit-status").textContent) at("audit-status").textContent = "It needs a link for an expert: leadline review people REVIEW add NAME --role expert.";
  if (phase && phase !== now.phase && now.phase === "draws" && !onReport) document.dispatchEvent(new CustomEvent("leadline:restart"));
  phase = now.phase;
}

async function send(content) {
  let saved = false;
  await decide(csrf, "/api/audit", content, (said) => { at("audit-status").textContent = said; saved = said === "Saved."; });
  if (!saved) return;
  if (onReport) location.reload();
  else if (content.to === "begin" && shown.reads) location.assign(`${PREFIX}/read?topic=audit`);
  else await renew();
}

at("audit-begin").onclick = () => {
  at("auditing-prices").replaceChildren(table(shown));
  at("auditing-kept").textContent = count(shown.kept);
  at("auditing-sample").max = Math.max(shown.kept, 1);
  at("auditing").returnValue = "";
  at("auditing").showModal();
};
at("auditing").addEventListener("close", () => {
  if (at("auditing").returnValue === "begin") send({ to: "begin", sample: Number(at("auditing-sample").value || 0), again: at("auditing-again").checked });
});
at("audit-draw").onclick = () => {
  at("audit-drawing-price").textContent = shown.price;
  document.querySelector(".audit-number").hidden = !shown.named;
  document.querySelector(".audit-number .named").textContent = shown.named;
  at("audit-drawing").returnValue = "";
  at("audit-drawing").showModal();
};
at("audit-drawing").addEventListener("close", () => {
  if (at("audit-drawing").returnValue === "draw") send({ to: "draws", ...(shown.named && { number: at("audit-number").value }) });
});

document.addEventListener("leadline:saved", renew);
if (matchMedia("(max-width: 760px)").matches && part.open) part.open = false;
renew();
setInterval(() => { if (!document.hidden) renew(); }, 20000); // what others do
