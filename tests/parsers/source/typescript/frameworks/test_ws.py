"""Sockets of ws."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

OPEN = "<the address is a path that is not constant where the socket is used>"


def test_sockets_of_ws(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { WebSocketServer } from 'ws';
                interface Said { text: string }
                const server = new WebSocketServer({ port: 1, path: '/chat' });
                server.on('connection', (socket) => {
                  socket.on('error', console.error);
                  socket.on('message', (raw) => {
                    const said: Said = JSON.parse(raw.toString());
                    socket.send(JSON.stringify({ type: 'echo', text: said.text }));
                    socket.send('ping');
                  });
                  welcome('hello', socket);
                });
                function welcome(text: string, to) { to.send(JSON.stringify({ welcome: text })); }
                server.clients.forEach((client) => client.send(JSON.stringify({ each: 1 })));
                for (const client of server.clients) client.send(JSON.stringify({ loop: 1 }));
                export const mail = (mailer, res) => {
                  mailer.send(JSON.stringify({ mail: 1 }));
                  res.send(JSON.stringify({ answer: 1 }));
                };
            """
        },
    )
    assert project.events() == {
        "receive /chat: {text: string}",
        "send /chat: {type: 'echo', text: string}",
        "send /chat: unknown",
        "send /chat: {welcome: string}",
        "send /chat: {each: 1}",
        "send /chat: {loop: 1}",
    }


def test_sockets_whose_path_is_open(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import WebSocket, { WebSocketServer } from 'ws';
                const one = new WebSocketServer({ noServer: true });
                one.on('connection', serve);
                function serve(socket) { socket.send(JSON.stringify({ served: 1 })); }
                export class Controller {
                  constructor(private readonly socket: WebSocket) {}
                  fail(text: string) { this.socket.send(JSON.stringify({ text })); }
                }
                one.on('connection', (socket: WebSocket) => { socket.on('message', unseen()); });
            """
        },
    )
    assert project.events() == {
        f"send {OPEN}: {{served: 1}}",
        f"send {OPEN}: {{text: string}}",
        f"receive {OPEN}: unknown",
    }


def test_servers_of_one_http_server_are_told_by_the_path_of_the_upgrade(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { createServer } from 'http';
                import { WebSocketServer } from 'ws';
                const foo = new WebSocketServer({ noServer: true });
                const bar = new WebSocketServer({ noServer: true });
                const room = new WebSocketServer({ noServer: true });
                const last = new WebSocketServer({ noServer: true });
                foo.on('connection', (ws) => ws.send(JSON.stringify({ foo: 1 })));
                bar.on('connection', (ws) => ws.send(JSON.stringify({ bar: 1 })));
                room.on('connection', (ws) => ws.send(JSON.stringify({ room: 1 })));
                last.on('connection', (ws) => ws.send(JSON.stringify({ last: 1 })));
                const server = createServer();
                server.on('upgrade', (request, socket, head) => {
                  const { pathname } = new URL(request.url, 'ws://base');
                  const rooms = /^\\/rooms\\/(?<id>[^/]+)$/.exec(pathname);
                  if (pathname === '/foo') {
                    foo.handleUpgrade(request, socket, head, (ws) => foo.emit('connection', ws));
                    return;
                  } else if (rooms) {
                    room.handleUpgrade(request, socket, head, (ws) => ws.close());
                    return;
                  }
                  switch (pathname) {
                    case '/bar':
                      bar.handleUpgrade(request, socket, head, (ws) => bar.emit('connection', ws));
                      return;
                  }
                  if (pathname !== '/last' || !request.url) { socket.destroy(); return; }
                  if (pathname !== '/last') { socket.destroy(); return; }
                  last.handleUpgrade(request, socket, head, (ws) => last.emit('connection', ws));
                });
            """
        },
    )
    assert project.events() == {
        "send /foo: {foo: 1}",
        "send /bar: {bar: 1}",
        "send /rooms/{id}: {room: 1}",
        "send /last: {last: 1}",
    }


