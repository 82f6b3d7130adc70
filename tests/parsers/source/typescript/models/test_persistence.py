"""What queries of Prisma, TypeORM and Mongoose give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

SCHEMA = """
    // comment
    enum Role {
      ADMIN
      USER @map("user")
      @@map("roles")
    }
    model User {
      id       Int      @id @default(autoincrement())
      name     String?  // may be null
      role     Role     @default(USER)
      created  DateTime @default(now())
      tags     String[]
      data     Json
      posts    Post[]
      profile  Profile?
      @@index([name])
    }
    model Post {
      id     Int    @id
      title  String
      price  Decimal
      author User   @relation(fields: [authorId], references: [id])
      authorId Int
    }
    model Profile {
      id Int @id
      userId Int
    }
"""

APP = """
    import express from 'express';
    import { PrismaClient, User, Role } from '@prisma/client';
    import { PrismaService } from './service';
    const prisma = new PrismaClient();
    const app = express();
    class Reader {
      constructor(private readonly prisma: PrismaService) {}
      one() { return this.prisma.post.findUniqueOrThrow({ where: { id: 1 } }) }
    }
    const reader = new Reader(new PrismaService());
    app.get('/all', async (req, res) => { res.json(await prisma.user.findMany()) });
    app.get('/one', async (req, res) => { res.json(await prisma.user.findUnique({ where: {} })) });
    app.get('/checked', async (req, res) => {
      const user = await prisma.user.findFirst({ select: { id: true, name: true, role: false } });
      if (!user) throw new Error('x');
      res.json({ ...user, extra: 1 });
    });
    app.get('/included', async (req, res) => {
      res.json(await prisma.post.create({ data: {}, include: {
        author: { select: { id: true, profile: true, _count: { select: { posts: true } } } } } }));
    });
    app.get('/omitted', async (req, res) => {
      res.json(await prisma.post.update({ data: {}, omit: { price: true } }));
    });
    app.get('/cast', async (req, res) => {
      res.json((await prisma.post.findFirst({ select: { id: true } })) as Wide);
    });
    app.get('/count', async (req, res) => {
      const [n, many] = await Promise.all([prisma.user.count(), prisma.user.deleteMany({})]);
      res.json({ n, many });
    });
    app.get('/service', async (req, res) => { res.json(await reader.one()) });
    app.get('/typed', async (req, res) => { const user: User = load(); res.json(user) });
    app.get('/dynamic', async (req, res) => { res.json(await prisma.user.findFirst(load())) });
    interface Wide { id: number; title: string; more: string }
    declare function load(): any;
"""

SERVICE = """
    import { PrismaClient } from '@prisma/client';
    export class PrismaService extends PrismaClient {}
