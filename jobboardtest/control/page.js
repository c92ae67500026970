"use strict";

// All markup comes from the server, which escapes every text in it. What is
// put together here is text.
const $ = (id) => document.getElementById(id);
const maxRows = 200;

function problem(text) {
  $("problem").textContent = text;
  $("problem").hidden = text === "";
}

// tell says what was done.
function tell(text) {
  $("told").textContent = text;
  $("told").hidden = text === "";
}

// calm takes away what was said of the last action.
function calm() {
  problem("");
  tell("");
  $("made").hidden = true;
  wrongTown("");
}

// wrongTown tells at the field of a new job that there is no such town.
function wrongTown(typed) {
  const at = $("no-town");
  const field = document.querySelector("[aria-describedby=no-town]");
  at.textContent = typed && "There is no town " + typed + ".";
  field.toggleAttribute("aria-invalid", false);
  if (!typed) return;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

// call gives what was answered, or null when it has told the problem.
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
      return null;
    }
    if (method !== "GET") news();
    return await res.json().catch(() => ({}));
  } catch {
    problem("The fake does not answer.");
    return null;
  }
}

// A button that is replaced while the mouse is held down on it is never clicked. Of a press
// that opens a menu no release may come.
let held = false;
const waiting = new Map(); // the markup that places get after the release
document.addEventListener("pointerdown", (event) => {
  held = event.button === 0 && event.target.closest("button, summary, a") !== null;
});
for (const end of ["pointerup", "pointercancel", "contextmenu"]) {
  document.addEventListener(end, () => {
    held = false;
    setTimeout(() => { // after the click
      for (const [place, html] of waiting) fill(place, html);
    });
  });
}

// fill replaces the markup in a place; what was unfolded there stays so, and who
// works with the keyboard stays where they are.
const focusable = "a, button, input, select, summary";
const names = ["key", "applicant", "switch", "filter"];
const holders = names.map((name) => "[data-" + name + "]").join();
function fill(place, html) {
  if (held) {
    waiting.set(place, html);
    return;
  }
  waiting.delete(place);
  const open = [...place.querySelectorAll("details[open]")].map((d) => d.dataset.key);
  const active = place.contains(document.activeElement) ? document.activeElement : null;
  const holder = active?.closest(holders);
  const name = holder && names.find((k) => k in holder.dataset);
  const value = name && holder.dataset[name];
  const index = (within) => [...within.querySelectorAll(focusable)].indexOf(active);
  const at = active && { holder: holder ? index(holder) : -1, place: index(place) };
  place.innerHTML = html;
  for (const d of place.querySelectorAll("details")) d.open = open.includes(d.dataset.key);
  if (!active) return;
  const now = name && place.querySelector("[data-" + name + '="' + CSS.escape(value) + '"]');
  const near = (within, i) => {
    const all = [...within.querySelectorAll(focusable)].filter((e) => e.getClientRects().length);
    return all[Math.min(Math.max(i, 0), all.length - 1)];
  };
  // What is gone leaves the focus to what is in its place now, or to the whole.
  const next = (now && (near(now, at.holder) || now)) || near(place, at.place) || place;
  if (next === place) place.tabIndex = -1;
  next.focus({ preventScroll: true });
}

// typing reports whether somebody types where markup would be replaced.
const typing = (place) => {
  const at = document.activeElement;
  return place.contains(at) && at.matches("input:not([type=checkbox]), textarea") && at.value !== at.defaultValue;
};
$("board").addEventListener("focusout", () => setTimeout(news));

let filtering;
$("filter").addEventListener("input", () => {
  clearTimeout(filtering);
  filtering = setTimeout(filterBoard, 150);
});
function filterBoard() {
  revision = "";
  return news();
}

async function plant(fault) {
  const op = $("fault-operation").value;
  const times = $("fault-times").value;
  if (op && !fault.operation) fault.operation = op;
  const path = $("fault-path").value.trim();
  if (path && !fault.path) fault.path = path;
  if (times === "half") fault.share = 0.5;
  else if (Number(times) && !fault.times) fault.times = Number(times);
  await call("POST", "faults", fault);
}

