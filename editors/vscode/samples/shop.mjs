/** A contract, and code that breaks it in one place. */
export const CONTRACT = `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /orders:
    get:
      responses:
        '200':
          description: fine
          content:
            application/json:
              schema: {type: object, required: [id], properties: {id: {type: string}}}
`;
export const APP = `from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: int


@app.get("/orders")
def orders() -> Order: ...
`;
