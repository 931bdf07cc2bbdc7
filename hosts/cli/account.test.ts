/** An account is exported, and put into an empty deployment; it is erased, with a receipt, for each way to reach the stores. */
import { Schema } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { mayMount, namespace } from "../../adapters/filesystem/testing/mount.ts"
import { createClient } from "../client/index.ts"
import { newKey, runJson, secret, startHere, ways } from "./testing/deployment.ts"
import { repository, startUsed, upload, uploadBuild, uploadPreview } from "./testing/flow.ts"
import { slipway, slipwayProcess, temporaryFolder } from "./testing/slipway.ts"

const Key = Schema.Struct({ key: Schema.String })
const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])

const keyOf = async (env: Record<string, string>, account: string): Promise<string> => {
  const made = await runJson(env, "key", "create", "--account", account, "--name", "ci", ...scopes)
  return Schema.decodeUnknownSync(Key)(made).key
}

/** Another account, with a preview of content that no other has. */
const newOther = async (env: Record<string, string>, url: string) => {
  await runJson(env, "account", "create", "other")
  const client = createClient({ url, key: await keyOf(env, "other") })
  const app = upload("of another account", 1)
  const { shareId } = await uploadPreview(client, app)
  return { client, shareId }
}

const failed = async (args: ReadonlyArray<string>, env: Record<string, string>) => {
  const { code, stderr, stdout } = await slipway(args, { env })
  assert.deepStrictEqual([code, stdout], [1, ""], stderr)
  return stderr
}

describe("slipway account export", () => {
  it("writes one account alone while a host serves, which a restore puts into an empty deployment", async () => {
    const { client, env, host } = await startUsed()
    const other = await newOther(env, host.url)
    const { row } = await uploadBuild(client, 7)
    const file = join(temporaryFolder(), "acme.tar")
    const { code, stderr, stdout } = await slipway(["account", "export", "acme", file], { env })
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^Exported acme to .*: \d+ records, \d+ objects, \d+ bytes\.\n/)
    const exported = readFileSync(file, "latin1")
    assert.notInclude(exported, other.shareId)
    assert.notInclude(exported, "of another account")
    for (const kind of ["key", "session", "shareLink", "answer", "removal"]) {
      assert.notInclude(exported, `"kind":"${kind}"`)
    }
    const { testRuns } = await client.testRuns.list({ org: repository.owner, repo: repository.repo })

    const elsewhere = { ...secret, SLIPWAY_DATA: join(temporaryFolder(), "data") }
    const restored = await slipway(["restore", file], { env: elsewhere })
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.deepStrictEqual(
      (await runJson(elsewhere, "account", "list")) as unknown,
      ((await runJson(env, "account", "list")) as ReadonlyArray<{ name: string }>).filter(({ name }) => name === "acme")
    )
    assert.deepStrictEqual(await runJson(elsewhere, "key", "list", "--account", "acme"), [])
    const { url } = await startHere(elsewhere)
    const moved = createClient({ url, key: await keyOf(elsewhere, "acme") })
    const path = (of: string) => new URL(of).pathname
    const found = await moved.builds.read(row.id)
    assert.deepStrictEqual(
      { ...found, url: path(found.url), previewUrl: "" },
      { ...row, url: path(row.url), previewUrl: "" }
    )
    const runs = (await moved.testRuns.list({ org: repository.owner, repo: repository.repo })).testRuns
    assert.deepStrictEqual(
      runs.map(({ id }) => id),
      testRuns.map(({ id }) => id)
    )
    const deep = await slipway(["doctor", "--deep", "--json"], { env: elsewhere })
    assert.include(deep.stdout, "were read and are as they were uploaded")
  })

  it("refuses an unknown account, a file that is there and a folder that isn't, in one line", async () => {
    const { env } = await startUsed()
    const folder = temporaryFolder()
    const file = join(folder, "acme.tar")
    assert.match(
      await failed(["account", "export", "nobody", file], env),
      /^slipway: There is no account named nobody; slipway account list names them\.\n$/
    )
    assert.isFalse(existsSync(file) || existsSync(`${file}.partial`))
    writeFileSync(file, "mine")
    assert.match(
      await failed(["account", "export", "acme", file], env),
      /^slipway: There is a file .*acme\.tar already; name another, or remove it\.\n$/
    )
    assert.strictEqual(readFileSync(file, "utf8"), "mine")
    assert.match(
      await failed(["account", "export", "acme", join(folder, "none", "acme.tar")], env),
      /^slipway: The backup .* can't be written: its folder isn't there; make it, or write it elsewhere\..*\n$/
    )
  })
})

/** Runs the command behind it with a disk of its own on a folder, and prints which files are left there. */
const onOwnDisk = (options: string, folder: string): ReadonlyArray<string> => [
  ...namespace,
  "sh",
  "-c",
  'mount -t tmpfs -o "$0" none "$1" && cd "$1" && shift && "$@"; code=$?; ls -A && exit $code',
  options,
  folder
]

describe.skipIf(!mayMount)("slipway account export, on a disk that takes no file", () => {
  it.each([
    ["full", "size=1m", "its disk is full; make room, or write it elsewhere"],
    ["read-only", "ro", "its folder may not be written to; write it elsewhere"]
  ])("says in one line that it is %s, and leaves no part of the file", async (_, options, why) => {
    const { client, env } = await startUsed()
    const app = upload(randomBytes(2 ** 20).toString("hex"), 1)
    await uploadPreview(client, app)
    const under = onOwnDisk(options, temporaryFolder())
    const finished = await slipwayProcess(["account", "export", "acme", "acme.tar"], { env, under })
    const stderr = `slipway: The backup acme.tar can't be written: ${why}. No part of it is left.\n`
    assert.deepStrictEqual(finished, { code: 1, stdout: "", stderr })
  })
})