def test_servers_and_sockets_are_followed_into_classes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "main.ts": """
                import { WebSocketServer } from 'ws';
                import { Bus, Router, Session } from './parts';
                const commands = new WebSocketServer({ noServer: true });
                const events = new WebSocketServer({ noServer: true });
                const bus = new Bus(events);
                const router = new Router(commands, events);
                commands.on('connection', (socket) => {
                  const session = new Session('a', socket);
                  socket.on('message', session.take.bind(session));
                });
            """,
            "parts.ts": """
                import type { WebSocket } from 'ws';
                import { WebSocketServer } from 'ws';
                export class Bus {
                  private readonly server: WebSocketServer;
                  constructor(server: WebSocketServer) { this.server = server; }
                  emit(id: string) {
                    this.server.clients.forEach((client) => client.send(JSON.stringify({ id })));
                  }
                }
                export class Session {
                  constructor(private name: string, private socket: WebSocket) {}
                  take(data: Buffer) {
                    const said: { text: string } = JSON.parse(data.toString());
                    this.socket.send(JSON.stringify({ said: said.text }));
                  }
                }
                export class Router {
                  constructor(private commands: WebSocketServer, private events: WebSocketServer) {}
                  upgrade(request, socket, head) {
                    const path = new URL(request.url).pathname;
                    const commands = new RegExp('^/boards/(?<board>.+)/commands$').exec(path);
                    if (commands) this.commands.handleUpgrade(request, socket, head, () => {});
                    else if (path.match(/^\\/events\\/?$/)) {
                      this.events.handleUpgrade(request, socket, head, () => {});
                    }
                  }
                }
            """,
        },
    )
    assert project.events() == {
        "receive /boards/{board}/commands: {text: string}",
        "send /boards/{board}/commands: {said: string}",
        "send /events: {id: string}",
    }


def test_a_server_that_looks_at_no_path_takes_every_one(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const WebSocket = require('ws');
                const server = new WebSocket.Server({ port: 8080 });
                server.on('connection', (ws) => ws.send(JSON.stringify({ hello: true })));
                const client = new WebSocket('ws://elsewhere');
                client.send(JSON.stringify({ asks: 1 }));
            """
        },
    )
    assert project.events() == {"send *: {hello: True}"}
    assert {(use.pattern, use.protocols) for use in project.code.events} == {(True, ("ws", "http"))}


def named(project: Project) -> set[tuple[str, str]]:
    return {(use.direction, use.message) for use in project.code.events if use.has_wire_name}


def test_messages_are_told_by_the_switch_over_their_type(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const { WebSocketServer } = require('ws');
                const server = new WebSocketServer({ port: 1 });
                server.on('connection', (socket) => {
                  socket.on('message', (raw) => {
                    const message = JSON.parse(raw);
                    dispatch(message);
                  });
                });
                function dispatch(message) {
                  switch (message.type) {
                    case 'join': return join();
                    case 'leave': return leave();
                    default: throw new Error();
                  }
                }
            """
        },
    )
    assert named(project) == {("receive", "join"), ("receive", "leave")}
    assert len(project.code.events) == 2


def test_messages_are_told_by_generated_schemas_that_are_tried(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { WebSocketServer, type WebSocket } from 'ws';
                import { AddSchema, MoveSchema } from './generated/types.zod';
                class Add { schema() { return AddSchema; } handle(command: unknown) {} }
                class Move { schema() { return MoveSchema; } handle(command: unknown) {} }
                class Controller {
                  constructor(private socket: WebSocket, private handlers: Handler[]) {}
                  take(raw: Buffer) {
                    const command = JSON.parse(raw.toString());
                    for (const handler of this.handlers) {
                      const parsed = handler.schema().safeParse(command);
                      if (parsed.success) return handler.handle(parsed.data);
                    }
                  }
                }
                interface Handler { schema(): unknown; handle(command: unknown): void }
                const handlers = [new Add(), new Move()];
                new WebSocketServer({ port: 1 }).on('connection', (socket: WebSocket) => {
                  const controller = new Controller(socket, handlers);
                  socket.on('message', controller.take.bind(controller));
                });
            """
        },
    )
    assert named(project) == {("receive", "Add"), ("receive", "Move")}


def test_handlers_that_are_assigned(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { WebSocketServer } from 'ws';
                const server = new WebSocketServer({ port: 1, path: '/game' });
                server.on('connection', (socket) => {
                  socket.onmessage = (event) => {
                    const move: { x: number } = JSON.parse(event.data);
                    console.log(move);
                  };
                });
                const client = new WebSocket('ws://elsewhere');
                client.onmessage = (event) => console.log(event);
            """
        },
    )
    assert project.events() == {"receive /game: {x: numeric}"}


