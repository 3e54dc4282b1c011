// Tags on the document that is shown: a dialog with those in use, and one's own beside the card.

import { PREFIX } from "./queue.js";

const at = (id) => document.getElementById(id);
const { topic } = at("desk").dataset;
let card = null, known = [];

/** The tags of the document that is shown. */
function show() {
  const tags = card?.tags ?? [];
  at("card-tags").hidden = !tags.length;
  at("card-tags").textContent = `Your tags: ${tags.join(", ")}`;
}

function choice(tag) {
  const item = document.createElement("li"), label = document.createElement("label"), box = document.createElement("input");
  Object.assign(box, { type: "checkbox", value: tag, checked: card.tags?.includes(tag) ?? false });
  label.append(box, ` ${tag}`);
  item.append(label);
  return item;
}

async function open() {
  try {
    const answer = await fetch(`${PREFIX}/api/topic?${new URLSearchParams({ topic })}`);
    if (answer.ok) known = (await answer.json()).tags;
  } catch { /* those that are known here are offered */ }
  if (!card) return;
  at("tagging-known").replaceChildren(...[...new Set([...known, ...(card.tags ?? [])])].map(choice));
  at("tagging-new").value = "";
  at("tagging").returnValue = "";
  at("tagging").showModal();
  at("tagging-new").focus();
}

at("tagging").addEventListener("close", () => {
  if (at("tagging").returnValue !== "save" || !card) return;
  const chosen = [...at("tagging-known").querySelectorAll("input:checked")].map((box) => box.value);
  const typed = at("tagging-new").value.split(";").map((tag) => tag.trim().replace(/\s+/g, " ")).filter(Boolean);
  card.tags = [...new Set([...chosen, ...typed])];
  known = [...new Set([...known, ...card.tags])];
  document.dispatchEvent(new CustomEvent("leadline:tagged", { detail: { document: card.document, tags: card.tags } }));
  show();
});

document.addEventListener("leadline:shown", ({ detail }) => { card = detail; show(); });
document.addEventListener("leadline:tags", open);