document.addEventListener("click", async (event) => {
  const b = event.target.closest("button");
  if (!b || b.form || "busy" in b.dataset) return;
  if (b.dataset.ask && !confirm(b.dataset.ask)) return;
  b.dataset.busy = ""; // not disabled, which would take the focus away
  calm();
  if (b.dataset.do) {
    const [method, path] = b.dataset.do.split(" ");
    const done = await call(method, path, b.dataset.json);
    if (done && b.dataset.told) tell(b.dataset.told);
  } else if (b.id === "older") {
    await older();
  } else if (b.dataset.fault) {
    await plant(JSON.parse(b.dataset.fault));
  } else if (b.dataset.filter) {
    $("filter").value = $("filter").value === b.dataset.filter ? "" : b.dataset.filter;
    await filterBoard();
  } else if ("copy" in b.dataset) {
    await copy(b);
  } else if (b.dataset.applyTo) {
    const who = b.parentElement.querySelector("select").value;
    await call("POST", "applications", '{"applicant_id":' + who + ',"job_id":' + b.dataset.applyTo + "}");
  } else if ("faultPath" in b.dataset) {
    $("fault-operation").value = b.dataset.faultOperation;
    $("fault-path").value = b.dataset.faultPath;
    $("faults").scrollIntoView();
    document.querySelector("button[data-fault]").focus({ preventScroll: true });
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
  delete b.dataset.busy;
});

// What a field had when it was drawn.
function original(e) {
  if (e.type === "checkbox") return e.defaultChecked;
  if (e.options) return ([...e.options].find((o) => o.defaultSelected) || e.options[0])?.value;
  return e.defaultValue.trim();
}

// questions reads lines such as "CATALOG Where? | Berlin | Vienna".
function questions(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).map((line, i) => {
    const [, type, rest] = /^(?:(YESNO|TEXT|TEXTAREA|CATALOG)\s+)?(.*)$/.exec(line);
    const [label, ...answers] = rest.split("|").map((part) => part.trim());
    const question = { id: String(i + 1), type: type || "TEXT", label };
    if (type === "YESNO" && !answers.length) answers.push("Yes", "No");
    if (answers.length) question.answers = answers.map((answer, n) => ({ id: String(n + 1), label: answer }));
    return question;
  });
}

// valueOf gives what a field's text means in JSON; undefined when it has told the problem.
async function valueOf(e, text) {
  if ("number" in e.dataset) return Number(text);
  if ("list" in e.dataset) return [text];
  if ("questions" in e.dataset) return questions(text);
  if ("json" in e.dataset) {
    try {
      return JSON.parse(text);
    } catch (err) {
      problem(e.name + " is not JSON: " + err.message);
      return undefined;
    }
  }
  if (!("place" in e.dataset)) return text;
  const { places } = await findPlaces(text);
  const place = places.find((p) => p.name.toLowerCase() === text.toLowerCase()) || places[0];
  if (place) return place.location;
  if (e.form.dataset.post) wrongTown(text);
  else problem("There is no town " + text + ".");
  return undefined;
}

// A form becomes the JSON of its data-post, or, as far as it was changed, of its data-patch. A name
// with a dot goes deeper.
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  calm();
  const form = event.target;
  const patch = form.dataset.patch;
  const body = {};
  for (const e of form.elements) {
    if (!e.name) continue;
    let value = e.type === "checkbox" ? e.checked : e.value.trim();
    if (patch ? value === original(e) : value === "" || value === false) continue;
    if (value === "") value = null;
    else if (typeof value === "string") value = await valueOf(e, value);
    if (value === undefined) return;
    const path = e.name.split(".");
    let at = body;
    for (const part of path.slice(0, -1)) at = at[part] ||= {};
    at[path.at(-1)] = value;
  }
  if (patch) {
    const job = await call("PATCH", patch, body);
    if (!job) return;
    for (const e of form.elements) e.defaultValue = e.value; // nobody types here any more
    form.closest("details").open = false;
    tell("Saved " + job.title + ".");
    news();
    return;
  }
  const made = await call("POST", form.dataset.post, body);
  $("made").hidden = !made;
  if (!made) return;
  const job = made.job || made;
  $("made").textContent = "Added " + (job.title || job.name) + ", " + job.id + ".";
  form.reset();
});

async function findPlaces(typed) {
  return (await call("GET", "places?q=" + encodeURIComponent(typed))) || { places: [] };
}

// A place is offered while it is typed.
let place;
document.addEventListener("input", (event) => {
  if (!("place" in event.target.dataset)) return;
  clearTimeout(place);
  place = setTimeout(async () => {
    const found = await findPlaces(event.target.value);
    $("towns").replaceChildren(...found.places.map((p) => new Option("", p.name)));
  }, 150);
});

async function copy(button) {
  const text = button.closest(".detail").querySelector(".curl").textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.closest(".detail").querySelector(".curl"));
    button.textContent = "Selected: copy it";
  }
}

// A row that is opened asks for the rest of its entry.
async function openRow(details) {
  const res = await fetch("rows/" + details.dataset.row).catch(() => null);
  const place = details.querySelector(".detail");
  if (res && res.ok) place.innerHTML = await res.text();
  else place.textContent = "The journal has it no longer.";
}
$("rows").addEventListener("toggle", (event) => {
  if (event.target.open && event.target.dataset.row) openRow(event.target);
}, true);

