import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { mustLook } from "../steps/builds.ts"
import { a, b, keyOf } from "../steps/credentials.ts"
import { finalizeBuild } from "../steps/finalizeBuild.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { reserveBuild } from "../steps/reserveBuild.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { uploadedBuild } from "../steps/uploadedBuild.ts"

const foreignAccount: Check = {
  id: "builds.finalize.foreign-account",
  profile: "builds",
  title: "A build finalized by another account's key is refused and stays as it was.",
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const { before, latest, reserved } = yield* uploadedBuild("build")
    const what = "A finalize by another account than the one that reserved"
    yield* refuses(dialect.finalizeBuild(reserved.token, b), what, "builds.finalize.foreign-account")
    yield* mustLook(latest, before, "A refused finalize leaves the build as it was.")
  })
}

const otherKey: Check = {
  id: "builds.finalize.other-key",
  profile: "builds",
  title: "Another key of the account that reserved finalizes the build.",
  cost: { requests: 3, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { reserved } = yield* reserveBuild("build")
    yield* uploadAll(reserved)
    yield* finalizeBuild(reserved, keyOf("a", "builds"))
  })
}

const unknownToken: Check = {
  id: "builds.finalize.unknown-token",
  profile: "builds",
  title: "A finalize with a token that was never given is refused.",
  cost: { requests: 1, bytes: 0 },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const what = "A finalize with a token that was never given"
    yield* refuses(dialect.finalizeBuild(session.unique("token"), a), what, "builds.finalize.unknown-token")
  })
}

export const finalizerChecks: ReadonlyArray<Check> = [foreignAccount, otherKey, unknownToken]
