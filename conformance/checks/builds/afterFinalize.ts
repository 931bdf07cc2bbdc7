import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { mustLook, queryOf, readLatest, visible } from "../steps/builds.ts"
import { a } from "../steps/credentials.ts"
import { settled } from "../steps/eventually.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

/** A ready build, how its branch is read, and how it looks. */
const readyAndRead = Effect.fnUntraced(function* (label: string) {
  const build = yield* readyBuild(label)
  const latest = readLatest(queryOf(build.input))
  const before = yield* settled(visible(latest))
  yield* must(before.found, "A ready build is read as the latest of its branch.", "It was not found.")
  return { ...build, latest, before }
})

const again: Check = {
  id: "builds.finalize.again",
  profile: "builds",
  title: "A second finalize with the same token leaves the ready build as it is.",
  cost: { requests: 6, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const { before, latest, reserved } = yield* readyAndRead("build")
    const answer = yield* dialect.finalizeBuild(reserved.token, a)
    yield* session.observe("builds.finalize.again.status", answer.status)
    yield* mustLook(latest, before, "A second finalize leaves the build as it was.")
  })
}

const putAgain: Check = {
  id: "builds.put.after-finalize",
  profile: "builds",
  title: "A PUT after finalize leaves the ready build as it is.",
  cost: { requests: 6, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const dialect = yield* Dialect
    const session = yield* Session
    const { before, latest, reserved } = yield* readyAndRead("build")
    for (const slot of reserved.slots) {
      const answer = yield* dialect.put(slot, { ...slot, content: session.content("late", bundleSizeBytes) })
      yield* session.observe("builds.put.after-finalize.status", answer.status)
    }
    yield* mustLook(latest, before, "A PUT after finalize leaves the build as it was.")
  })
}

export const afterFinalizeChecks: ReadonlyArray<Check> = [again, putAgain]
