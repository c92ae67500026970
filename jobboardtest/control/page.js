"use strict";

// All markup comes from the server, which escapes every text in it. What is
// put together here is text.
const $ = (id) => document.getElementById(id);
const maxRows = 200;

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = text === "";
}

async function call(method, path, body) {
  const init = { method };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  try {
    const res = await fetch(path, init);
    if (!res.ok) {
      const said = await res.json().catch(() => ({}));
      problem((said.error || "status " + res.status) + (said.field ? " (" + said.field + ")" : ""));
      return false;
    }
  } catch {
    problem("The fake does not answer.");
    return false;
  }
  problem("");
  return true;
}

// fill replaces the markup in a place; what was unfolded there stays so.
function fill(place, html) {
  const open = [...place.querySelectorAll("details[open]")].map((d) => d.dataset.key);
  place.innerHTML = html;
  for (const d of place.querySelectorAll("details")) d.open = open.includes(d.dataset.key);
}

let late = false; // the board changed while somebody was typing in it
let asked = 0;
async function board() {
  if ($("board").contains(document.activeElement) && document.activeElement.matches("input")) {
    late = true;
    return;
  }
  late = false;
  const mine = ++asked;
  const res = await fetch("board?q=" + encodeURIComponent($("filter").value)).catch(() => null);
  if (res && res.ok && mine === asked) fill($("board"), await res.text());
}
$("board").addEventListener("focusout", () => late && setTimeout(board));

let typing;
$("filter").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(board, 150);
});

async function plant(fault) {
  const op = $("fault-operation").value;
  const times = $("fault-times").value;
  if (op && !fault.operation) fault.operation = op;
  if (times === "half") fault.share = 0.5;
  else if (Number(times) && !fault.times) fault.times = Number(times);
  await call("POST", "faults", fault);
}

document.addEventListener("click", async (event) => {
  const b = event.target.closest("button");
  if (!b) return;
  b.disabled = true;
  if (b.dataset.do) {
    const [method, path] = b.dataset.do.split(" ");
    await call(method, path, b.dataset.json);
  } else if (b.dataset.fault) {
    await plant(JSON.parse(b.dataset.fault));
  } else if (b.dataset.apply) {
    const job = b.parentElement.querySelector("input").value.trim();
    const ok = /^[0-9]+$/.test(job);
    if (!ok) problem("A job identifier is a number.");
    else await call("POST", "applications", '{"applicant_id":' + b.dataset.apply + ',"job_id":' + job + "}");
  } else if (b.id === "plant") {
    let fault;
    try {
      fault = JSON.parse($("own-fault").value);
    } catch (e) {
      problem("The fault is not JSON: " + e.message);
    }
    if (fault) await plant(fault);
  }
  b.disabled = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches(".apply input")) return;
  const b = event.target.parentElement.querySelector("button");
  event.target.blur();
  b.click();
});

document.addEventListener("change", async (event) => {
  const s = event.target;
  const name = s.dataset && s.dataset.switch;
  if (!name) return;
  let value = s.value;
  if (s.type === "checkbox") value = s.checked;
  else if (s.dataset.number) value = value.trim() === "" ? 0 : Number(value);
  if (Number.isNaN(value)) problem(name + " is a number.");
  else await call("PATCH", "variants", { [name]: value });
});

function rows(list) {
  const box = $("rows");
  for (const { n, html } of list) {
    const t = document.createElement("template");
    t.innerHTML = html;
    const row = t.content.firstElementChild;
    const old = $("r" + n);
    if (old) old.replaceWith(row);
    else {
      row.classList.add("new");
      box.prepend(row);
    }
  }
  while (box.childElementCount > maxRows) box.lastElementChild.remove();
  $("silent").hidden = box.childElementCount > 0;
}

let ahead = null; // of the fake's clock before the browser's, in milliseconds
function clock(c) {
  ahead = Date.parse(c.now) - Date.now();
  $("clock").dataset.stopped = c.stopped ? c.now : "";
  show();
}
function show() {
  if (ahead === null) return;
  const stopped = $("clock").dataset.stopped;
  const t = stopped ? new Date(stopped) : new Date(Date.now() + ahead);
  $("clock").textContent = t.toISOString().slice(0, 19).replace("T", " ") + " UTC" + (stopped ? ", stopped" : "");
}
setInterval(show, 1000);

const seen = document.body.dataset;
const source = new EventSource("events?after=" + seen.last + "&revision=" + seen.revision);
const on = (name, f) => source.addEventListener(name, (event) => f(JSON.parse(event.data)));
function live(yes) {
  $("live").className = yes ? "on" : "off";
  $("live").textContent = yes ? "live" : "not connected";
}
on("hello", (instance) => {
  if (instance !== seen.instance) location.reload(); // another fake at the same address
  live(true);
});
on("rows", rows);
on("faults", (html) => fill($("planted"), html));
on("switches", (html) => {
  if (!$("positions").contains(document.activeElement) || !document.activeElement.matches("input:not([type=checkbox])")) fill($("positions"), html);
});
on("clock", clock);
on("board", board);
on("cleared", () => {
  $("rows").replaceChildren();
  $("silent").hidden = false;
});
source.onerror = () => live(false);
