/**
 * The packaged extension in VS Code itself: the server of VS Code with the package installed, and its
 * workbench in a headless Chromium, which run `harness/suite.js` in the extension host.
 *
 *     CONTRACT_SCAN=/path/of/contract-scan VSCODE_SERVER=/path/of/out/server-main.js \
 *         npm run test:vscode
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { APP, CONTRACT } from "../samples/shop.mjs";

const PACKAGE = fileURLToPath(new URL("../contract-scan.vsix", import.meta.url));
const HARNESS = fileURLToPath(new URL("harness", import.meta.url));

test("VS Code shows a problem, explains it and mends it", { timeout: 180_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "contract-scan-host-"));
  const running = [];
  context.after(async () => {
    await Promise.all(running.map(ended));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const shop = join(folder, "shop");
  const settings = join(folder, "data", "Machine");
  mkdirSync(shop);
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(shop, "openapi.yaml"), CONTRACT);
  writeFileSync(join(shop, "app.py"), APP);
  writeFileSync(
    join(settings, "settings.json"),
    JSON.stringify({ "contract-scan.path": process.env.CONTRACT_SCAN }),
  );
  const result = join(folder, "result.json");
  const options = [
    process.env.VSCODE_SERVER,
    "--accept-server-license-terms",
    ...["--user-data-dir", join(folder, "data")],
    ...["--extensions-dir", join(folder, "extensions")],
  ];
  // No gallery: the server of VS Code would ask one for newer versions of the extension.
  const env = { ...process.env, EXTENSIONS_GALLERY: "{}", SUITE_RESULT: result };
  execFileSync(process.execPath, [...options, "--install-extension", PACKAGE], {
    env,
    stdio: "ignore",
  });

  const listens = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token"];
  const server = spawn(process.execPath, [...options, ...listens], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  running.push(server);
  const port = await printed(server.stdout, /listening on (\d+)/);
  const browser = spawn(
    "chromium",
    [
      ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
      `--user-data-dir=${join(folder, "browser")}`,
      workbench(port, shop),
    ],
    { stdio: "ignore" },
  );
  running.push(browser);
  while (!existsSync(result) || !readFileSync(result, "utf-8")) {
    assert.equal(server.exitCode ?? browser.exitCode, null, "VS Code has ended");
    await sleep(100);
  }
  const { failure, version } = JSON.parse(readFileSync(result, "utf-8"));
  assert.equal(failure, "");
  context.diagnostic(`VS Code ${version}`);
});

/** The address at which the workbench opens a folder and runs the suite. */
function workbench(port, folder) {
  const remote = `vscode-remote://127.0.0.1:${port}${HARNESS}`;
  const payload = [
    ["extensionDevelopmentPath", remote],
    ["extensionTestsPath", `${remote}/suite.js`],
    ["skipWelcome", "true"],
  ];
  const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query}`;
}

/** The first group of a pattern in what a stream says, as soon as it is there. */
async function printed(stream, pattern) {
  let text = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [, found] = text.match(pattern) ?? [];
    if (found) {
      stream.resume();
      return found;
    }
  }
  throw new Error(`the server of VS Code ended: ${text}`);
}

/** Ends a process. */
async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await exit;
  }
}
