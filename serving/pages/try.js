import { describeModel, element, send } from "/pages/common.js";

const columns = document.getElementById("columns");
const answer = document.getElementById("answer");
let model;

function addField(name, column, value, index) {
  const label = element("label", `${name} `);
  const type = column.type[0];
  label.append(element("small", type));
  const field = element("input", "", { name, value: String(value ?? ""), autocomplete: "off" });
  if (type !== "string") field.inputMode = "decimal";
  if (column.examples.length > 1) {
    const list = element("datalist", "", { id: `choices-${index}` });
    list.append(...column.examples.map((choice) => element("option", "", { value: String(choice) })));
    field.setAttribute("list", list.id);
    label.append(list);
  }
  label.append(field);
  columns.append(label);
}

describeModel((described) => {
  model = described;
  const { title, version } = described.document.info;
  document.getElementById("title").textContent = `${title}, version ${version}`;
  document.title = title;
  columns.replaceChildren();
  const example = described.body.example.instances[0];
  Object.entries(described.columns).forEach(([name, column], index) =>
    addField(name, column, example[name], index),
  );
});

// A field's value as JSON. Whole numbers keep all their digits, which Number would round.
function write(type, text) {
  const trimmed = text.trim();
  if (trimmed === "") return "null";
  if (type === "integer" && /^[+-]?\d+$/.test(trimmed)) return String(BigInt(trimmed.replace("+", "")));
  if (type === "number" && Number.isFinite(Number(trimmed))) return String(Number(trimmed));
  return JSON.stringify(text);
}

function showBar(name, probability) {
  const row = element("tr", "");
  const cell = element("td", "");
  const shown = `${(100 * probability).toFixed(1)} %`;
  cell.append(element("meter", shown, { min: 0, max: 1, value: probability, "aria-label": name }));
  row.append(element("th", name, { scope: "row" }), cell, element("td", shown));
  return row;
}

function showPrediction(prediction) {
  const table = element("table", "");
  if (prediction.probabilities) {
    prediction.classes
      .map((name, index) => [name, prediction.probabilities[index]])
      .sort((one, other) => other[1] - one[1])
      .forEach(([name, probability]) => table.append(showBar(name, probability)));
  } else if (prediction.probability !== undefined) {
    table.append(showBar(model.outputs.probability.title, prediction.probability));
  }
  const main = typeof prediction === "object" ? (prediction.class ?? JSON.stringify(prediction)) : prediction;
  answer.replaceChildren(element("h2", `Prediction: ${main}`), table);
}

document.getElementById("row").addEventListener("submit", async (event) => {
  event.preventDefault();
  const cells = [...columns.querySelectorAll("input")].map(
    (field) => `${JSON.stringify(field.name)}: ${write(model.columns[field.name].type[0], field.value)}`,
  );
  const { status, content } = await send(model.path, `{"instances": [{${cells.join(", ")}}]}`);
  if (status === 200) showPrediction(content.predictions[0]);
  else answer.replaceChildren(element("p", content.error, { class: "bad", role: "alert" }));
});
