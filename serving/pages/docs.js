import { describeModel, element, send } from "/pages/common.js";

const body = document.getElementById("body");
const answer = document.getElementById("answer");
let model;

// The document is written for Markdown.
function plain(text) {
  return text.replaceAll("`", "");
}

function addRow(table, ...cells) {
  const row = element("tr", "");
  row.append(...cells.map((cell) => element("td", cell)));
  document.getElementById(table).append(row);
}

function showCommand() {
  const quoted = body.value.replaceAll("'", "'\\''");
  const token = model.document.security ? " -H 'Authorization: Bearer TOKEN'" : "";
  document.getElementById("curl").textContent =
    `curl ${location.origin}${model.path}${token} -d '${quoted}'`;
}

describeModel((described) => {
  model = described;
  const { info, paths } = described.document;
  document.getElementById("title").textContent = `${info.title}, version ${info.version}`;
  document.getElementById("description").textContent = plain(info.description);
  document.getElementById("predict").textContent = `POST ${described.path}`;
  for (const table of ["columns", "statuses", "paths"]) document.getElementById(table).replaceChildren();
  for (const [name, column] of Object.entries(described.columns)) {
    const type = [`${column.type[0]} or null`, column.description].filter(Boolean).join(". ");
    addRow("columns", name, type, column.examples.slice(0, 5).map((value) => value ?? "").join(", "));
  }
  for (const [status, response] of Object.entries(paths[described.path].post.responses)) {
    addRow("statuses", status, plain(response.description));
  }
  for (const [path, operations] of Object.entries(paths)) {
    if (operations.get) addRow("paths", `GET ${path}`, operations.get.summary);
  }
  body.value = JSON.stringify(described.body.example, null, 1);
  showCommand();
});

body.addEventListener("input", showCommand);

document.getElementById("request").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { status, content, milliseconds } = await send(model.path, body.value);
  answer.replaceChildren(
    element("p", `Status ${status}, ${milliseconds.toFixed(0)} ms`, status === 200 ? {} : { class: "bad" }),
    element("pre", JSON.stringify(content, null, 1), { tabindex: 0 }),
  );
});
