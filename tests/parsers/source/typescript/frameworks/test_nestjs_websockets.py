"""Gateways of NestJS."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project


def test_what_gateways_take_and_send(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "events.ts": "export enum Events { Moved = 'moved' }",
            "a.gateway.ts": """
                import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway,
                  WebSocketServer, WsResponse } from '@nestjs/websockets';
                import { Server, Socket } from 'socket.io';
                import { Events } from './events';
                class Move { x: number; }
                @WebSocketGateway(8080, { namespace: 'game', cors: true })
                export class Game {
                  @WebSocketServer() server: Server;
                  @SubscribeMessage('move')
                  move(@ConnectedSocket() client: Socket, @MessageBody() move: Move) {
                    client.emit('told', { y: 1 });
                    this.server.to('room').emit(Events.Moved, { by: client.id, x: move.x });
                  }
                  @SubscribeMessage('plain') plain(client: Socket, text: string): string {
                    return text;
                  }
                  @SubscribeMessage('part') part(@MessageBody('id') id: number) {}
                  @SubscribeMessage('ask') ask(): WsResponse<{ n: number }> {
                    return { event: 'answer', data: { n: 1 } };
                  }
                }
            """,
        },
    )
    found = {
        f"{use.direction} {use.message} @{''.join(use.aliases)}: {project.shape(use.payload)}"
        for use in project.code.events
    }
    assert found == {
        "receive move @/game: {x: numeric}",
        "send told @/game: {y: 1}",
        "send moved @/game: {by: unknown, x: numeric}",
        "receive plain @/game: string",
        "receive part @/game: {id: numeric}",
        "receive ask @/game: unknown",
        "send answer @/game: {n: 1}",
    }
    assert {(use.has_wire_name, use.protocols) for use in project.code.events} == {
        (True, ("ws", "http"))
    }


def test_what_filters_and_guards_of_a_gateway_send(tmp_path: Path) -> None:
    """Nest hands them the context of the call, with the socket in it. A filter that no gateway
    names is given no socket of one."""
    project = Project(
        tmp_path,
        {
            "failures.filter.ts": """
                import { ArgumentsHost, Catch } from '@nestjs/common';
                import { BaseWsExceptionFilter, WsException } from '@nestjs/websockets';
                @Catch(WsException)
                export class Failures extends BaseWsExceptionFilter {
                  catch(exception: WsException, host: ArgumentsHost) {
                    const client = host.switchToWs().getClient();
                    client.emit('error', { message: 'no' });
                  }
                }
                @Catch()
                export class Unused extends BaseWsExceptionFilter {
                  catch(exception: Error, host: ArgumentsHost) {
                    host.switchToWs().getClient().emit('unused', { message: 'no' });
                  }
                }
            """,
            "members.guard.ts": """
                import { CanActivate, ExecutionContext } from '@nestjs/common';
                import { Socket } from 'socket.io';
                export class Members implements CanActivate {
                  canActivate(context: ExecutionContext) {
                    const socket = context.switchToWs().getClient<Socket>();
                    socket.emit('checked', { at: 1 });
                    return true;
                  }
                }
            """,
            "a.gateway.ts": """
                import { UseFilters, UseGuards } from '@nestjs/common';
                import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
                import { Failures } from './failures.filter';
                import { Members } from './members.guard';
                @UseFilters(new Failures())
                @WebSocketGateway({ namespace: 'game' })
                export class Game {
                  @UseGuards(Members) @SubscribeMessage('move') move(client: unknown, x: number) {}
                }
            """,
        },
    )
    found = {
        f"{use.direction} {use.message} @{''.join(use.aliases)}: {project.shape(use.payload)}"
        for use in project.code.events
    }
    assert found == {
        "receive move @/game: numeric",
        "send error @/game: {message: 'no'}",
        "send checked @/game: {at: 1}",
    }
