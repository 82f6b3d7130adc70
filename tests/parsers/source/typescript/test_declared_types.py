"""Objects that have more fields than a function's declared type are sent with all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SOURCE = """
    import { Controller, Get } from '@nestjs/common';
    import { Entity, Column, PrimaryGeneratedColumn, Repository } from 'typeorm';
    @Entity() class User {
      @PrimaryGeneratedColumn() id: number;
      @Column() name: string;
      @Column() password: string;
    }
    interface UserDto { name: string }
    interface Page { users: UserDto[]; total: number }
    class Users {
      constructor(private repo: Repository<User>) {}
      async one(): Promise<UserDto> { return this.repo.findOneOrFail({}); }
      async cast(): Promise<UserDto> { return (await this.repo.findOneOrFail({})) as UserDto; }
      async mapped(): Promise<UserDto> {
        const user = await this.repo.findOneOrFail({});
        return { name: user.name };
      }
      async page(): Promise<Page> {
        const users = await this.repo.find();
        return { users, total: library.count() };
      }
      async other(): Promise<UserDto> { return library.user(); }
      async again(): Promise<UserDto> { return this.again(); }
    }
    @Controller('users')
    export class UsersController {
      constructor(private users: Users) {}
      @Get() async handler(): Promise<DECLARED> { return this.users.METHOD(); }
    }
"""
USER = "{id: numeric, name: string, password: string}"


@pytest.mark.parametrize(
    ("method", "declared", "sent"),
    [
        ("one", "UserDto", "USER"),
        ("cast", "UserDto", "{name: string}"),
        ("mapped", "UserDto", "{name: string}"),
        (
            "page",
            "Page",
            "{users: [{id: numeric, name: string, password: string}], total: numeric}",
        ),
        ("other", "UserDto", "{name: string}"),
        ("again", "UserDto", "{name: string}"),
    ],
)
def test_an_object_is_sent_with_all_that_it_has(
    tmp_path: Path, method: str, declared: str, sent: str
) -> None:
    source = SOURCE.replace("METHOD", method).replace("DECLARED", declared)
    project = Project(tmp_path, {"users.ts": source})
    assert project.responses("GET /users") == {"200*": sent.replace("USER", USER)}
