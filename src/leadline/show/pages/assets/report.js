// The report of whoever leads the review: it is loaded again when they change something.

import { PREFIX } from "./queue.js";
import { steering } from "./steering.js";

const leading = document.getElementById("leading");
const steer = steering(leading.dataset.csrf, async () => {
  if (document.getElementById("status").textContent === "Saved.") location.reload();
});
const answer = await fetch(`${PREFIX}/api/certificate`);
if (answer.ok) steer(await answer.json(), true);
