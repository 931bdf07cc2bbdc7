import { Effect } from "effect"
import { isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import { inProcess } from "../../testing/inProcess.ts"
import { items } from "../parts/json.ts"
import type { WireDialect } from "../parts/WireDialect.ts"
import type { Base } from "./Base.ts"

const url = "http://reference.example/opens-it"

const opened = (json: Json | undefined): Json => (isObject(json) ? { ...json, url } : (json ?? null))

const dialect: WireDialect = {
  toReferenceRequest: (request) => request,
  fromReferenceRequest: (asked) => asked,
  toReferenceAnswer: (answer) => answer,
  fromReferenceAnswer: (answer) => answer,
  asHosted: (fields) => ({
    ...fields,
    status: "ready",
    bundle: opened(fields.bundle),
    files: items(fields.files).map(opened),
    recordings: items(fields.recordings).map(opened),
    readyAt: fields.createdAt
  })
}

/** The reference host, in whose wire dialect the mutants are written. */
export const reference: Base = {
  name: "reference",
  host: Effect.map(inProcess, (met) => ({ ...met, dialect })),
  isWhole: false,
  skippedBy: [],
  unplanted: {},
  caughtBy: {}
}
