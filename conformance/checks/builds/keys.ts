import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Check } from "../steps/Check.ts"
import { mustLook, queryOf, readById, readLatest, settledRow, visible } from "../steps/builds.ts"
import { existingBuild, suppliedBuild } from "../steps/existingBuild.ts"
import { buildInput, bundleSizeBytes } from "../steps/inputs.ts"
import { sendReservation } from "../steps/reserveBuild.ts"
import { uploadedBuild } from "../steps/uploadedBuild.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"
import type { Endpoint, Group } from "../steps/wrongKeys.ts"

const group: Group = {
  prefix: "builds",
  profile: "builds",
  scope: "builds",
  lackedBy: ["previewUpload", "testRuns"]
}

const reserve: Endpoint = {
  name: "reserve",
  noun: "A reservation of a build",
  cost: { requests: 2, bytes: 0 },
  attempt: Effect.gen(function* () {
    const input = yield* buildInput("build")
    const latest = readLatest(queryOf(input))
    const before = yield* visible(latest)
    return {
      send: (as) => sendReservation(input, as),
      prove: mustLook(latest, before, "A refused reservation leaves the branch as it was.")
    }
  })
}

const finalize: Endpoint = {
  name: "finalize",
  noun: "A finalize of a build",
  cost: { requests: 4, bytes: bundleSizeBytes },
  attempt: Effect.gen(function* () {
    const { before, latest, reserved } = yield* uploadedBuild("build")
    return {
      send: (as) => Dialect.use((dialect) => dialect.finalizeBuild(reserved.token, as)),
      prove: mustLook(latest, before, "A refused finalize leaves the build as it was.")
    }
  })
}

const latest: Endpoint = {
  name: "latest",
  noun: "A read of the latest build of a branch",
  cost: { requests: 4, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  attempt: Effect.gen(function* () {
    const { query } = yield* existingBuild("build")
    yield* settledRow(readLatest(query))
    return { send: (as) => readLatest(query, as), prove: Effect.void }
  })
}

const read: Endpoint = {
  name: "read",
  noun: "A read of a build by its id",
  cost: { requests: 4, bytes: bundleSizeBytes },
  supplied: suppliedBuild,
  attempt: Effect.gen(function* () {
    const existing = yield* existingBuild("build")
    const id = yield* existing.id
    yield* settledRow(readById(id))
    return { send: (as) => readById(id, as), prove: Effect.void }
  })
}

/** Who may use the endpoints of builds. */
export const keyChecks: ReadonlyArray<Check> = wrongKeyChecks(group, [reserve, finalize, latest, read])
