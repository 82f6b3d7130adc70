// `node express_apps.js PORT NAME…`: the shop as each mutation makes it, below `/NAME`, in one
// process. A name that no mutation has is the shop that keeps its contract.
"use strict";

const express = require("express");

const [port, ...names] = process.argv.slice(2);
const program = require.resolve("./express_app.js");
const apps = express();
for (const name of names) {
  process.env.MUTATION = name;
  delete require.cache[program];
  apps.use(`/${name}`, require(program));
}
apps.listen(Number(port), "127.0.0.1");
