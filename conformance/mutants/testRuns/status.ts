import { isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"
import { at, changingFields, like, present, sayingInstead } from "../parts/fronts.ts"
import { items } from "../parts/json.ts"
import { eachOf, type MutantTable } from "../parts/Mutant.ts"

const text = (status: Json | undefined): string => (typeof status === "string" ? status : "")

/** Statuses that aren't `passed`: completes "A run … is stored as passed.", the name of the check, and whether it is one. */
const alsoPassing: Readonly<
  Record<string, readonly [run: string, check: string, is: (status: Json | undefined) => boolean]>
> = {
  "other-words": [
    "with the status `success` or `ok`",
    "other-word",
    (status) => ["success", "ok"].includes(text(status))
  ],
  "any-case": ["with `passed` in another case", "other-case", (status) => text(status).toLowerCase() === "passed"],
  trimmed: ["with the status `passed` and a space", "padded", (status) => text(status).trim() === "passed"],
  beginning: ["with a status that begins with `passed`", "longer", (status) => text(status).startsWith("passed_")],
  ending: ["with a status that ends with `passed`", "longer", (status) => /\w passed$/.test(text(status))],
  "a-line": ["with `passed` on a line of its status", "longer", (status) => /^passed$/m.test(text(status))],
  true: ["with the status `true`, which is not a text,", "not-a-text", (status) => status === true],
  default: ["without a status", "absent", (status) => status === undefined]
}

/** Which runs are stored as passed. */
export const statusMutants: MutantTable = {
  "status.never-passed": [
    "A run with the status `passed` is stored as failed.",
    ["status.passed", "status.passed-with-message"],
    changingFields(at("runs.list"), (fields) => ({
      ...fields,
      testRuns: items(fields.testRuns).map((run) => (isObject(run) ? { ...run, status: "failed" } : run))
    }))
  ],
  "status.message-fails": [
    "A run with the status `passed` and a failureMessage is stored as failed.",
    "status.passed-with-message",
    sayingInstead(like("runs.register", { status: "passed", failureMessage: present }), { status: "failed" })
  ],
  ...eachOf(alsoPassing, ([run, check, is], id) => [
    `status.${id}`,
    `A run ${run} is stored as passed.`,
    `status.${check}`,
    sayingInstead(like("runs.register", { status: is }), { status: "passed" })
  ])
}
