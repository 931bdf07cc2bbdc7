import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { idOf, queryOf } from "./builds.ts"
import { readyBuild } from "./readyBuild.ts"

/** What of the config a check that reads an {@link existingBuild} needs, to make nothing on the target. */
export const suppliedBuild = ["buildId", "buildBranch", "buildPlatform"] as const

/** A ready build to read: the one that the config supplies, or else one of the check's own. */
export const existingBuild = Effect.fnUntraced(function* (label: string) {
  const { accounts, supplied } = (yield* Session).config
  const { buildBranch: branch, buildId, buildPlatform: platform } = supplied
  if (buildId !== undefined && branch !== undefined && platform !== undefined) {
    return { query: { ...accounts.a.linked, branch, platform }, id: Effect.succeed(buildId) }
  }
  const { input, row } = yield* readyBuild(label)
  return { query: queryOf(input), id: idOf(row) }
})
