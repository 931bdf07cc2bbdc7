import { Effect } from "effect"
import type { Check } from "../steps/Check.ts"
import { idOf, queryOf, readById, readLatest, settledRow } from "../steps/builds.ts"
import { keyOf } from "../steps/credentials.ts"
import { finalizeBuild } from "../steps/finalizeBuild.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { reserveBuild } from "../steps/reserveBuild.ts"
import { uploadAll } from "../steps/uploadAll.ts"

const suffices: Check = {
  id: "builds.scope.suffices",
  profile: "builds",
  title: "A key with no scope but `builds` reserves, finalizes and reads a build.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const key = keyOf("a", "builds")
    const { input, reserved } = yield* reserveBuild("build", {}, key)
    yield* uploadAll(reserved)
    const row = yield* finalizeBuild(reserved, key)
    yield* settledRow(readLatest(queryOf(input), key))
    yield* settledRow(readById(yield* idOf(row), key))
  })
}

export const scopeChecks: ReadonlyArray<Check> = [suffices]
