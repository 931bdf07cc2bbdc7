import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { Fields } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { queryOf, readById, readLatest } from "../steps/builds.ts"
import { mustNotBeItsOwn } from "../steps/callersMistake.ts"
import { a } from "../steps/credentials.ts"
import { buildInput } from "../steps/inputs.ts"
import { reserveBuild, sendReservation } from "../steps/reserveBuild.ts"

const misfits: Readonly<Record<string, Fields>> = {
  "no-owner": { owner: undefined },
  "short-commit": { commitSha: "0123abc" },
  "unknown-platform": { platform: "toaster" },
  "negative-size": { bundleSizeBytes: -1 },
  "size-with-a-fraction": { bundleSizeBytes: 1.5 },
  "size-as-text": { bundleSizeBytes: "many" },
  "files-not-a-list": { files: "all" }
}

const reservations: Check = {
  id: "builds.mistakes.reserve",
  profile: "builds",
  title: "A reservation with a field that doesn't fit isn't answered with 5xx.",
  cost: { requests: Object.keys(misfits).length, bytes: 0 },
  run: Effect.gen(function* () {
    for (const [mistake, fields] of Object.entries(misfits)) {
      const input = yield* buildInput(mistake, { fields })
      yield* mustNotBeItsOwn("builds", `reserve.${mistake}`, yield* sendReservation(input, a))
    }
  })
}

const bodies: Check = {
  id: "builds.mistakes.body",
  profile: "builds",
  title: "A body that isn't a JSON object isn't answered with 5xx.",
  cost: { requests: 2, bytes: 40 },
  run: Effect.gen(function* () {
    const { config, content, exchange } = yield* Session
    const request = { method: "POST", url: `${config.url}/api/v1/builds`, as: a }
    const headers = { "content-type": "application/json" }
    const notJson = yield* exchange({ ...request, headers, content: content("not JSON", 40) })
    yield* mustNotBeItsOwn("builds", "body.not-json", notJson)
    yield* mustNotBeItsOwn("builds", "body.list", yield* exchange({ ...request, json: [] }))
  })
}

const incomplete: Check = {
  id: "builds.mistakes.finalize-incomplete",
  profile: "builds",
  title: "A finalize before the upload is complete isn't answered with 5xx.",
  cost: { requests: 2, bytes: 0 },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { reserved } = yield* reserveBuild("build")
    yield* mustNotBeItsOwn("builds", "finalize.incomplete", yield* dialect.finalizeBuild(reserved.token, a))
  })
}

const reads: Check = {
  id: "builds.mistakes.read",
  profile: "builds",
  title: "A read of what isn't there, or for no platform there is, isn't answered with 5xx.",
  cost: { requests: 4, bytes: 0 },
  readOnly: true,
  run: Effect.gen(function* () {
    const { unique } = yield* Session
    const query = queryOf(yield* buildInput("build"))
    yield* mustNotBeItsOwn("builds", "latest.no-build", yield* readLatest(query))
    yield* mustNotBeItsOwn("builds", "latest.no-branch", yield* readLatest({ ...query, branch: undefined }))
    yield* mustNotBeItsOwn("builds", "latest.unknown-platform", yield* readLatest({ ...query, platform: "toaster" }))
    yield* mustNotBeItsOwn("builds", "read.unknown-id", yield* readById(unique("id")))
  })
}

export const mistakeChecks: ReadonlyArray<Check> = [reservations, bodies, incomplete, reads]
