import type { Client } from "../client/index.ts"
import { provenance } from "./account.ts"
import type { BundledApp } from "./bundle.ts"
import { contentOf } from "./content.ts"
import { progressBar } from "./progress.ts"

/** Uploads the app as a build, then reads it back by branch and by id. */
export const uploadBuild = async (client: Client, app: BundledApp) => {
  const finalized = await client.builds.upload(
    { ...provenance, platform: "ios", ...contentOf(app) },
    { onProgress: progressBar("build") }
  )
  const { branch, owner, repo } = provenance
  const byBranch = await client.builds.latest({ owner, repo, branch })
  const byId = await client.builds.read(finalized.id)
  return { finalized, byBranch, byId }
}