"""

USER = (
    "{id: integer, name: string?, role: 'ADMIN'/'USER', created: string(date-time), "
    "tags: [string], data: unknown}"
)
POST = "id: integer, title: string"


def test_prisma(tmp_path: Path) -> None:
    project = Project(
        tmp_path, {"prisma/schema.prisma": SCHEMA, "app.ts": APP, "service.ts": SERVICE}
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /all": f"[{USER}]",
        "GET /one": f"{USER}?",
        "GET /checked": "{id: integer, name: string?, extra: 1}",
        "GET /included": (
            "{" + POST + ", price: string, authorId: integer, author: {id: integer, "
            "profile: {id: integer, userId: integer}?, _count: {posts: integer}}}"
        ),
        "GET /omitted": "{" + POST + ", authorId: integer}",
        "GET /cast": "{id: integer}",
        "GET /count": "{n: integer, many: {count: integer}}",
        "GET /service": "{" + POST + ", price: string, authorId: integer}",
        "GET /typed": USER,
        "GET /dynamic": "unknown",
    }


def test_prisma_without_its_schema_tells_what_is_selected(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.ts": APP, "service.ts": SERVICE})
    assert project.responses("GET /checked") == {"200*": "{id: unknown, name: unknown, extra: 1}"}
    assert project.responses("GET /all") == {"200*": "unknown"}


def test_typeorm_repositories(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "users.ts": """
                import { Controller, Get } from '@nestjs/common';
                import { Repository } from 'typeorm';
                class User { id: number; name: string }
                @Controller()
                export class Users {
                  constructor(private readonly users: Repository<User>) {}
                  @Get('many') many() { return this.users.find() }
                  @Get('one') one() { return this.users.findOneBy({ id: 1 }) }
                  @Get('sure') sure() { return this.users.findOneOrFail({}) }
                  @Get('page') async page() {
                    const [items, total] = await this.users.findAndCount({});
                    return { items, total };
                  }
                  @Get('saved') async saved() { return this.users.save({ name: 'x' }) }
                  @Get('list') list() { return [{ id: 1 }].find((item) => item.id > 0) }
                }
            """
        },
    )
    user = "{id: numeric, name: string}"
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /many": f"[{user}]",
        "GET /one": f"{user}?",
        "GET /sure": user,
        "GET /page": "{items: [" + user + "], total: integer}",
        "GET /saved": user,
        "GET /list": "{id: 1}",
    }


def test_typeorm_data_sources_and_query_builders(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "source.ts": """
                import { DataSource, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
                const dataSource = new DataSource({});
                export const getRepository = <E extends ObjectLiteral>(
                  target: EntityTarget<E>,
                ): Repository<E> => dataSource.getRepository(target);
                export default dataSource;
            """,
            "app.ts": """
                import express from 'express';
                import dataSource, { getRepository } from './source';
                class User { id: number; name: string }
                const app = express();
                app.get('/one', async (req, res) => {
                  res.json(await getRepository(User).findOneOrFail({ where: { id: 1 } }));
                });
                app.get('/built', async (req, res) => {
                  const [items, total] = await getRepository(User)
                    .createQueryBuilder('user')
                    .leftJoinAndSelect('user.orders', 'orders')
                    .orderBy('user.id')
                    .getManyAndCount();
                  res.json({ items, total });
                });
                app.get('/count', async (req, res) => {
                  const query = dataSource.getRepository(User).createQueryBuilder('user');
                  res.json({ found: await query.where('1').getCount() });
                });
                app.get('/manager', async (req, res) => {
                  res.json(await dataSource.manager.find(User, {}));
                });
                app.get('/gone', async (req, res) => {
                  res.json(await getRepository(User).delete({ id: 1 }));
                });
                app.get('/changed', async (req, res) => {
                  const { affected } = await getRepository(User).update(1, {});
                  res.json({ affected });
                });
                app.get('/chosen', async (req, res) => {
                  const chosen = getRepository(User).createQueryBuilder('u').select('u.id');
                  res.json(await chosen.getOneOrFail());
                });
            """,
        },
    )
    user = "{id: numeric, name: string}"
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "GET /one": user,
        "GET /built": "{items: [" + user + "], total: integer}",
        "GET /count": "{found: integer}",
        "GET /manager": f"[{user}]",
        "GET /gone": "{raw: unknown, affected~: integer~}",
        "GET /changed": "{affected~: integer~}",
        "GET /chosen": "unknown",
    }


MONGOOSE = """
    import express from 'express';
    import Order from './models/order.js';
    const app = express();
    app.get('/all', async (req, res) => { res.json(await Order.find({}).sort('x').limit(3)) });
    app.get('/one', async (req, res) => {
      const order = await Order.findById(req.params.id);
      if (!order) { res.status(404); throw new Error('none') }
      order.paid = true;
      res.json(await order.save());
    });
    app.get('/created', async (req, res) => {
      const order = new Order({ total: 1 });
      res.status(201).json(await order.save());
    });
    app.get('/populated', async (req, res) => {
      res.json(await Order.findOne({}).populate('user', 'name').select('-secret -items').lean());
    });
    app.get('/picked', async (req, res) => {
      const order = await Order.findOne({});
      res.json({ id: order._id, total: order.total, n: await Order.countDocuments() });
    });
    app.get('/counted', async (req, res) => { res.json({ n: await Order.count({}).exec() }) });
    app.get('/selected', async (req, res) => { res.json(await Order.find().select('total')) });
"""

ORDER = """
    import mongoose from 'mongoose';
    const itemSchema = mongoose.Schema({ name: { type: String, required: true } });
    const schema = new mongoose.Schema({
      user: { type: mongoose.Schema.Types.ObjectId, required: [true, 'who?'], ref: 'User' },
      total: { type: Number, default: 0 },
      status: { type: String, enum: ['new', 'paid'], required: true },
      items: [{ qty: Number, kind: { type: String } }],
      tags: [String],
      first: itemSchema,
      address: { street: { type: String, required: true } },
      paid: Boolean,
      secret: String,
      other: mongoose.Schema.Types.Mixed,
    }, { timestamps: true });
    export default mongoose.model('Order', schema);
"""


def test_mongoose_models(tmp_path: Path) -> None:
    project = Project(tmp_path, {"app.js": MONGOOSE, "models/order.js": ORDER})
    before = "total=: numeric, status: 'new'/'paid', "
    items = "items: [{qty~: numeric, kind~: string, _id: string}], "
    after = (
        "tags: [string], first~: {name: string, _id: string}, address~: {street: string}, "
        "paid~: boolean, secret~: string, "
        "other~: unknown, _id: string, __v: integer, createdAt: string(date-time), "
        "updatedAt: string(date-time)}"
    )
    whole = "{user: string, " + before + items + after
    assert {
        route: project.responses(route).get("200*") or project.responses(route).get("201")
        for route in project.routes()
    } == {
        "GET /all": f"[{whole}]",
        "GET /one": whole,
        "GET /created": whole,
        "GET /populated": "{user: unknown, "
        + before
        + after.replace("secret~: string, ", "")
        + "?",
        "GET /picked": "{id: string, total: numeric, n: integer}",
        "GET /counted": "{n: integer}",
        "GET /selected": "[{total=: numeric, _id: string}]",
    }


PERSON = """
    import { Schema, model } from 'mongoose';
    const schema = new Schema({
      name: { type: String, required: true },
      password: { type: String, required: true },
      age: Number,
    }OPTIONS);
    MORE
    export const User = model('User', schema);
"""
PERSON_ROUTES = """
    import express from 'express';
    import { User } from './user';
    const app = express();
    app.get('/users', async (req, res) => { res.json(await User.find()) });
"""


@pytest.mark.parametrize(
    ("options", "more", "expected"),
    [
        pytest.param(
            ", { toJSON: { virtuals: true, versionKey: false } }",
            "schema.virtual('label').get(function () { return this.name; });",
            "{name: string, password: string, age~: numeric, _id: string, id: string, "
            "label: unknown}",
            id="virtuals and no version",
        ),
        pytest.param(
            ", { toJSON: { transform(doc, ret) {"
            " ret.id = ret._id; delete ret._id; delete ret.__v; delete ret.password; } } }",
            "",
            "{name: string, age~: numeric, id: string}",
            id="a transform that changes what it is given",
        ),
        pytest.param(
            "",
            "schema.set('toJSON', { transform: (_, { _id, __v, password, ...rest }) =>"
            " ({ id: _id.toString(), ...rest }) });",
            "{id: string, name: string, age~: numeric}",
            id="a transform that takes it apart",
        ),
        pytest.param(
            "",
            "schema.methods.toJSON = function () {"
            " const user = this.toObject(); delete user.password; return user; };",
            "{name: string, age~: numeric, _id: string, __v: integer}",
            id="a method",
        ),
        pytest.param(
            "",
            "schema.set('toJSON', { transform(doc, ret) { hide(ret); } });",
            "unknown",
            id="a transform that hands it on",
        ),
        pytest.param(
            "",
            "schema.set('toJSON', { transform(doc, ret) {"
            " for (const key of hidden) delete ret[key]; } });",
            "unknown",
            id="keys that are not constant",
        ),
        pytest.param(
            "",
            "function hide(any) { any.set('toJSON', { virtuals: true }); } hide(schema);",
            "{name: string, password: string, age~: numeric, _id: string, __v: integer, "
            "id: string}",
            id="through a parameter",
        ),
        pytest.param(
            "",
            "schema.plugin((any) => { any.options.toJSON = { virtuals: true }; });",
            "{name: string, password: string, age~: numeric, _id: string, __v: integer, "
            "id: string}",
            id="a plugin",
        ),
    ],
)
def test_what_to_json_of_a_mongoose_schema_changes(
    tmp_path: Path, options: str, more: str, expected: str
) -> None:
    user = PERSON.replace("OPTIONS", options).replace("MORE", more)
    project = Project(tmp_path, {"app.js": PERSON_ROUTES, "user.js": user})
    assert project.responses("GET /users") == {"200*": f"[{expected}]"}


def test_a_lean_query_passes_by_what_changes_to_json(tmp_path: Path) -> None:
    user = PERSON.replace("OPTIONS", ", { toJSON: { versionKey: false } }").replace("MORE", "")
    routes = PERSON_ROUTES.replace("find()", "find().lean()")
    project = Project(tmp_path, {"app.js": routes, "user.js": user})
    assert project.responses("GET /users") == {"200*": "unknown"}


def test_a_property_that_is_deleted_is_not_sent(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                import express from 'express';
                class User { name: string; password: string; token: string }
                declare function find(id: string): Promise<User>;
                const app = express();
                app.get('/a', async (req, res) => {
                  const user = await find(req.params.id);
                  delete user.password;
                  if (req.query.short) delete user.token;
                  res.json({ user });
                });
            """
        },
    )
    assert project.responses("GET /a") == {"200*": "{user: {name: string, token~: string}}"}


