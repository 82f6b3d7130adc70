"""A small project whose code keeps its contract: `app.py` serves what `openapi.yaml` promises."""

OPENAPI = """openapi: 3.1.0
info: {title: Refunds, version: "1"}
paths:
  /refunds/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: ok
          content: {application/json: {schema: {$ref: "#/components/schemas/Refund"}}}
components:
  schemas:
    Refund:
      type: object
      required: [id, amount]
      properties: {id: {type: string}, amount: {type: integer}}
"""
APP = """from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Refund(BaseModel):
    id: str
    amount: int


@app.get("/refunds/{id}")
def refund(id: str) -> Refund:
    return Refund(id=id, amount=1)
"""
