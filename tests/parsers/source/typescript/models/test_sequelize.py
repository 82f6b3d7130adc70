"""What finders of Sequelize's models give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

LOADER = """
    const fs = require('fs');
    const path = require('path');
    const Sequelize = require('sequelize');
    const db = {};
    const sequelize = new Sequelize(process.env.URL);
    fs.readdirSync(__dirname).forEach((file) => {
      const model = require(path.join(__dirname, file))(sequelize, Sequelize.DataTypes);
      db[model.name] = model;
    });
    module.exports = db;
"""

USER = """
    module.exports = (sequelize, DataTypes) => {
      const User = sequelize.define('User', {
        id: { type: DataTypes.UUID, primaryKey: true, defaultValue: DataTypes.UUIDV4 },
        name: { type: DataTypes.STRING(50), allowNull: false },
        role: { type: DataTypes.ENUM('admin', 'guest'), allowNull: false },
        nick: { type: DataTypes.STRING, allowNull: true },
        tags: { type: DataTypes.ARRAY(DataTypes.TEXT), defaultValue: [] },
        price: { type: DataTypes.DECIMAL(10, 2), allowNull: false },
        password: { type: DataTypes.STRING, allowNull: false },
      }, { defaultScope: { attributes: { exclude: ['password'] } } });
      User.associate = (models) => { User.hasMany(models.Post, { foreignKey: 'authorId' }); };
      return User;
    };
"""

POST = """
    const { Model } = require('sequelize');
    module.exports = (sequelize, DataTypes) => {
      class Post extends Model {}
      Post.init({
        title: { type: DataTypes.STRING, allowNull: false },
        day: { type: DataTypes.DATEONLY },
      }, { sequelize, paranoid: true, updatedAt: false, createdAt: 'made' });
      return Post;
    };
