// Texts of documents, only ever as text, with the words of the topic highlighted.

const AT_ONCE = 60; // paragraphs in one go

/** A function that gives a text as nodes, with the words to highlight marked. */
export function highlighter(words) {
  const kinds = new Map();
  const patterns = [];
  for (const { text, kind } of [...words].sort((a, b) => b.text.length - a.text.length)) {
    const parts = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const letters = parts.join("").replace(/s$/, "");
    if (!parts.length || kinds.has(letters)) continue;
    kinds.set(letters, kind);
    patterns.push(parts.join("[\\s\\-,/'()\\[\\]]{0,2}"));
  }
  if (!patterns.length) return (text) => document.createTextNode(text);
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join("|")})(?:s|es)?(?![\\p{L}\\p{N}])`, "giu");
  return (text) => {
    const whole = document.createDocumentFragment();
    let end = 0;
    for (const match of text.matchAll(found)) {
      whole.append(text.slice(end, match.index));
      const mark = document.createElement("mark");
      mark.textContent = match[0];
      const letters = match[0].toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
      const kind = kinds.get(letters.replace(/s$/, "")) ?? kinds.get(letters.replace(/es$/, "")) ?? "word";
      if (kind !== "word") mark.className = kind;
      whole.append(mark);
      end = match.index + match[0].length;
    }
    whole.append(text.slice(end));
    return whole;
  };
}

/** Fill an element with paragraphs or numbered claims, some at a time, so that the page never stands still. */
export function fill(element, paragraphs, highlight) {
  element.replaceChildren();
  const job = {};
  element.job = job;
  const tag = element.tagName === "OL" ? "li" : "p";
  const some = (from) => {
    if (element.job !== job) return; // another document is shown by now
    const part = document.createDocumentFragment();
    for (const { name, text } of paragraphs.slice(from, from + AT_ONCE)) {
      const one = document.createElement(tag);
      if (name) { // a list's own numbers are not painted outside of its items
        const number = document.createElement("span");
        number.className = "number";
        number.textContent = `${name}. `;
        one.append(number);
      }
      const words = document.createElement("span");
      words.append(highlight(text));
      one.append(words);
      part.append(one);
    }
    element.append(part);
    if (from + AT_ONCE < paragraphs.length) setTimeout(() => some(from + AT_ONCE));
  };
  some(0);
}
