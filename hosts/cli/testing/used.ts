/** A deployment with content, to be moved and checked afterwards. */
import { assert } from "vitest"
import { join } from "node:path"
import { createClient } from "../../client/index.ts"
import { newKey, runJson, startHost } from "./deployment.ts"
import { buildHosts, identity, previewHosts, putAll, repository, upload, type Client } from "./flow.ts"
import { temporaryFolder } from "./slipway.ts"
import { secret } from "./stores.ts"

/** Uploads a complete build of a commit. */
export const uploadBuild = async (client: Client, commit: number, files = 2) => {
  const app = upload(`app ${commit}`, files)
  const { slots, token } = await client.builds.reserve({ ...identity(commit), ...app.declaration })
  await putAll(client, slots, app)
  return { app, row: await client.builds.finalize(token) }
}

/** A host with three builds of this many files, a preview, runs, a share link and an unfinished upload. */
export const startUsed = async (files = 2) => {
  const env = { SLIPWAY_DATA: join(temporaryFolder(), "data"), ...secret }
  const host = await startHost(env)
  const { key } = await newKey(env)
  const client = createClient({ url: host.url, key })
  const builds: Array<Awaited<ReturnType<typeof uploadBuild>>> = []
  for (let commit = 1; commit <= 3; commit++) builds.push(await uploadBuild(client, commit, files))
  const replay = upload("replay", 2)
  const reserved = await client.previews.reserve({
    ...replay.declaration,
    ...repository,
    recordings: [],
    billingKind: "test_run"
  })
  await putAll(client, reserved.slots, replay)
  const preview = await client.previews.finalize(reserved.token)
  const run = { ...repository, kind: "maestro", name: "Checkout", previewShareId: reserved.shareId } as const
  await client.testRuns.register({ ...run, status: "passed" })
  const { testRuns } = await client.testRuns.list({ org: "acme", repo: "app" })
  const link = await runJson(env, "share", "create", "--account", "acme", "--preview", reserved.shareId)
  await client.builds.reserve({ ...identity(99), ...upload("never", 0).declaration })

  /** Checks that a host at the same URL hosts all of it. */
  const assertWhole = async () => {
    for (const { app, row } of builds) {
      assert.deepStrictEqual(await client.builds.read(row.id), row)
      await buildHosts(row, app, key)
    }
    const metadata = await client.previews.read(reserved.shareId)
    assert.deepStrictEqual({ ...metadata, bundle: {}, files: [] }, { ...preview, bundle: {}, files: [] })
    await previewHosts(metadata, replay, key)
    assert.deepStrictEqual((await client.testRuns.list({ org: "acme", repo: "app" })).testRuns, testRuns)
    assert.strictEqual((await fetch(String(Reflect.get(Object(link), "url")))).status, 200)
  }
  return { assertWhole, client, env, host, port: new URL(host.url).port }
}
