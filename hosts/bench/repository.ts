/** The repository that is measured, and its content before the measurement. */
import { createHash } from "node:crypto"
import { createClient } from "../client/index.ts"

export const owner = "bench"
export const repo = "app"

const bundle = new TextEncoder().encode('console.log("bench")\n')
const declared = {
  contentHash: createHash("sha256").update(bundle).digest("hex"),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript"
}

/** Uploads a build and a preview and registers runs; answers the build's id. */
export const fill = async (url: string, key: string): Promise<string> => {
  const client = createClient({ url, key })
  const reserved = await client.builds.reserve({
    owner,
    repo,
    branch: "main",
    platform: "ios",
    commitSha: "5ee0d1e5".repeat(5),
    ...declared
  })
  await client.put(reserved.slots.bundle, bundle)
  const build = await client.builds.finalize(reserved.token)
  const preview = await client.previews.reserve(declared)
  await client.put(preview.slots.bundle, bundle)
  await client.previews.finalize(preview.token)
  for (let run = 0; run < 50; run += 1) {
    await client.testRuns.register({
      kind: "maestro",
      name: `run ${run}`,
      status: run % 3 === 0 ? "passed" : "failed",
      owner,
      repo,
      branch: "main",
      previewShareId: preview.shareId
    })
  }
  return build.id
}