"""

ROW = (
    "{id: string(uuid), name: string, role: 'admin'/'guest', nick: string?, tags: [string]~, "
    "price: unknown, createdAt: string(date-time), updatedAt: string(date-time)}"
)
STORED = (
    "{title: string, day: string(date)~, id: integer, made: string(date-time), "
    "deletedAt: string(date-time)?, authorId: unknown}"
)


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("res.json(await User.findAll());", f"[{ROW}]"),
        ("res.json(await db.Post.findAll({ where: { id: 1 } }));", f"[{STORED}]"),
        ("res.json(await User.findByPk(1, { attributes: ['id', 'name'] }));", "FEW"),
        (
            "const { count, rows } = await User.findAndCountAll({ attributes: ['id'] });"
            "res.json({ count, rows });",
            "{count: integer, rows: [{id: string(uuid)}]}",
        ),
        (
            "const one = await Post.findOne({ where: {} }); if (!one) throw new Error('x');"
            "res.json({ ...one.toJSON(), more: 1 });",
            STORED.removesuffix("}") + ", more: 1}",
        ),
        (
            "res.json(await User.findAll({ attributes: { exclude: ['tags', 'role', 'nick'] } }));",
            "[{id: string(uuid), name: string, price: unknown, createdAt: string(date-time), "
            "updatedAt: string(date-time)}]",
        ),
        (
            "res.json(await Post.create({ title: 'x' }));",
            "{title: string, day~: string(date)~, id: integer, made: string(date-time), "
            "deletedAt: string(date-time)?, authorId~: unknown}",
        ),
        (
            "const plain = (await Post.findOne({ attributes: ['title'] })).toJSON();"
            "plain.token = 'x'; delete plain.title; res.json(plain);",
            "{token: 'x'}",
        ),
        (
            "const plain = await Post.findOne({ attributes: ['title'] }).then((p) => p.toJSON());"
            "plain.token = 'x'; res.json(plain);",
            "{title: string, token: 'x'}",
        ),
        (
            "res.json({ nick: 'none', ...(await Post.create({ title: 'x' })).toJSON() });",
            "{nick: 'none', title: string, day~: string(date)~, id: integer, "
            "made: string(date-time), deletedAt: string(date-time)?, authorId~: unknown}",
        ),
        ("const [, made] = await User.findOrCreate({ where: {} }); res.json(made);", "boolean"),
        (
            "res.json(await Post.findAll({ attributes: ['title'], include: [User] }));",
            "[{title: string, ...}]",
        ),
        ("res.json(await Post.findAll({ attributes: req.query.a }));", "[unknown]"),
        ("res.json(await Other.findAll());", "unknown"),
    ],
)
def test_what_a_finder_gives(tmp_path: Path, body: str, sent: str) -> None:
    app = f"""
        const express = require('express');
        const db = require('./models');
        const {{ User, Post, Other }} = require('./models');
        const app = express();
        app.get('/', async (req, res) => {{ {body} }});
    """
    files = {"models/index.js": LOADER, "models/user.js": USER, "models/post.js": POST}
    project = Project(tmp_path, {**files, "app.js": app})

    few = "{id: string(uuid), name: string}?"
    assert project.responses("GET /") == {"200*": sent.replace("FEW", few)}


@pytest.mark.parametrize(
    ("defined", "stamps"),
    [
        ("{ timestamps: false }", ""),
        (
            "{ timestamps: true, createdAt: 'made_at', updatedAt: false }",
            ", made_at: string(date-time)",
        ),
        (
            "JSON.parse(options), timestamps: false",
            ", createdAt~: string(date-time), updatedAt~: string(date-time)",
        ),
    ],
)
def test_what_changes_rows(tmp_path: Path, defined: str, stamps: str) -> None:
    project = Project(
        tmp_path,
        {
            "models.js": """
                const { Sequelize, DataTypes } = require('sequelize');
                const sequelize = new Sequelize('url', { define: DEFINED });
                const Plain = sequelize.define('Plain', { at: { type: DataTypes.DATE } });
                const Own = sequelize.define('Own', { at: DataTypes.DATE });
                Own.prototype.toJSON = function () { return { own: 1 } };
                const Open = sequelize.define('Open', { at: { type: DataTypes.TIME, get() {} } });
                Open.belongsTo(Plain);
                module.exports = { Plain, Own, Open };
            """.replace("DEFINED", defined),
            "app.js": """
                const express = require('express');
                const { Plain, Own, Open } = require('./models');
                const app = express();
                app.get('/plain', async (req, res) => { res.json(await Plain.findAll()) });
                app.get('/own', async (req, res) => { res.json(await Own.findAll()) });
                app.get('/open', async (req, res) => { res.json(await Open.findAll()) });
            """,
        },
    )

    shown = {path: project.responses(f"GET /{path}")["200*"] for path in ("plain", "own", "open")}
    assert shown == {
        "plain": f"[{{at: string(date-time)~, id: integer{stamps}}}]",
        "own": "[unknown]",
        "open": f"[{{at: unknown, id: integer{stamps}, ...}}]",
    }


def test_classes_of_sequelize_typescript(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "user.ts": """
                import { Table, Column, Model } from 'sequelize-typescript';
                @Table
                export class User extends Model {
                  @Column id!: number;
                  @Column name!: string;
                }
            """,
            "app.ts": """
                import express from 'express';
                import { User } from './user';
                const app = express();
                app.get('/', async (req, res) => { res.json(await User.findAll()) });
            """,
        },
    )

    assert project.responses("GET /") == {"200*": "[{id: numeric, name: string, ...}]"}


def test_methods_that_the_class_of_a_row_declares(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "author.js": """
                const { DataTypes, Model } = require('sequelize')
                class Author extends Model {
                  static async byName(name) { return this.findOne({ where: { name } }) }
                  static init(sequelize) {
                    super.init(
                      {
                        id: { type: DataTypes.UUID, primaryKey: true },
                        name: { type: DataTypes.STRING, allowNull: false },
                        rank: DataTypes.INTEGER,
                      },
                      { sequelize, modelName: 'author', timestamps: false },
                    )
                  }
                  shown() { return { id: this.id, name: this.name, rank: this.rank } }
                  shownWithBooks(books) { return { ...this.shown(), books } }
                }
                module.exports = Author
            """,
            "a.js": """
                const app = require('express')()
                const Author = require('./author')
                app.get('/found', async (req, res) => {
                  const author = await Author.findByPk(req.query.id)
                  if (!author) return res.sendStatus(404)
                  res.json(author.shown())
                })
                class Database {
                  /** @type {typeof import('./author')} */
                  get authorModel() { return this.models.author }
                }
                const database = new Database()
                app.get('/typed', async (req, res) => {
                  const author = await database.authorModel.findByPk(req.query.id)
                  if (!author) return res.sendStatus(404)
                  res.json(author.shown())
                })
                app.get('/named', async (req, res) => { res.json(await Author.byName('x')) })
                app.get('/all', async (req, res) => {
                  const authors = await Author.findAll()
                  res.json(authors.map((author) => author.shownWithBooks(3)))
                })
                app.post('/made', async (req, res) => {
                  const author = await Author.create({ name: 'x', rank: req.body.rank })
                  res.status(201).json(author.shown())
                })
            """,
        },
    )
    row = "{id: string(uuid), name: string, rank: integer~}"
    assert project.responses("GET /found")["200*"] == row
    assert project.responses("GET /typed")["200*"] == row
    assert project.responses("GET /named")["200*"] == row + "?"
    assert project.responses("GET /all")["200*"] == (
        "[{id: string(uuid), name: string, rank: integer~, books: 3}]"
    )
    assert (
        project.responses("POST /made")["201"] == "{id: string(uuid), name: string, rank: integer~}"
    )
