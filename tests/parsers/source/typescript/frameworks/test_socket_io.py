"""Events of Socket.IO."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def placed(project: Project) -> set[str]:
    """`send event @namespace: shape`."""
    return {
        f"{use.direction} {use.message or use.unresolved} @{''.join(use.aliases)}: "
        + project.shape(use.payload)
        for use in project.code.events
    }


def test_events_of_servers_namespaces_rooms_and_sockets(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { createServer } from 'http';
                import { Server, Socket } from 'socket.io';
                import { register } from './chat';
                const ROOM_EVENT = 'room:joined';
                const io = new Server(createServer(), { cors: { origin: '*' } });
                const admin = io.of('/admin');
                io.use((socket, next) => next());
                io.on('connection', (socket) => {
                  socket.join('lobby');
                  socket.on('disconnect', () => {});
                  socket.on('typing', (said: { text: string }, ack) => {
                    socket.broadcast.emit('typed', { by: socket.id, text: said.text });
                    io.to('lobby').except('a').volatile.emit(ROOM_EVENT, { count: 1 });
                  });
                  register(io, socket);
                });
                admin.on('connection', (socket: Socket) => {
                  socket.emit('stats', { total: 1 }, (answer: string) => {});
                  socket.once('stop', () => {});
                });
                const room = io.in('x');
                room.emit('several', 1, 2);
                io.emit('nothing');
            """,
            "chat.ts": """
                export const register = (io, socket) => {
                  const onLeave = ({ room }: { room: string }) => io.emit('left', room);
                  socket.on('leave', onLeave);
                };
            """,
        },
    )
    assert placed(project) == {
        "receive typing @/: {text: string}",
        "send typed @/: {by: unknown, text: string}",
        "send room:joined @/: {count: 1}",
        "send stats @/admin: {total: 1}",
        "receive stop @/admin: unknown",
        "send several @/: unknown",
        "send nothing @/: unknown",
        "send left @/: string",
        "receive leave @/: {room: string}",
    }
    assert {(use.has_wire_name, use.protocols) for use in project.code.events} == {
        (True, ("ws", "http"))
    }


def test_typed_maps_of_events_say_what_untyped_code_does_not(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "events.ts": """
                export interface FromClient {
                  hello: (name: string, callback: (ok: boolean) => void) => void;
                  ping(): void;
                  'a:b': (x: number, y: number) => void;
                }
                export type FromServer = { welcome: (message: Welcome) => void };
                export interface Welcome { text: string; at: number }
            """,
            "server.ts": """
                import { Server, type Socket } from 'socket.io';
                import { FromClient, FromServer } from './events';
                type ChatSocket = Socket<FromClient, FromServer>;
                const io = new Server<FromClient, FromServer>(3000);
                io.on('connection', (socket) => {
                  socket.on('hello', (name, callback) => greet(socket, unseen()));
                  socket.on('ping', () => {});
                });
                function greet(socket: ChatSocket, message) {
                  socket.emit('welcome', message);
                  socket.on('a:b', (x, y) => {});
                }
            """,
        },
    )
    assert placed(project) == {
        "receive hello @/: string",
        "receive ping @/: unknown",
        "send welcome @/: {text: string, at: numeric}",
        "receive a:b @/: unknown",
    }


