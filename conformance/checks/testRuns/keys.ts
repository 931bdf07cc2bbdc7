import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Check } from "../steps/Check.ts"
import { keyOf } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview } from "../steps/previews.ts"
import { listRuns, mustNotBeStored, registerRun, sendRun } from "../steps/runs.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"
import type { Endpoint, Group } from "../steps/wrongKeys.ts"

const bytes = bundleSizeBytes

const group: Group = {
  profile: "testRuns",
  prefix: "runs",
  scope: "test_runs",
  lackedBy: ["builds", "previewUpload"]
}

const register: Endpoint = {
  name: "register",
  noun: "A registration of a test run",
  cost: { requests: 4, bytes },
  attempt: Effect.gen(function* () {
    const { shareId } = yield* hostedPreview("preview")
    return {
      send: (as) => sendRun("first", shareId, {}, as),
      prove: mustNotBeStored("first", "A registration that was refused")
    }
  })
}

const list: Endpoint = {
  name: "list",
  noun: "A list of test runs",
  cost: { requests: 0, bytes: 0 },
  readOnly: true,
  attempt: Effect.gen(function* () {
    const dialect = yield* Dialect
    return { send: (as) => dialect.listRuns({}, as), prove: Effect.void }
  })
}

const suffices: Check = {
  id: "runs.scope.suffices",
  profile: "testRuns",
  title: "A key that has only the scope `test_runs` registers and lists test runs.",
  cost: { requests: 5, bytes },
  run: Effect.gen(function* () {
    const key = keyOf("a", "testRuns")
    const { shareId } = yield* hostedPreview("preview")
    yield* registerRun("first", shareId, {}, key)
    yield* listRuns({}, key)
  })
}

export const keyChecks: ReadonlyArray<Check> = [...wrongKeyChecks(group, [register, list]), suffices]
