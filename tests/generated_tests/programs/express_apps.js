// `node express_apps.js NAME…`: the shop as each mutation makes it, below `/NAME`, in one process
// that prints the port on which it listens. A name that no mutation has is the shop that keeps its contract.
"use strict";

const express = require("express");

const names = process.argv.slice(2);
const program = require.resolve("./express_app.js");
const apps = express();
for (const name of names) {
  process.env.MUTATION = name;
  delete require.cache[program];
  apps.use(`/${name}`, require(program));
}
const server = apps.listen(0, "127.0.0.1", () => console.log(server.address().port));