def test_servers_of_common_js_and_servers_that_are_kept_where_nothing_follows_them(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const io = require('socket.io')(3000);
                const { z } = require('zod');
                const Move = z.object({ x: z.number() });
                app.set('io', io);
                io.sockets.on('connection', function (socket) {
                  socket.on('move', (data) => { const move = Move.parse(data); });
                });
            """,
            "routes.js": """
                exports.create = (req, res) => {
                  req.io.emit('created', { id: 'a' });
                  req.app.get('io').to('x').emit('told', { n: 1 });
                  bus.emit('not', {});
                };
            """,
        },
    )
    assert placed(project) == {
        "receive move @/: {x: numeric}",
        "send created @/: {id: 'a'}",
        "send told @/: {n: 1}",
    }


def test_events_whose_name_is_not_constant_are_said_and_wrappers_seen_through(
    tmp_path: Path,
) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { Server } from 'socket.io';
                export class Gateway {
                  constructor(private readonly io: Server) {}
                  tell(user: string, event: string, data: unknown) {
                    this.io.to(user).emit(event, data);
                  }
                }
                export function use(gateway: Gateway) {
                  gateway.tell('u', 'paid', { sum: 1 });
                }
                export const any = (io: Server) => io.emit(process.env.EVENT, {});
            """,
        },
    )
    assert placed(project) == {
        "send paid @/: {sum: 1}",
        "send the address is undetermined: it is not constant @/: {}",
    }


def test_clients_and_emitters_inside_the_process_are_no_channels(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": "import { Server } from 'socket.io'; new Server(1);",
            "client.ts": """
                import { io } from 'socket.io-client';
                const socket = io('http://x');
                socket.on('a', (b: string) => socket.emit('c', b));
                io.emit('d');
            """,
            "bus.ts": """
                import { EventEmitter } from 'events';
                const socket = new EventEmitter();
                socket.on('e', (x: string) => socket.emit('f', x));
            """,
        },
    )
    assert placed(project) == set()


def test_sockets_that_are_kept_in_a_collection_are_said(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.js": """
                const io = require('socket.io')(3000);
                const users = new Map();
                io.on('connection', (socket) => {
                  socket.on('login', (name) => { users.set(name, socket); });
                  users.set('x', socket.id);
                });
                exports.tell = (name) => users.get(name).emit('told', {});
            """,
        },
    )
    reason = "name of an event sent to sockets of a collection, which is not followed"
    assert placed(project) == {
        "receive login @/: unknown",
        f"send the address is a {reason} @: unknown",
    }


def test_sockets_of_types_that_extend_those_of_the_library(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import { Server, Socket } from 'socket.io';
                interface Client extends Socket { user: string }
                type Guest = Socket & { name: string };
                interface Other { emit(name: string, what: string): void }
                export const tell = (client: Client) => { client.emit('told', { a: 1 }); };
                export const greet = (guest: Guest) => { void guest.emit('greeted', { b: 1 }); };
                export const call = (other: Other) => { other.emit('called', 'c'); };
            """
        },
    )
    assert placed(project) == {"send told @: {a: 1}", "send greeted @: {b: 1}"}


def test_servers_that_a_type_is_taken_from(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "main.ts": """
                import { Server } from 'socket.io';
                import { create } from './a';
                const io = new Server(3000);
                create({ io, name: 'chat' });
                export type IO = typeof io;
            """,
            "a.ts": """
                import { IO } from './main';
                export const create = ({ io, name }: { io: IO; name: string }) => {
                  io.on('connection', (socket) => {
                    socket.on('asked', (what: { q: string }) => { socket.emit('told', { a: 1 }); });
                  });
                };
            """,
        },
    )
    assert placed(project) == {"receive asked @/: {q: string}", "send told @/: {a: 1}"}


def test_sockets_of_a_table_that_are_called_so(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "server.ts": """
                import { Server } from 'socket.io';
                import { Game } from './game';
                const game = new Game();
                new Server(3000).on('connection', (socket) => { game.join(socket); });
            """,
            "game.ts": """
                import { connect } from 'node:net';
                export class Game {
                  sockets: any = {};
                  join(socket: any) { this.sockets[socket.id] = socket; }
                  tick(player: any) {
                    for (const id of Object.keys(this.sockets)) {
                      const socket = this.sockets[id];
                      socket.emit('ticked', { n: 1 });
                      player.emit('other', { n: 1 });
                    }
                    const socket = connect(1);
                    socket.emit('plain', { n: 1 });
                  }
                }
            """,
        },
    )
    assert placed(project) == {"send ticked @: {n: 1}"}
