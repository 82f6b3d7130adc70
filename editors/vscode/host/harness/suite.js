/** What a user sees of the extension, asked of VS Code from inside: it runs `run` in its extension host. */
const assert = require("node:assert/strict");
const { writeFileSync } = require("node:fs");
const vscode = require("vscode");

/** Runs the suite and writes what failed, or nothing, into the file that `SUITE_RESULT` names. */
exports.run = async () => {
  let failure = "";
  try {
    await problemIsShownExplainedAndMended();
  } catch (error) {
    failure = error.stack;
  }
  writeFileSync(process.env.SUITE_RESULT, JSON.stringify({ failure, version: vscode.version }));
};

async function problemIsShownExplainedAndMended() {
  const [folder] = vscode.workspace.workspaceFolders;
  const uri = vscode.Uri.joinPath(folder.uri, "app.py");
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);

  const [problem] = await problemsOnce(uri, (problems) => problems.length === 1);
  assert.equal(problem.source, "contract-scan");
  assert.equal(problem.code.value, "CONTRACT-001/type");
  assert.match(problem.code.target.path, /rules\/CONTRACT-001\/type/);
  assert.equal(document.getText(problem.range), "int");

  const at = problem.range.start;
  const [hover] = await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, at);
  assert.match(hover.contents[0].value, /property of `GET \/orders`, contracted in `openapi\.yaml:11`/);

  const [fix, ignore] = await vscode.commands.executeCommand(
    "vscode.executeCodeActionProvider", uri, problem.range, vscode.CodeActionKind.QuickFix.value,
  );
  assert.equal(fix.title, "Fix (unsafe): make its type `str`");
  assert.equal(ignore.title, "Ignore CONTRACT-001/type here, with a reason");
  assert.ok(await vscode.workspace.applyEdit(fix.edit));
  assert.match(document.getText(), /id: str/);
  assert.ok(await document.save());
  await problemsOnce(uri, (problems) => problems.length === 0);

  const back = new vscode.WorkspaceEdit();
  back.replace(uri, new vscode.Range(at, at.translate(0, "str".length)), "int");
  assert.ok(await vscode.workspace.applyEdit(back));
  assert.ok(await document.save());
  await problemsOnce(uri, (problems) => problems.length === 1);

  // A restart during a start, as when a folder is trusted while the server starts: one server in the end.
  const restarts = ["contract-scan.restart", "contract-scan.restart"];
  await Promise.all(restarts.map((command) => vscode.commands.executeCommand(command)));
  await problemsOnce(uri, (problems) => problems.length === 1);
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", uri, at);
  assert.equal(hovers.length, 1);
}

/** The problems of a file as soon as they are as wanted. */
async function problemsOnce(uri, areWanted) {
  const shown = vscode.languages.getDiagnostics(uri);
  if (areWanted(shown)) {
    return shown;
  }
  return new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => {
      listener.dispose();
      const seen = vscode.languages.getDiagnostics(uri).map(({ message }) => message);
      reject(new Error(`after a minute the problems are ${JSON.stringify(seen)}`));
    }, 60_000);
    const listener = vscode.languages.onDidChangeDiagnostics(() => {
      const now = vscode.languages.getDiagnostics(uri);
      if (areWanted(now)) {
        clearTimeout(giveUp);
        listener.dispose();
        resolve(now);
      }
    });
  });
}
