/** An altered backup or export can't add anything to the deployment that it is restored to. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import * as tar from "tar-stream"
import { assert, describe, it } from "vitest"
import { createClient } from "../../client/index.ts"
import { newKey, runJson, secret, startHere } from "../testing/deployment.ts"
import { upload, uploadBuild, uploadPreview } from "../testing/flow.ts"
import { slipway, temporaryFolder } from "../testing/slipway.ts"

type Entries = ReadonlyArray<readonly [name: string, content: Buffer]>

const entriesOf = async (archive: Buffer): Promise<Entries> => {
  const entries: Array<readonly [string, Buffer]> = []
  for await (const entry of Readable.from([archive]).pipe(tar.extract())) {
    entries.push([entry.header.name, await buffer(entry)])
  }
  return entries
}

const archiveOf = (entries: Entries): Promise<Buffer> => {
  const pack = tar.pack()
  for (const [name, content] of entries) pack.entry({ name }, content)
  pack.finalize()
  return buffer(pack)
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const isManifest = (name: string) => name.startsWith("manifest-")
const isOther = (name: string) => !name.startsWith("manifest")

/** An archive after what is before its manifest was changed, with a manifest that fits; `facts` alters those of an entry. */
const tampered = async (
  archive: Buffer,
  change: (before: Entries) => Entries,
  facts: (name: string) => Record<string, unknown> = () => ({})
): Promise<Buffer> => {
  const all = await entriesOf(archive)
  const before = change(all.filter(([name]) => isOther(name)))
  const { entries: listed } = JSON.parse(String(all.find(([name]) => isManifest(name))?.[1]))
  const entries = before.map(([name, content]) => ({
    ...listed.find((entry: { readonly name: string }) => entry.name === name),
    name,
    sizeBytes: content.byteLength,
    sha256: sha256(content),
    ...facts(name)
  }))
  const manifest = Buffer.from(JSON.stringify({ entries }))
  const mac = all.filter(([name]) => name === "manifest.hmac")
  return archiveOf([...before, [`manifest-${sha256(manifest)}.json`, manifest], ...mac])
}

const textOf = (alter: (text: string) => string) => (content: Buffer) => Buffer.from(alter(String(content)))

/** Changes the content of the entries whose name matches. */
const altering =
  (which: RegExp, alter: (content: Buffer) => Buffer) =>
  (before: Entries): Entries =>
    before.map(([name, content]) => [name, which.test(name) ? alter(content) : content])

