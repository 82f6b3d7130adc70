"""What documents and models of Mongoose can be asked besides their paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

USER = """
    const mongoose = require('mongoose');
    const schema = new mongoose.Schema({ name: { type: String, required: true } }, {
      methods: { short() { return { short: this.name }; } },
      statics: { first() { return this.findOne({}).orFail(); } },
    });
    schema.methods.shown = function (all) { return { name: this.name, all: 1 }; };
    schema.methods = { ...schema.methods, listed: function () { return [this.name]; } };
    schema.method('said', function () { return { said: this.name }; });
    schema.statics.byName = function (name) { return this.find({ name }); };
    class Loud { loud() { return { loud: this.name }; } }
    schema.loadClass(Loud);
    mongoose.model('User', schema);
"""
POST = """
    const mongoose = require('mongoose');
    const schema = new mongoose.Schema({
      title: { type: String, required: true },
      tags: [{ type: String }],
      author: { type: mongoose.Schema.Types.ObjectId, ref: 'User', required: true },
    }, { versionKey: false });
    schema.methods.toJSONFor = function (user) {
      return { title: this.title, author: this.author.shown(user), by: this.author.name };
    };
    module.exports = mongoose.models.Post || mongoose.model('Post', schema);
"""


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("res.json((await User.findOne({})).shown(1));", "{name: string, all: 1}~"),
        ("const u = await User.findById(1).orFail(); res.json(u.listed());", "[string]"),
        ("res.json(new User({}).said());", "{said: string}"),
        ("res.json((await User.create({})).short());", "{short: string}"),
        ("res.json((await User.create({})).loud());", "{loud: string}"),
        ("res.json(await User.byName('x'));", "[{name: string, _id: string, __v: integer}]"),
        ("res.json((await User.first()).name);", "string"),
        ("const u = await User.create({}); res.json({ id: u.id });", "{id: string}"),
        ("const u = new User({}); res.json({ id: u.id, n: u.name });", "{id: string, n: string}"),
        (
            "const p = await Post.create({}); res.json(p.toJSONFor(1));",
            "{title: string, author: {name: string, all: 1}, by: string}",
        ),
        (
            "const p = await Post.find({}).populate('author');"
            "res.json(p.map((x) => x.author.name));",
            "[string]",
        ),
        ("res.json(await Post.distinct('tags'));", "[string]"),
        ("res.json(await Post.distinct('title'));", "[string]"),
        ("res.json(await mongoose.models.Post.countDocuments());", "integer"),
        ("res.json((await User.create({})).other());", "unknown"),
    ],
)
def test_documents_and_models(tmp_path: Path, body: str, sent: str) -> None:
    app = f"""
        const express = require('express');
        const mongoose = require('mongoose');
        const Post = require('./post');
        const User = mongoose.model('User');
        const app = express();
        app.get('/', async (req, res) => {{ {body} }});
    """
    project = Project(tmp_path, {"user.js": USER, "post.js": POST, "app.js": app})
    assert project.responses("GET /")["200*"] == sent
