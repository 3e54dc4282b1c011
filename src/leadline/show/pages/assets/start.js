// What happens when the page opens: charts near the window first, the others when there is time, for print has all.
"use strict";
(() => {
  const { Figure, read, fragment } = Leadline;
  Leadline.config = read("data-config");
  const elements = [...document.querySelectorAll("figure[id]")];
  const figures = new Map(elements.map((element) => [element.id, new Figure(element)]));

  let restoreTopics;
  const topics = () => (restoreTopics ??= Leadline.topics());

  const { shared } = Leadline;
  const follow = () => {
    const { name, state } = fragment();
    shared.restore(state);
    const figure = figures.get(name);
    if (figure) {
      const folded = figure.element.closest("details");
      if (folded) folded.open = true;
      figure.restore(state);
      figure.draw();
      figure.element.scrollIntoView();
    } else if (name === "topics") {
      topics()(state);
      document.getElementById("topics").scrollIntoView();
    }
  };
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) figures.get(entry.target.id).draw();
  }, { rootMargin: "400px" });
  for (const figure of figures.values()) near.observe(figure.element);
  shared.show();
  if (location.hash) follow();
  window.addEventListener("hashchange", follow);

  const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 200));
  const rest = async () => {
    topics();
    for (const figure of figures.values()) {
      await new Promise((go) => idle(go, { timeout: 2000 }));
      await figure.draw();
    }
    shared.count();
    document.documentElement.dataset.drawn = "all";
  };
  window.addEventListener("load", () => setTimeout(rest, 100));
  window.addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details")) one.open = true;
    topics();
    for (const figure of figures.values()) figure.draw();
  });

  let width = window.innerWidth, waiting;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => figures.forEach((figure) => figure.redraw()), 250);
  });

  const button = document.querySelector("button.theme"), root = document.documentElement;
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : preferred.matches);
  const name = () => { button.textContent = dark() ? "light colours" : "dark colours"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  preferred.addEventListener("change", name);
  name();
})();
