/** Erasing an account is killed with SIGKILL at its commits: it is there as it was, or hidden and finished by a sweep. */
import { Schema } from "effect"
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { createClient } from "../client/index.ts"
import { newKey, runJson, startHere } from "./testing/deployment.ts"
import { upload, uploadBuild, uploadPreview } from "./testing/flow.ts"
import { slipway, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"

const Receipt = Schema.Struct({ gone: Schema.Record(Schema.String, Schema.Finite) })
const Named = Schema.Array(Schema.Struct({ name: Schema.String }))
const Key = Schema.Struct({ key: Schema.String })

const preload = `--import ${join(import.meta.dirname, "testing/killAtCommit.ts")}`
const eraseAcme = ["account", "erase", "acme", "--yes", "acme"]

const namesIn = async (env: Record<string, string>) =>
  Schema.decodeUnknownSync(Named)(await runJson(env, "account", "list")).map(({ name }) => name)

const goneOf = async (env: Record<string, string>) =>
  Schema.decodeUnknownSync(Receipt)(await runJson(env, ...eraseAcme)).gone

const objectsIn = (data: string) =>
  readdirSync(join(data, "objects/objects"), { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(",object")
  )

it("an erase that is killed at a commit has changed nothing, or is finished by the sweep", async () => {
  const data = join(temporaryFolder(), "data")
  const host = await startHere({ SLIPWAY_DATA: data })
  const { key } = await newKey({ SLIPWAY_DATA: data })
  const client = createClient({ url: host.url, key })
  for (let commit = 1; commit <= 3; commit++) await uploadBuild(client, commit)
  await runJson({ SLIPWAY_DATA: data }, "account", "create", "other")
  const scope = ["--scope", "preview_upload"]
  const other = Schema.decodeUnknownSync(Key)(
    await runJson({ SLIPWAY_DATA: data }, "key", "create", "--account", "other", "--name", "ci", ...scope)
  )
  const app = upload("of another", 1)
  const theirs = createClient({ url: host.url, key: other.key })
  const { shareId } = await uploadPreview(theirs, app)
  await host.stop()

  const copied = () => {
    const copy = join(temporaryFolder(), "data")
    cpSync(data, copy, { recursive: true })
    return { SLIPWAY_DATA: copy }
  }
  const whole = await goneOf(copied())
  const [all, kept] = [objectsIn(data).length, 2]
  for (const at of ["before 1", "after 1", "before 2", "after 2", "before 3", "after 3", "after 4"]) {
    const env = copied()
    const { code, stdout } = await slipwayProcess(eraseAcme, { env: { ...env, NODE_OPTIONS: preload, KILL_AT: at } })
    assert.deepStrictEqual([code, stdout], [null, ""], `killed ${at}`)
    if (at === "before 1") {
      assert.deepStrictEqual(await namesIn(env), ["acme", "other"])
      assert.strictEqual(objectsIn(env.SLIPWAY_DATA).length, all)
    } else {
      assert.deepStrictEqual(await namesIn(env), ["other"], `killed ${at}`)
      const { url } = await startHere(env)
      const read = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
      assert.strictEqual(read.status, 401, `killed ${at}`)
      assert.strictEqual((await createClient({ url, key: other.key }).previews.read(shareId)).status, "ready")
      assert.strictEqual((await slipway(["gc"], { env })).code, 0)
      assert.strictEqual(objectsIn(env.SLIPWAY_DATA).length, kept, `killed ${at}`)
    }
    assert.deepStrictEqual(await goneOf(env), whole, `killed ${at}`)
    assert.strictEqual(objectsIn(env.SLIPWAY_DATA).length, kept)
  }
})