def test_sockets_that_are_kept_in_a_collection_are_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const { WebSocketServer } = require('ws');
                const clients = new Map();
                const rooms = [];
                new WebSocketServer({ port: 1 }).on('connection', (socket, request) => {
                  clients.set(request.url, socket);
                  rooms.push({ socket, url: request.url });
                  rooms.push(request.url);
                });
                exports.tell = (id) => clients.get(id).send(JSON.stringify({ a: 1 }));
            """
        },
    )
    kept = "path of sockets that are kept in a collection, which is not followed"
    assert [use.unresolved for use in project.code.events] == [f"the address is a {kept}"] * 2
    assert project.events() == {f"send <the address is a {kept}>: unknown"}


def test_sockets_of_types_that_extend_those_of_the_library(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { WebSocketServer, WebSocket } from 'ws';
                interface Client extends WebSocket { user: string }
                type Guest = WebSocket & { name: string };
                interface Mailer { send(text: string): void }
                const server = new WebSocketServer({ port: 1, path: '/chat' });
                server.on('connection', (socket: WebSocket) => {
                  const client = socket as Client;
                  client.on('message', (raw) => {
                    const said: { text: string } = JSON.parse(raw.toString());
                  });
                });
                const clients = new Map<string, Set<Client>>();
                const of = (user: string): Set<Client> => clients.get(user) ?? new Set();
                export const tell = (user: string, text: string) => {
                  for (const client of of(user)) client.send(JSON.stringify({ text }));
                };
                export const greet = (guest: Guest) => guest.send(JSON.stringify({ hello: 1 }));
                export const mail = (mailer: Mailer) => mailer.send(JSON.stringify({ mail: 1 }));
            """
        },
    )
    assert project.events() == {
        f"receive {OPEN}: {{text: string}}",
        f"send {OPEN}: {{text: string}}",
        f"send {OPEN}: {{hello: 1}}",
    }


def test_sockets_of_a_set_belong_to_the_only_server(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const { WebSocketServer } = require('ws');
                const { Session } = require('./session');
                function create(http, options = {}) {
                  const server = new WebSocketServer({ http, path: options.path || '/talk' });
                  server.on('connection', async (ws) => { await new Session().attach(ws); });
                }
            """,
            "session.js": """
                const { WebSocket } = require('ws');
                class Session {
                  attach(ws) { this.connections.push(ws); }
                  tell(what) {
                    for (const ws of this.connections) { ws.send(JSON.stringify({ what })); }
                    const client = this.byName.get('x');
                    client.send(JSON.stringify({ one: 1 }));
                  }
                  async other() {
                    const socket = await this.open();
                    socket.send(JSON.stringify({ never: 1 }));
                  }
                }
                exports.Session = Session;
            """,
        },
    )
    assert project.events() == {"send /talk: {what: unknown}", "send /talk: {one: 1}"}


def test_a_server_that_is_handed_every_upgrade_takes_every_path(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { createServer } from 'node:http';
                import { WebSocketServer } from 'ws';
                const server = new WebSocketServer({ noServer: true });
                server.on('connection', (socket) => { socket.send(JSON.stringify({ a: 1 })); });
                createServer().on('upgrade', (request, socket, head) => {
                  server.handleUpgrade(request, socket, head, (given) => {
                    server.emit('connection', given, request);
                  });
                });
            """,
        },
    )
    assert project.events() == {"send *: {a: 1}"}
