import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { must } from "../../dialect/Violation.ts"
import type { Check } from "../steps/Check.ts"
import { mustHaveUrl, queryOf, readLatest, settledRow, visible } from "../steps/builds.ts"
import { eventually } from "../steps/eventually.ts"
import { bundleSizeBytes, identityOf } from "../steps/inputs.ts"
import { readyBuild } from "../steps/readyBuild.ts"

/** A build for iOS and, after it, one for Android of the same branch and commit. */
const both = Effect.gen(function* () {
  const ios = yield* readyBuild("ios")
  const android = yield* readyBuild("android", { fields: { ...identityOf(ios.input), platform: "android" } })
  return { ios, android }
})

const asked: Check = {
  id: "builds.latest.platform",
  profile: "builds",
  title: "The latest build of a branch is that of the platform that was asked for.",
  cost: { requests: 8, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const { android, ios } = yield* both
    for (const { input, url } of [ios, android]) {
      const { platform } = input.fields
      const latest = yield* settledRow(readLatest(queryOf(input)))
      yield* mustHaveUrl(latest, url, `The latest build for the platform ${String(platform)} is its own.`)
    }
  })
}

const byDefault: Check = {
  id: "builds.latest.default-platform",
  profile: "builds",
  title: "The latest build of a branch is that for iOS when no platform is asked for.",
  cost: { requests: 7, bytes: 2 * bundleSizeBytes },
  run: Effect.gen(function* () {
    const { ios } = yield* both
    const latest = yield* settledRow(readLatest({ ...queryOf(ios.input), platform: undefined }))
    yield* mustHaveUrl(latest, ios.url, `Without a platform, the latest build is the one for iOS.`)
  })
}

const notAndroid: Check = {
  id: "builds.latest.default-is-not-android",
  profile: "builds",
  title: "A branch that has only a build for Android doesn't answer it when no platform is asked for.",
  cost: { requests: 4, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const session = yield* Session
    const { input, url } = yield* readyBuild("android", { fields: { platform: "android" } })
    const read = readLatest({ ...queryOf(input), platform: undefined }).pipe(
      Effect.tap(({ status }) => session.observe("builds.latest.of-other-platform-only.status", status))
    )
    const latest = yield* eventually(visible(read), (one) => one.url === url)
    yield* must(latest.url !== url, "Without a platform, a build for Android isn't answered.", "It was answered.")
  })
}

export const platformChecks: ReadonlyArray<Check> = [asked, byDefault, notAndroid]