/** Restores an archive into an empty deployment, which has to be refused in one line and to change nothing. */
const refused = async (archive: Buffer, env: Record<string, string>, args: ReadonlyArray<string>, why: RegExp) => {
  const folder = temporaryFolder()
  const [file, data] = [join(folder, "backup.tar"), join(folder, "a", "b", "data")]
  writeFileSync(file, archive)
  const { code, stderr, stdout } = await slipway(["restore", ...args, file], { env: { ...env, SLIPWAY_DATA: data } })
  assert.match(stderr, /^slipway: The backup \S+ can't be restored: [^\n]* Nothing was changed\.\n$/)
  assert.match(stderr, why)
  assert.deepStrictEqual([code, stdout], [1, ""])
  assert.deepStrictEqual(
    [readdirSync(folder).toSorted(), readdirSync(join(folder, "a/b"))],
    [["a", "backup.tar"], ["data"]]
  )
  assert.deepStrictEqual(readdirSync(join(data, "objects/objects")), [])
  assert.isFalse(existsSync(join(data, "secret")))
  assert.deepStrictEqual(await runJson({ SLIPWAY_DATA: data }, "account", "list"), [])
}

const restored = async (archive: Buffer, env: Record<string, string>, ...args: ReadonlyArray<string>) => {
  const [file, data] = [join(temporaryFolder(), "backup.tar"), join(temporaryFolder(), "data")]
  writeFileSync(file, archive)
  const { code, stderr, stdout } = await slipway(["restore", ...args, file], { env: { ...env, SLIPWAY_DATA: data } })
  assert.strictEqual(code, 0, stderr)
  return { stdout, keys: await runJson({ SLIPWAY_DATA: data }, "key", "list", "--account", "acme") }
}

/** A backup of a deployment with a build, and with a preview whose bundle is gzip; and the export of its only account. */
const made = async () => {
  const env = { SLIPWAY_DATA: join(temporaryFolder(), "data"), ...secret }
  const host = await startHere(env)
  const { key } = await newKey(env)
  const client = createClient({ url: host.url, key })
  await uploadBuild(client, 1)
  await client.previews.upload({ bundle: { body: gzipSync("app()"), contentType: "application/gzip" } })
  const app = upload("replay", 1)
  const undeclared = app.declaration.files.map(({ contentHash: _hash, ...file }) => file)
  await uploadPreview(client, app, { files: undeclared })
  // Shared with the build, under another content type.
  const shared = upload("app 1", 0)
  const other = { ...shared.declaration, bundleContentType: "text/plain" }
  await client.previews.finalize((await client.previews.reserve(other)).token)
  await host.stop()
  const [whole, exported] = [join(temporaryFolder(), "whole.tar"), join(temporaryFolder(), "acme.tar")]
  await runJson(env, "backup", whole)
  await runJson(env, "account", "export", "acme", exported)
  return { whole: readFileSync(whole), exported: readFileSync(exported) }
}

let once: ReturnType<typeof made> | undefined

/** The same for all tests. */
const archives = () => (once ??= made())

describe("a backup that was tampered with", () => {
  it("is restored with the secret that made it, also an earlier one, and is refused without", async () => {
    const { whole } = await archives()
    for (const SLIPWAY_SECRET of [secret.SLIPWAY_SECRET, `a newer one of the hosts,${secret.SLIPWAY_SECRET}`]) {
      const { keys, stdout } = await restored(whole, { SLIPWAY_SECRET })
      assert.lengthOf(Object(keys), 1)
      assert.notInclude(stdout, "not authenticated")
    }
    await refused(whole, {}, [], /set SLIPWAY_SECRET to that of the deployment that made it/)
    await refused(whole, { SLIPWAY_SECRET: "of another deployment" }, [], /the secret doesn't authenticate it/)
    const without = await archiveOf((await entriesOf(whole)).filter(([name]) => name !== "manifest.hmac"))
    await refused(without, secret, [], /it isn't authenticated/)
    assert.match((await restored(without, {}, "--unauthenticated")).stdout, /^not authenticated: .*slipway key list/m)
  })

  it("is refused with an altered record or object, whatever its manifest says", async () => {
    const { whole } = await archives()
    const inKey = await tampered(
      whole,
      altering(
        /^metadata/,
        textOf((text) => text.replace('"test_runs"', '"delete"'))
      )
    )
    await refused(inKey, secret, [], /the secret doesn't authenticate it/)
    const inObject = await tampered(
      whole,
      altering(
        /bundle$/,
        textOf((text) => text.replace("console", "konsole"))
      )
    )
    await refused(inObject, secret, [], /the secret doesn't authenticate it/)
  })

  it("is refused unauthenticated too if an object isn't what its upload declared, or isn't there", async () => {
    const { whole } = await archives()
    const unlike = async (archive: Promise<Buffer>, why = /objects\/hosted\/\S+ isn't what its upload declared/) =>
      refused(await archive, {}, ["--unauthenticated"], why)
    const swap = textOf((text) => text.replace("console", "konsole"))
    await unlike(tampered(whole, altering(/bundle$/, swap)))
    await unlike(tampered(whole, altering(/files\/0$/, swap)))
    const swapUndeclared = textOf((text) => text.replace('console.log("replay', 'konsole.log("replay'))
    await unlike(tampered(whole, altering(/files\/0$/, swapUndeclared)))
    const isPacked = (content: Buffer) => content[0] === 0x1f
    await unlike(
      tampered(
        whole,
        altering(/bundle$/, (content) => (isPacked(content) ? gzipSync("other()") : content))
      )
    )
    const html = (name: string) => (name.endsWith("bundle") ? { contentType: "text/html" } : {})
    await unlike(tampered(whole, (before) => before, html))
    const without = (before: Entries) => before.filter(([name]) => !name.endsWith("bundle"))
    await unlike(tampered(whole, without), /objects\/hosted\/\S+bundle is missing/)
  })

  it.each([
    "../../../outside",
    "/outside",
    "hosted/../../../../outside",
    "hosted//outside",
    "uploads/1/bundle",
    "hosted/a\nb"
  ])("is refused with an object of the key %j", async (key) => {
    const { whole } = await archives()
    const smuggled = await tampered(whole, (before) => [...before, [`objects/${key}`, Buffer.from("smuggled")]])
    await refused(smuggled, {}, ["--unauthenticated"], /has a name that no object of Slipway can have/)
  })

  it("is refused with an entry twice", async () => {
    const { whole } = await archives()
    const twice = await tampered(whole, (before) => [...before, ...before.slice(-1)])
    await refused(twice, {}, ["--unauthenticated"], /is in it twice/)
  })

  it("grants no access as the export of an account", async () => {
    const { exported, whole } = await archives()
    const records = String(
      Buffer.concat(
        (await entriesOf(whole)).flatMap(([name, content]) => (name.startsWith("metadata/") ? [content] : []))
      )
    )
    const key = records.split("\n").find((line) => line.includes('"kind":"key"'))
    const withKey = altering(
      /^metadata/,
      textOf((text) => text.replace("\n", `\n${key}\n`))
    )
    assert.deepStrictEqual((await restored(exported, secret, "--account", "acme")).keys, [])
    const smuggled = await tampered(exported, withKey)
    for (const args of [[], ["--account", "acme"]]) {
      await refused(
        smuggled,
        {},
        ["--unauthenticated", ...args],
        /export of an account, and has a record of the kind key/
      )
    }
    const asBackup = await tampered(exported, (before) =>
      altering(
        /^slipway\.json$/,
        textOf((text) => text.replace(/,"account":"acme"/, ""))
      )(withKey(before))
    )
    const args = ["--unauthenticated", "--account", "acme"]
    await refused(asBackup, {}, args, /a backup of a whole deployment, and not the export of acme/)
    await refused(
      exported,
      secret,
      ["--account", "other"],
      /the export of the account acme, and not the export of other/
    )
  })
})
