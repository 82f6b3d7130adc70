"""Functions that change how the Mongoose schema they are given is written."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.typescript.project import Project

APP = """
    const express = require('express');
    const { User, Token } = require('./models');
    const app = express();
    app.get('/users', async (req, res) => { res.json(await User.find()) });
    app.get('/tokens', async (req, res) => { res.json(await Token.find()) });
"""
MODELS = """
    const mongoose = require('mongoose');
    %s
    const userSchema = new mongoose.Schema({
      name: { type: String, required: true },
      password: { type: String, required: true, private: true },
    }, { timestamps: true });
    %s
    const tokenSchema = mongoose.Schema({ text: { type: String, required: true } });
    module.exports = {
      User: mongoose.model('User', userSchema),
      Token: mongoose.model('Token', tokenSchema),
    };
"""
TOKEN = "[{text: string, _id: string, __v: integer}]"


def _sent(root: Path, **files: str) -> dict[str, str]:
    project = Project(root, {f"{name}.js": text for name, text in {"app": APP, **files}.items()})
    return {route: project.responses(route)["200*"] for route in project.routes()}


def test_a_plugin_that_takes_marked_paths_away(tmp_path: Path) -> None:
    plugin = """
        const deleteAtPath = (obj, path, index) => {
          if (index === path.length - 1) { delete obj[path[index]]; return; }
          deleteAtPath(obj[path[index]], path, index + 1);
        };
        const toJSON = (schema) => {
          let transform;
          if (schema.options.toJSON && schema.options.toJSON.transform) {
            transform = schema.options.toJSON.transform;
          }
          schema.options.toJSON = Object.assign(schema.options.toJSON || {}, {
            transform(doc, ret, options) {
              Object.keys(schema.paths).forEach((path) => {
                if (schema.paths[path].options && schema.paths[path].options.private) {
                  deleteAtPath(ret, path.split('.'), 0);
                }
              });
              ret.id = ret._id.toString();
              delete ret._id;
              delete ret.__v;
              delete ret.createdAt;
              delete ret.updatedAt;
              if (transform) { return transform(doc, ret, options); }
            },
          });
        };
        module.exports = { toJSON };
    """
    models = MODELS % ("const { toJSON } = require('./plugin');", "userSchema.plugin(toJSON);")

    assert _sent(tmp_path, models=models, plugin=plugin) == {
        "GET /users": "[{name: string, id: string}]",
        "GET /tokens": TOKEN,
    }


def test_a_helper_that_is_given_options(tmp_path: Path) -> None:
    helper = """
        module.exports.serialized = (schema, { virtuals }) => {
          schema.set('toJSON', { virtuals, versionKey: false });
        };
    """
    models = MODELS % (
        "const { serialized } = require('./helper');",
        "serialized(userSchema, { virtuals: true });",
    )

    assert _sent(tmp_path, models=models, helper=helper) == {
        "GET /users": "[{name: string, password: string, _id: string, "
        "createdAt: string(date-time), updatedAt: string(date-time), id: string}]",
        "GET /tokens": TOKEN,
    }


def test_what_cannot_be_followed_leaves_all_documents_undetermined(tmp_path: Path) -> None:
    plugin = "module.exports = (schema) => { schema.set('toJSON', { versionKey: false }) };"
    models = MODELS % ("", "[userSchema].forEach((s) => s.plugin(require('./plugin')));")

    assert _sent(tmp_path, models=models, plugin=plugin) == {
        "GET /users": "[unknown]",
        "GET /tokens": "[unknown]",
    }
