/** Deleting on the command line, for each way to reach the stores. */
import { assert, describe, it } from "vitest"
import { createClient } from "../client/index.ts"
import { newKey, runJson, startHere, ways } from "./testing/deployment.ts"
import { putAll, repository, upload, uploadPreview } from "./testing/flow.ts"
import { slipway } from "./testing/slipway.ts"

/** A ready build, a ready preview and a run of it. */
const uploaded = async (url: string, key: string) => {
  const client = createClient({ url, key })
  const app = upload("app", 1)
  const identity = { ...repository, branch: "main", platform: "ios", commitSha: "a".repeat(40) } as const
  const reserved = await client.builds.reserve({ ...identity, ...app.declaration })
  await putAll(client, reserved.slots, app)
  await client.builds.finalize(reserved.token)
  const { shareId } = await uploadPreview(client, app, repository)
  const run = await client.testRuns.register({
    ...repository,
    kind: "detox",
    name: "Checkout",
    previewShareId: shareId
  })
  return { build: reserved.id, preview: shareId, run: run.id }
}

const named = `${repository.owner}/${repository.repo}`

for (const { env: settings, isHostRunning, through } of ways()) {
  describe(`deleting by the command line, through ${through}`, () => {
    it("deletes a build, a preview and a run that --yes confirms, once, and nothing without it", async () => {
      const env = await settings()
      const host = await startHere(env)
      const { key } = await newKey(env)
      const { build, preview, run } = await uploaded(host.url, key)
      if (!isHostRunning) await host.stop()

      for (const [kind, id, name] of [
        ["run", run, `Checkout of ${named}`],
        ["preview", preview, named],
        ["build", build, `${named} main at aaaaaaa (ios)`]
      ] as const) {
        const unsure = await slipway([kind, "delete", id], { env })
        assert.strictEqual(unsure.code, 1)
        assert.match(unsure.stderr, /^slipway: Deleting can't be undone, .*--yes.*\n$/)
        assert.deepStrictEqual(await runJson(env, kind, "delete", `${host.url}/${kind}s/${id}`, "--yes"), {
          id,
          deleted: kind,
          name,
          account: "acme"
        })
        const again = await slipway([kind, "delete", id, "--yes"], { env })
        assert.strictEqual(again.code, 1)
        assert.match(again.stderr, /^slipway: There is no .*, or its repository is not linked\.\n$/)
      }

      const { url } = isHostRunning ? host : await startHere(env)
      const client = createClient({ url, key })
      const assertGone = async (call: () => Promise<unknown>) => {
        const code = await call().then(
          () => "found",
          (error: unknown) => Reflect.get(Object(error), "code")
        )
        assert.strictEqual(code, "not_found")
      }
      await assertGone(() => client.builds.read(build))
      await assertGone(() => client.previews.read(preview))
      const runs = { org: repository.owner, repo: repository.repo }
      assert.deepStrictEqual((await client.testRuns.list(runs)).testRuns, [])
    })
  })
}
