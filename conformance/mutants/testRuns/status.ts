import { isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import { saying } from "../parts/Call.ts"
import { asking, at, changingFields } from "../parts/fronts.ts"
import { items } from "../parts/json.ts"
import type { MutantTable } from "../parts/Mutant.ts"

/** Also stores a run as passed when `passes` is true of its status. */
const alsoPassing = (
  name: string,
  fault: string,
  caughtBy: string,
  passes: (status: Json | undefined) => boolean
): MutantTable => ({
  [`runs.status.${name}`]: [
    fault,
    `runs.status.${caughtBy}`,
    asking(
      at("runs.register", ({ fields }) => passes(fields.status)),
      (call) => saying(call, { status: "passed" })
    )
  ]
})

const text = (status: Json | undefined): string => (typeof status === "string" ? status : "")

/** Which runs are stored as passed. */
export const statusMutants: MutantTable = {
  "runs.status.never-passed": [
    "A run with the status `passed` is stored as failed.",
    ["runs.status.passed", "runs.status.passed-with-message"],
    changingFields(at("runs.list"), (fields) => ({
      ...fields,
      testRuns: items(fields.testRuns).map((run) => (isObject(run) ? { ...run, status: "failed" } : run))
    }))
  ],
  "runs.status.message-fails": [
    "A run with the status `passed` and a failureMessage is stored as failed.",
    "runs.status.passed-with-message",
    asking(
      at("runs.register", ({ fields }) => fields.status === "passed" && fields.failureMessage !== undefined),
      (call) => saying(call, { status: "failed" })
    )
  ],
  ...alsoPassing(
    "other-words",
    "A run with the status `success` or `ok` is stored as passed.",
    "other-word",
    (status) => ["success", "ok"].includes(text(status))
  ),
  ...alsoPassing(
    "any-case",
    "A run is stored as passed with the status `passed` in another case.",
    "other-case",
    (status) => text(status).toLowerCase() === "passed"
  ),
  ...alsoPassing(
    "trimmed",
    "A run is stored as passed with the status `passed` and a space.",
    "padded",
    (status) => text(status).trim() === "passed"
  ),
  ...alsoPassing(
    "beginning",
    "A run is stored as passed with a status that begins with `passed`.",
    "longer",
    (status) => text(status).startsWith("passed_")
  ),
  ...alsoPassing("ending", "A run is stored as passed with a status that ends with `passed`.", "longer", (status) =>
    /\w passed$/.test(text(status))
  ),
  ...alsoPassing(
    "true",
    "A run with the status `true`, which is not a text, is stored as passed.",
    "not-a-text",
    (status) => status === true
  ),
  ...alsoPassing("default", "A run without a status is stored as passed.", "absent", (status) => status === undefined)
}