for (const { env: settings, isHostRunning, through } of ways()) {
  describe(`slipway account erase, through ${through}`, () => {
    it("erases what is named twice, with a receipt, and nothing of another account", async () => {
      const env = await settings()
      const host = await startHere(env)
      const { key } = await newKey(env)
      const client = createClient({ url: host.url, key })
      const { row } = await uploadBuild(client, 1)
      const app = upload("replay", 1)
      const preview = await uploadPreview(client, app, repository)
      await client.testRuns.register({ ...repository, kind: "maestro", name: "Cart", previewShareId: preview.shareId })
      const link = await runJson(env, "share", "create", "--account", "acme", "--preview", preview.shareId)
      const other = await newOther(env, host.url)
      if (!isHostRunning) await host.stop()

      const folder = temporaryFolder()
      const receipt = join(folder, "receipt.json")
      const erase = (...args: ReadonlyArray<string>) => ["account", "erase", ...args]
      const unsure = await failed(erase("acme"), env)
      assert.match(unsure, /^slipway: Erasing can't be undone, .* --yes acme .* Nothing was changed\.\n$/)
      const wrong = await failed(erase("acme", "--yes", "other", "--receipt", receipt), env)
      assert.match(wrong, /^slipway: That is not the account's name, acme\. Nothing was changed\.\n$/)
      const nobody = await failed(erase("nobody", "--yes", "nobody", "--receipt", receipt), env)
      assert.match(nobody, /^slipway: There is no account named nobody\.\n$/)
      const nowhere = await failed(erase("acme", "--yes", "acme", "--receipt", join(folder, "none", "r")), env)
      assert.match(nowhere, /^slipway: The receipt .* can't be written: ENOENT; .* Nothing was changed\.\n$/)
      assert.isFalse(existsSync(receipt))
      mkdirSync(join(folder, "there"))
      const there = await failed(erase("acme", "--yes", "acme", "--receipt", join(folder, "there")), env)
      assert.match(there, /^slipway: There is a file .*there already; .* Nothing was changed\.\n$/)
      const names = (await runJson(env, "account", "list")) as ReadonlyArray<{ readonly name: string }>
      assert.deepStrictEqual(
        names.map(({ name }) => name),
        ["acme", "other"]
      )

      const erased = await slipway(erase("acme", "--yes", "acme", "--receipt", receipt), { env })
      assert.strictEqual(erased.code, 0, erased.stderr)
      assert.match(
        erased.stdout,
        /^Erased the account acme \(\S+\) at \S+, by administrator: command line\.\nErased: 1 keys, /
      )
      const { account, gone } = JSON.parse(readFileSync(receipt, "utf8"))
      assert.strictEqual(account.name, "acme")
      const { answers, auditEntries, events, ...counts } = gone
      assert.isAtLeast(auditEntries, 3)
      assert.deepStrictEqual([answers, events], [3, undefined])
      const declared = row.bundleSizeBytes + row.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      assert.isAbove(counts.bytes, declared)
      assert.deepStrictEqual(
        { ...counts, bytes: 0, contents: 0 },
        {
          keys: 1,
          shareLinks: 1,
          runs: 1,
          histories: 1,
          previews: 1,
          uploads: 1,
          builds: 1,
          contents: 0,
          repositories: 1,
          objects: 1 + row.files.length + 2,
          bytes: 0
        }
      )
      const again = (await runJson(env, "account", "erase", "acme", "--yes", "acme")) as { gone: unknown }
      assert.deepStrictEqual(again.gone, gone)

      const { url } = isHostRunning ? host : await startHere(env)
      const status = async (path: string) =>
        (await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).status
      assert.deepStrictEqual(
        [await status(`/builds/${row.id}`), await status(`/previews/${preview.shareId}`)],
        [401, 401]
      )
      const shared = new URL(String(Reflect.get(Object(link), "url")))
      assert.strictEqual((await fetch(`${url}${shared.pathname}`)).status, 404)
      assert.strictEqual(
        (await createClient({ url, key: await keyOf(env, "other") }).previews.read(other.shareId)).status,
        "ready"
      )
      const log = JSON.stringify(await runJson(env, "audit"))
      assert.include(log, `"account.erased","subject":"account:${account.id}"`)
      assert.notInclude(log, '"acme"')
      assert.notInclude(log, "acme/app")
      const { id: newId } = (await runJson(env, "account", "create", "acme")) as { id: string }
      await runJson(env, "repo", "link", "acme/app", "--account", "acme")
      const fresh = createClient({ url, key: await keyOf(env, "acme") })
      const code = await fresh.builds.read(row.id).then(
        () => "found",
        (error: unknown) => Reflect.get(Object(error), "code")
      )
      assert.strictEqual(code, "not_found")

      const used = (await runJson(env, "usage")) as ReadonlyArray<{ account: string; bytesStored: { used: number } }>
      assert.deepStrictEqual(
        used.map(({ account, bytesStored }) => [account, bytesStored.used > 0]),
        [
          ["other", true],
          ["acme", false]
        ]
      )

      // Repeating the command doesn't erase the new account.
      const unclear = await failed(erase("acme", "--yes", "acme"), env)
      assert.include(
        unclear,
        `${account.id}, and there is a new one of that name, ${newId}. Say by --id which one is meant.`
      )
      const ofBoth = async (id: string) =>
        (await runJson(env, "account", "erase", "acme", "--yes", "acme", "--id", id)) as { gone: unknown }
      assert.deepStrictEqual((await ofBoth(account.id)).gone, gone)
      assert.include(JSON.stringify(await runJson(env, "account", "list")), newId)
      await ofBoth(newId)
      assert.notInclude(JSON.stringify(await runJson(env, "account", "list")), newId)
    })
  })
}
