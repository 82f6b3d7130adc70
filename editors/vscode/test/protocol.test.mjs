/**
 * What the extension asks of the server, asked of the real one over the protocol library that VS
 * Code uses: problems with a link to their page, quick fixes, hover.
 *
 *     CONTRACT_SCAN=/path/of/contract-scan npm test
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { APP, CONTRACT } from "../samples/shop.mjs";

const require = createRequire(import.meta.url);
const protocol = require("vscode-languageserver-protocol/node");

test("the server tells problems, mends them and explains them", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "contract-scan-"));
  writeFileSync(join(folder, "openapi.yaml"), CONTRACT);
  writeFileSync(join(folder, "app.py"), APP);
  const server = spawn(process.env.CONTRACT_SCAN ?? "contract-scan", ["server"], { cwd: folder });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  try {
    const uri = pathToFileURL(join(folder, "app.py")).href;
    const told = new Promise((resolve) => {
      connection.onNotification("textDocument/publishDiagnostics", (params) => {
        if (params.uri === uri && params.diagnostics.length) {
          resolve(params.diagnostics);
        }
      });
    });
    connection.listen();
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "shop" }],
      capabilities: {
        textDocument: {
          publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true },
          codeAction: {
            codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } },
          },
          hover: { contentFormat: ["markdown"] },
        },
      },
    });
    await connection.sendNotification("initialized", {});
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "python", version: 1, text: APP },
    });
    const [problem] = await told;
    assert.equal(problem.source, "contract-scan");
    assert.equal(problem.code, "CONTRACT-001/type");
    assert.match(problem.codeDescription.href, /rules\/CONTRACT-001\/type/);
    assert.deepEqual(problem.range.start, { line: 7, character: 8 });
    assert.match(problem.relatedInformation[0].location.uri, /openapi\.yaml$/);
    const hover = await connection.sendRequest("textDocument/hover", {
      textDocument: { uri },
      position: problem.range.start,
    });
    assert.match(hover.contents.value, /property of `GET \/orders`, contracted in `openapi\.yaml:11`/);
    const actions = await connection.sendRequest("textDocument/codeAction", {
      textDocument: { uri },
      range: problem.range,
      context: { diagnostics: [problem] },
    });
    assert.ok(actions.some(({ title }) => title === "Fix (unsafe): make its type `str`"));
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
  } finally {
    connection.dispose();
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("every setting and command that the extension uses is declared", () => {
  const code = readFileSync(new URL("../src/extension.ts", import.meta.url), "utf-8");
  const { contributes } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf-8"),
  );
  const commands = new Set(contributes.commands.map((each) => each.command));
  const used = [...code.matchAll(/registerCommand\("([^"]+)"/g)].map((found) => found[1]);
  assert.deepEqual(new Set(used), commands);
  for (const [, name] of code.matchAll(/settings\.get<[^(]*>\("([^"]+)"/g)) {
    assert.ok(`contract-scan.${name}` in contributes.configuration.properties, name);
  }
});
