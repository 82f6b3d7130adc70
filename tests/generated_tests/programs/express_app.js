// A shop that keeps its contract, unless MUTATION names a way in which it does not. See express_apps.js.
"use strict";

const express = require("express");

const mutation = process.env.MUTATION;
const mutated = (name) => mutation === name;
const app = express();
const orders = new Map();
let count = 0;

app.use(express.json({ strict: false }));
app.use((request, response, next) => {
  if (request.get("x-api-key") === "secret" || mutated("open-to-all")) return next();
  return response.status(401).json({ detail: "no key" });
});

const isText = (value) => typeof value === "string";
const within = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;

function linesAreFine(lines) {
  if (!Array.isArray(lines) || (!lines.length && !mutated("accepts-no-lines"))) return false;
  return lines.every(
    (line) =>
      line !== null &&
      typeof line === "object" &&
      isText(line.sku) &&
      (mutated("accepts-any-sku") || /^[A-Z]{3}-[0-9]+$/.test(line.sku)) &&
      within(line.quantity, mutated("accepts-zero-quantity") ? -Infinity : 1, 99),
  );
}

function isFine(order) {
  if (order === null || typeof order !== "object" || Array.isArray(order)) return false;
  const known = ["customer", "priority", "lines"];
  if (!mutated("accepts-additional") && Object.keys(order).some((key) => !known.includes(key))) {
    return false;
  }
  if (order.customer === undefined ? !mutated("accepts-no-customer") : !isText(order.customer)) {
    return false;
  }
  const length = (order.customer || "c").length;
  if (order.customer === "" && !mutated("accepts-empty-customer")) return false;
  if (length > 60 && !mutated("accepts-long-customer")) return false;
  const { priority } = order;
  if (priority !== undefined && !["low", "high"].includes(priority)) {
    if (!(mutated("accepts-any-priority") && isText(priority))) return false;
  }
  return linesAreFine(order.lines);
}

app.post("/v1/orders", (request, response) => {
  if (!isFine(request.body)) return response.status(422).json({ detail: "not fine" });
  const id = `o-${++count}`;
  const order = {
    id,
    priority: "low",
    ...request.body,
    total: 100,
    note: null,
    createdAt: "2026-01-01T00:00:00Z",
  };
  orders.set(id, order);
  const sent = { ...order };
  if (mutated("id-is-a-number")) sent.id = count;
  if (mutated("no-total")) delete sent.total;
  if (mutated("total-is-text")) sent.total = "100";
  if (mutated("total-is-renamed")) {
    sent.Total = sent.total;
    delete sent.total;
  }
  if (mutated("created-is-no-time")) sent.createdAt = "yesterday";
  if (mutated("sends-additional")) sent.secret = 1;
  if (!mutated("no-location")) response.set("Location", `/v1/orders/${id}`);
  response.status(mutated("created-answers-200") ? 200 : 201);
  return mutated("sends-text") ? response.type("text").send("created") : response.json(sent);
});

app.get("/v1/orders", (request, response) => {
  const limit = Number(request.query.limit);
  const low = mutated("accepts-any-limit") ? -Infinity : 1;
  if (!within(limit, low, mutated("accepts-any-limit") ? Infinity : 50)) {
    return response.status(422).json({ detail: "no limit" });
  }
  const found = [...orders.values()].slice(0, Math.max(limit, 0));
  return response.json(mutated("list-is-bare") ? found : { items: found });
});

app.get("/v1/orders/:id", (request, response) => {
  const found = orders.get(request.params.id);
  if (!found) {
    if (mutated("unknown-is-found")) {
      const { id } = request.params;
      return response.json({ id, customer: "c", priority: "low", lines: [], total: 0 });
    }
    const status = mutated("unknown-is-an-error") ? 500 : 404;
    return response.status(status).json({ detail: "unknown" });
  }
  const order = { ...found };
  if (mutated("customer-is-null")) order.customer = null;
  if (mutated("priority-is-unknown")) order.priority = "LOW";
  if (mutated("line-without-sku")) order.lines = [{ quantity: 1 }];
  return response.json(order);
});

if (!mutated("no-delete")) {
  app.delete("/v1/orders/:id", (request, response) => {
    if (!orders.delete(request.params.id)) return response.status(404).json({ detail: "unknown" });
    return response.status(mutated("removed-answers-200") ? 200 : 204).end();
  });
}

app.use((error, request, response, next) => response.status(422).json({ detail: "no JSON" }));
module.exports = app;
