// The buttons of whoever leads a review: they decide for all when documents are drawn at random, and when it is enough.

import { PREFIX, newId } from "./queue.js";

const at = (id) => document.getElementById(id);
export const percent = (share) => `${Math.floor(100 * share + 1e-9)} %`;
export const count = (number) => number.toLocaleString("en");

/** What each target costs, in a sentence. */
export function prices(now) {
  if (now.hidden) return "";
  const certified = now.prices.filter(({ draws }) => !draws), wanted = now.prices.filter(({ draws }) => draws);
  const list = (texts) => texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : texts[0];
  const done = certified.length ? `Certified: ${percent(certified.at(-1).target)}. ` : "";
  if (!wanted.length) return done;
  const draws = [...new Set(wanted.map((each) => count(each.draws)))];
  return `${done}To certify ${list(wanted.map((each) => percent(each.target)))} you would read about ${list(draws.length > 1 ? wanted.map((each) => count(each.draws)) : draws)}${now.switched ? " more" : ""} at random, if none of them is relevant.`;
}

/** Send what somebody decides; `said` is called with the server's answer in words. */
export async function decide(csrf, path, content, said) {
  try {
    const answer = await fetch(`${PREFIX}${path}`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
      body: JSON.stringify({ id: newId(), ...content }),
    });
    const found = await answer.json();
    said(found.saved ? "Saved." : found.error);
  } catch {
    said("No connection: nothing was changed. Try again.");
  }
}

/** Set the buttons up, where the page has them; `changed` is called after they did something, also whether the review
 * was stopped or goes on. The answer is called with what is known of the review whenever it is renewed. */
export function steering(csrf, changed) {
  if (!at("stop")) return () => {};
  let shown = null;

  async function send(path, content) {
    await decide(csrf, path, content, (said) => { at("status").textContent = said; });
    await changed(path === "/api/stop");
  }

  at("switch").onclick = () => {
    if (shown.mode === "draws") { send("/api/switch", { to: "learner" }); return; }
    if (shown.switched) { send("/api/switch", { to: "draws" }); return; }
    at("switching-price").textContent = shown.hidden ? "" : `${shown.outlook} ${prices(shown)} Each one that is relevant makes it more.`;
    document.querySelector(".draw-number").hidden = !shown.named;
    document.querySelector(".draw-number .named").textContent = shown.named ?? "";
    at("naming").hidden = Boolean(shown.named);
    at("switching").returnValue = "";
    at("switching").showModal();
  };
  at("switching").addEventListener("close", () => { if (at("switching").returnValue === "switch") send("/api/switch", { to: "draws", ...(shown.named && { number: at("draw-number").value }) }); });
  at("name-number").onclick = () => {
    if (!at("number-name").value.trim()) return;
    at("switching").close();
    send("/api/number", { words: at("number-name").value });
  };
  at("stop").onclick = () => {
    if (shown.stopped) { send("/api/stop", { resume: true }); return; }
    const said = shown.hidden ? ["What is certified; you will see it then."] : [...shown.sentences, ...shown.audited];
    at("stopping-words").replaceChildren(...said.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    at("stopping").returnValue = "";
    at("stopping").showModal();
  };
  at("stopping").addEventListener("close", () => { if (at("stopping").returnValue === "stop") send("/api/stop", {}); });

  return (now, draws) => {
    shown = now;
    at("switch").hidden = now.stopped || !draws || (!now.switched && now.read >= now.of);
    at("switch").textContent = now.mode === "draws" ? "Back to the learner's order" : "Draw at random";
    at("stop").hidden = false;
    at("stop").textContent = now.stopped ? "Go on with the review" : "Stop here";
  };
}
