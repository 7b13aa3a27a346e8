// What both pages do: read the description of the model, ask for the token if needed, send rows.

const TOKEN = "model-server-token";

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Calls `show` with the OpenAPI document, again after the token was typed.
export async function describeModel(show) {
  const response = await fetch("/openapi.json", { headers: headers() });
  const line = document.getElementById("token");
  line.hidden = response.status !== 401;
  line.querySelector("input").onchange = (event) => {
    sessionStorage.setItem(TOKEN, event.target.value.trim());
    describeModel(show);
  };
  if (response.ok) {
    const document_ = await response.json();
    const [path, operations] = Object.entries(document_.paths).find(([, o]) => o.post);
    const body = operations.post.requestBody.content["application/json"];
    const answer = operations.post.responses[200].content["application/json"].schema;
    show({
      document: document_,
      path,
      body,
      columns: body.schema.properties.instances.items.properties,
      outputs: answer.properties.predictions.items.properties ?? {},
    });
  }
}

// Returns {status, content, milliseconds}; `body` is JSON text.
export async function send(path, body) {
  const started = performance.now();
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers() },
      body,
    });
    const content = JSON.parse(await response.text());
    return { status: response.status, content, milliseconds: performance.now() - started };
  } catch (error) {
    return { status: 0, content: { error: String(error) }, milliseconds: 0 };
  }
}
