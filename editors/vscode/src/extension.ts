/**
 * contract-scan in VS Code: starts `contract-scan server` for the workspace and shows what it finds.
 *
 * Diagnostics, quick fixes, hover and links come from the server, by the Language Server Protocol.
 * What is here is what the protocol leaves to an editor: settings, the status bar, commands.
 */
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from "vscode-languageclient/node";

const NAME = "contract-scan";
const PAGES = "https://github.com/contract-scan/contract-scan/blob/main/docs/rules/";
/** Of code, contracts and configuration: what the server wants to hear of. */
const LANGUAGES = [
  "typescript", "typescriptreact", "javascript", "javascriptreact", "python", "csharp", "java",
  "yaml", "json", "jsonc", "toml", "markdown",
];

let client: LanguageClient | undefined;
/** The last start of the server, which may be under way: a server that is starting cannot be stopped. */
let started: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel(NAME);
  const status = vscode.window.createStatusBarItem(NAME, vscode.StatusBarAlignment.Left);
  status.name = NAME;
  status.command = "contract-scan.showLog";
  context.subscriptions.push(
    log,
    status,
    vscode.commands.registerCommand("contract-scan.restart", () => restart(log, status)),
    vscode.commands.registerCommand("contract-scan.showLog", () => log.show()),
    vscode.commands.registerCommand("contract-scan.openRule", openRule),
    vscode.languages.onDidChangeDiagnostics(() => showCount(status)),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration(NAME)) {
        await restart(log, status);
      }
    }),
  );
  await restart(log, status);
}

export async function deactivate(): Promise<void> {
  await started;
  await stop();
}

/** Start the server anew, once the start before has ended: two servers would tell everything twice. */
function restart(log: vscode.OutputChannel, status: vscode.StatusBarItem): Promise<void> {
  started = started.then(stop).then(() => start(log, status));
  return started;
}

async function stop(): Promise<void> {
  try {
    await client?.stop();
  } catch {
    // It never started: there is nothing to stop.
  }
}

async function start(log: vscode.OutputChannel, status: vscode.StatusBarItem): Promise<void> {
  const settings = vscode.workspace.getConfiguration(NAME);
  const server: ServerOptions = {
    command: settings.get<string>("path", NAME),
    args: ["server", ...settings.get<string[]>("arguments", [])],
  };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
    outputChannel: log,
    synchronize: { configurationSection: NAME },
  };
  client = new LanguageClient(NAME, NAME, server, options);
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Starting) {
      show(status, "$(sync~spin) contracts", "The server starts.");
    } else if (newState === State.Running) {
      showCount(status);
    } else {
      show(status, "$(circle-slash) contracts", "The server has stopped.");
    }
  });
  try {
    await client.start();
  } catch (error) {
    show(status, "$(error) contracts", String(error));
    void offerInstallation(server.command);
  }
}

/** Say what the server needs; nothing waits for the answer. */
async function offerInstallation(command: string): Promise<void> {
  const install = "How to install it";
  const chosen = await vscode.window.showErrorMessage(
    `\`${command} server\` cannot be started; it needs: pipx install 'contract-scan[lsp]'`,
    install,
  );
  if (chosen === install) {
    await open("https://github.com/contract-scan/contract-scan/blob/main/docs/editor.md");
  }
}

/** How many problems the server has told of, in the status bar. */
function showCount(status: vscode.StatusBarItem): void {
  if (client?.state !== State.Running) {
    return;
  }
  const own = vscode.languages
    .getDiagnostics()
    .flatMap(([, found]) => found)
    .filter((each) => each.source === NAME);
  const errors = own.filter((each) => each.severity === vscode.DiagnosticSeverity.Error).length;
  const mark = errors ? "$(error)" : own.length ? "$(warning)" : "$(check)";
  const said = `${own.length} ${own.length === 1 ? "problem" : "problems"}`;
  show(status, `${mark} contracts: ${own.length}`, `${said}, ${errors} of them errors`);
}

function show(status: vscode.StatusBarItem, text: string, tooltip: string): void {
  status.text = text;
  status.tooltip = tooltip;
  status.show();
}

/** Open the page of the kind of a problem at the cursor, or of one that is asked for. */
async function openRule(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor
    ? vscode.languages
        .getDiagnostics(editor.document.uri)
        .filter((each) => each.source === NAME && each.range.contains(editor.selection.active))
    : [];
  const known = here.map((each) => codeOf(each)).filter((code) => code !== "");
  const wanted =
    known[0] ??
    (await vscode.window.showInputBox({
      prompt: "A rule (CONTRACT-001) or kind (CONTRACT-001/nullable)",
      validateInput: (text) => (/^(CONTRACT|SCOPE)-\d{3}(\/[a-z-]+)?$/.test(text) ? undefined : "CONTRACT-001 or CONTRACT-001/nullable"),
    }));
  if (wanted) {
    await open(`${PAGES}${wanted}.md`);
  }
}

function codeOf(diagnostic: vscode.Diagnostic): string {
  const code = diagnostic.code;
  return String(typeof code === "object" ? code.value : (code ?? ""));
}

async function open(address: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(address));
}
