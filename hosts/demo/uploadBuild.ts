import { Effect } from "effect"
import type { SlipwayClient } from "../client/effect/SlipwayClient.ts"
import { provenance } from "./account.ts"
import type { BundledApp } from "./bundle.ts"
import { contentsOf, declared, putAll } from "./content.ts"
import type { Progress } from "./progress.ts"

/** Uploads the app as a build: reserve, PUT, finalize; then reads it back by branch and by id. */
export const uploadBuild = Effect.fnUntraced(function* (
  client: SlipwayClient["Service"],
  app: BundledApp,
  progress: Progress
) {
  const { slots, token } = yield* client.builds.reserve({ ...provenance, platform: "ios", ...declared(app) })
  yield* putAll(client, contentsOf(app, slots), progress)
  const finalized = yield* client.builds.finalize(token)
  const { branch, owner, repo } = provenance
  const byBranch = yield* client.builds.latest({ owner, repo, branch })
  const byId = yield* client.builds.read(finalized.id)
  return { finalized, byBranch, byId }
})