def test_unions_of_objects_and_of_constants_stand_for_models(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.ts": """
                interface Card { kind: 'card'; digits: string }
                interface Bank { kind: 'bank'; iban: string }
                export type Payment = Card | Bank;
                export type Level = 'low' | 1;
                export type Id = string | number;
            """
        },
    )
    found = project.code.models(frozenset({"Payment", "Level", "Id"}))
    assert [model.name for model in found] == ["Payment", "Level"]


def test_documents_that_are_made_and_what_they_hold(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "app.js": """
                const express = require('express');
                const mongoose = require('mongoose');
                const schema = new mongoose.Schema({
                  name: { type: String, required: true },
                  password: { type: String, required: true },
                });
                const User = mongoose.model('User', schema);
                const app = express();
                app.post('/made', async (req, res) => {
                  const user = new User({ name: req.body.name });
                  await user.save();
                  res.json(user);
                });
                app.get('/held', async (req, res) => {
                  const user = await User.findById(1);
                  const { password, ...rest } = user._doc;
                  res.json({ ...rest, token: 'x' });
                });
            """,
        },
    )
    assert {route: project.responses(route)["200*"] for route in project.routes()} == {
        "POST /made": "{name: string, password: string, _id: string, __v: integer}",
        "GET /held": "{name: string, _id: string, __v: integer, token: 'x'}",
    }


def test_what_a_transaction_gives(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "prisma/schema.prisma": SCHEMA,
            "app.ts": """
                import express from 'express';
                import { PrismaClient, Prisma } from '@prisma/client';
                const prisma = new PrismaClient();
                const app = express();
                app.post('/post', async (req, res) => {
                  const made = await prisma.$transaction(async (tx: Prisma.TransactionClient) => {
                    await tx.profile.deleteMany({});
                    return tx.profile.create({ data: {} });
                  });
                  res.json(made);
                });
                app.get('/list', async (req, res) => {
                  const [total, items] = await prisma.$transaction([
                    prisma.profile.count(), prisma.profile.findMany(),
                  ]);
                  res.json({ total, items });
                });
            """,
        },
    )
    profile = "{id: integer, userId: integer}"
    assert project.responses("POST /post") == {"200*": profile}
    assert project.responses("GET /list") == {"200*": f"{{total: integer, items: [{profile}]}}"}