// The filter looks in the whole journal, of which the page has the newest rows that fit.
let room = maxRows; // for rows on the page
let wanted = "";
let kept = 0;
let fit = 0;
const number = (row) => Number(row.id.slice(1));
const parse = (html) => {
  const t = document.createElement("template");
  t.innerHTML = html;
  return t.content.firstElementChild;
};

function count() {
  const there = $("rows").childElementCount;
  const shown = there < fit ? ", the newest " + there + " shown" : "";
  $("shown").textContent = (wanted ? fit + " of " + kept + " fit" : String(kept)) + shown;
  $("older").hidden = there >= fit;
  $("silent").hidden = kept > 0;
}

// put puts a row where its number says, or in place of the one it had.
function put(row) {
  const old = $(row.id);
  if (old) {
    row.querySelector("details").open = old.querySelector("details").open;
    const focused = old.contains(document.activeElement);
    old.replaceWith(row);
    if (focused) row.querySelector("summary").focus({ preventScroll: true });
    return;
  }
  const after = [...$("rows").children].find((other) => number(other) < number(row)) || null;
  $("rows").insertBefore(row, after);
}

// older shows the rows that fit before the oldest one on the page.
async function older() {
  const before = $("rows").lastElementChild?.id.slice(1);
  const query = new URLSearchParams({ q: wanted });
  if (before) query.set("before", before);
  const found = await call("GET", "rows?" + query);
  if (!found || query.get("q") !== wanted) return;
  room += maxRows;
  for (const { html } of found.rows) put(parse(html));
  count();
}

let sifting;
$("row-filter").addEventListener("input", () => {
  clearTimeout(sifting);
  sifting = setTimeout(() => {
    wanted = $("row-filter").value.trim();
    room = maxRows;
    last = 0;
    news();
  }, 150);
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
  calm();
  if (Number.isNaN(value)) problem(name + " is a number.");
  else await call("PATCH", "variants", { [name]: value });
});

// rows takes the rows of what was answered to a question after a number.
function rows(told, after) {
  const box = $("rows");
  const had = new Set([...box.children].map((row) => row.id));
  const list = told.rows.map(({ html }) => parse(html));
  if (after === 0) {
    const fits = new Set(list.map((row) => row.id));
    for (const row of [...box.children]) if (!fits.has(row.id)) row.remove();
    fit = 0;
  }
  for (const row of [...box.children]) if (number(row) < told.first) row.remove();
  for (const row of list) {
    if (after > 0 && !had.has(row.id)) {
      row.classList.add("new");
      if (number(row) <= after) fit++; // by its answer
    }
    put(row);
  }
  kept = told.kept;
  fit = wanted ? fit + told.fit : kept;
  while (box.childElementCount > room) box.lastElementChild.remove();
  count();
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

function live(yes) {
  $("live").className = yes ? "on" : "off";
  $("live").textContent = yes ? "live" : "not connected";
}

// Each second the page asks what is new, and at once after an action.
let last = 0; // number of the newest request that was told of; 0: tell of all
let first = 0;
let open = []; // requests without an answer
let revision = "";
let faults = "";
async function ask() {
  const after = last;
  const query = new URLSearchParams({ after, open: after ? open : "", find: wanted, revision, q: $("filter").value });
  let told;
  try {
    const res = await fetch("news?" + query);
    if (!res.ok) throw new Error(res.status);
    told = await res.json();
  } catch {
    live(false);
    return;
  }
  if (told.instance !== document.body.dataset.instance) { // another fake at the same address
    location.reload();
    return;
  }
  live(true);
  clock(told.clock);
  if (told.faults !== faults) fill($("planted"), (faults = told.faults));
  if (told.board && query.get("q") === $("filter").value) take(told);
  if (query.get("find") !== wanted || after !== last) return; // the filter has changed
  rows(told, after);
  last = told.last;
  open = told.open;
  if (wanted && first !== told.first) last = 0; // how many still fit is asked anew
  first = told.first;
}

// take takes the state, but for what somebody is typing in.
function take(told) {
  const busy = [$("board"), $("positions")].filter(typing);
  if (!busy.includes($("board"))) fill($("board"), told.board);
  if (!busy.includes($("positions"))) fill($("positions"), told.switches);
  if (!busy.length) revision = String(told.revision);
}

let asking = false;
let again = false;
let next;
async function news() {
  again = true;
  if (asking) return;
  asking = true;
  clearTimeout(next);
  while (again) {
    again = false;
    await ask();
  }
  asking = false;
  next = setTimeout(news, 1000);
}
news();
