/** The repository that is measured, and its content before the measurement. */
import autocannon from "autocannon"
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

// Reads as fast as a host answers them.

const connections = 16

/** A request, named for the table. */
export interface Read {
  readonly name: string
  readonly path: string
}

/** The reads that are measured, on a host that holds a build and a page of runs. */
export const reads = (build: string): ReadonlyArray<Read> => [
  { name: "read a build by id", path: `/api/v1/builds/${build}` },
  { name: "read the latest of a branch", path: `/api/v1/builds?owner=${owner}&repo=${repo}&branch=main` },
  { name: "list 20 test runs", path: `/api/v1/test-runs?org=${owner}&repo=${repo}` }
]

/** How many a second come in so many seconds. Throws at any answer but success, which would falsify the measurement. */
export const load = async ({ name, path }: Read, url: string, key: string, seconds: number): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  const result = await autocannon({ url: url + path, connections, duration: seconds, headers })
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${name} at ${url}: ${result.errors} errors, ${result.non2xx} refusals`)
  }
  return result["2xx"] / result.duration
}
