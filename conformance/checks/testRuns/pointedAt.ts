import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { needsTwoRepositories } from "../steps/accounts.ts"
import { b } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { hostedPreview, shareIdOf } from "../steps/previews.ts"
import { refuses } from "../steps/refuses.ts"
import { reservePreview } from "../steps/reservePreview.ts"
import { mustNotBeStored, sendRun } from "../steps/runs.ts"

const foreign: Check = {
  id: "runs.register.foreign-preview",
  profile: "testRuns",
  title: "A registration that names another account's preview is refused, and no run is stored.",
  cost: { requests: 6, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { config } = yield* Session
    yield* needsTwoRepositories
    const { shareId } = yield* hostedPreview("preview", { account: "b" })
    const what = "A registration that names another account's preview"
    yield* refuses(sendRun("first", shareId), what, "runs.register.foreign-preview")
    yield* mustNotBeStored("first", what)
    const { owner, repo } = config.accounts.b.linked
    yield* mustNotBeStored("first", what, { org: owner, repo }, b)
  })
}

const unknown: Check = {
  id: "runs.register.unknown-preview",
  profile: "testRuns",
  title: "A registration that names a preview which was never made is refused, and no run is stored.",
  cost: { requests: 2, bytes: 0 },
  run: Effect.gen(function* () {
    const { unique } = yield* Session
    const what = "A registration that names a preview which was never made"
    yield* refuses(sendRun("first", unique("preview")), what, "runs.register.unknown-preview")
    yield* mustNotBeStored("first", what)
  })
}

const notUploaded: Check = {
  id: "runs.register.not-uploaded",
  profile: "testRuns",
  title: "A registration that names a preview of which nothing was uploaded is refused, and no run is stored.",
  cost: { requests: 3, bytes: 0 },
  run: Effect.gen(function* () {
    const shareId = yield* shareIdOf((yield* reservePreview("preview")).reserved)
    const what = "A registration that names a preview of which nothing was uploaded"
    yield* refuses(sendRun("first", shareId), what, "runs.register.not-uploaded")
    yield* mustNotBeStored("first", what)
  })
}

export const pointedAtChecks: ReadonlyArray<Check> = [foreign, unknown, notUploaded]
