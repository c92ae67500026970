"use strict";

// Offers what the visitor may mean while they type. The form works without it.
const field = document.getElementById("text");
const offered = document.getElementById("texts");
let typed = 0;

field.addEventListener("input", async () => {
  const turn = ++typed;
  await new Promise((done) => setTimeout(done, 150));
  if (turn !== typed) return;
  const answer = await fetch("/suggest?" + new URLSearchParams({ text: field.value }));
  if (!answer.ok) return;
  const texts = await answer.json();
  if (turn !== typed) return;
  offered.replaceChildren(...texts.map((text) => Object.assign(document.createElement("option"), { value: text })));
});
