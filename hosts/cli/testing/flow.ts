/** The whole flow of the interface through the typed client, from the reservation in CI to reading the result. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { assert } from "vitest"
import { createClient, SlipwayError } from "../../client/index.ts"
import { newKey, runJson, secret, startHost } from "./deployment.ts"
import { temporaryFolder } from "./slipway.ts"

const encoder = new TextEncoder()
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Content that differs for each name. */
const content = (name: string) => {
  const bytes = encoder.encode(`/* ${name} */ console.log(${JSON.stringify(name)})\n`)
  return { bytes, sizeBytes: bytes.byteLength, contentHash: sha256(bytes), contentType: "text/javascript" }
}

const declared = ({ contentHash, contentType, sizeBytes }: ReturnType<typeof content>) => ({
  contentHash,
  contentType,
  sizeBytes
})

/** The uploads of a name: a bundle and this many files, each with different bytes. */
export const upload = (name: string, files: number) => {
  const bundle = content(`${name} bundle`)
  const assets = Array.from({ length: files }, (_, index) => ({
    path: `assets/${index}.js`,
    ...content(`${name} file ${index}`)
  }))
  return {
    bundle,
    assets,
    declaration: {
      contentHash: bundle.contentHash,
      bundleSizeBytes: bundle.sizeBytes,
      bundleContentType: bundle.contentType,
      files: assets.map(({ path, ...asset }) => ({ path, ...declared(asset) }))
    }
  }
}
export type Upload = ReturnType<typeof upload>

export type Client = ReturnType<typeof createClient>

interface Slots {
  readonly bundle: Parameters<Client["put"]>[0]
  readonly files: ReadonlyArray<Parameters<Client["put"]>[0]>
}

/** PUTs a bundle and its files to the slots of their reservation. */
export const putAll = async (client: Client, slots: Slots, { assets, bundle }: Upload): Promise<void> => {
  await client.put(slots.bundle, bundle.bytes)
  await Promise.all(slots.files.map((slot, index) => client.put(slot, assets[index]?.bytes ?? new Uint8Array())))
}

/** Opens a URL of the pages with a key, follows it, and returns the bytes. */
const open = async (url: string, key: string): Promise<Uint8Array> => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  assert.strictEqual(response.status, 200, url)
  return new Uint8Array(await response.arrayBuffer())
}

/** Whether a preview hosts exactly what was uploaded. */
export const previewHosts = async (
  metadata: Awaited<ReturnType<Client["previews"]["read"]>>,
  { assets, bundle }: Upload,
  key: string
): Promise<void> => {
  assert.strictEqual(metadata.status, "ready")
  const all = [
    { object: metadata.bundle, ...bundle },
    ...assets.map((asset, index) => ({ object: metadata.files[index], ...asset }))
  ]
  for (const { bytes, object } of all) {
    assert.deepStrictEqual(await open(object?.url ?? "", key), bytes)
  }
}

/** Signs in to the pages with a key, as a browser does; returns the cookie. */
const signIn = async (base: string, key: string): Promise<string> => {
  const body = new URLSearchParams({ key, to: "/" })
  const answer = await fetch(`${base}/sign-in`, { method: "POST", body, redirect: "manual" })
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
}

/**
 * Whether a build hosts exactly what was uploaded. Opens its replay with a session and reads its files from the frame.
 */
export const buildHosts = async (
  row: Awaited<ReturnType<Client["builds"]["read"]>>,
  { assets, bundle }: Upload,
  key: string
): Promise<void> => {
  assert.strictEqual(row.status, "ready")
  const { origin } = new URL(row.url)
  const page = await fetch(row.previewUrl ?? "", { headers: { cookie: await signIn(origin, key) } })
  const frame = /<iframe[^>]*\ssrc="([^"]+)"/.exec(await page.text())?.[1] ?? assert.fail("the replay has a frame")
  for (const { bytes, path } of [{ path: "index.js", ...bundle }, ...assets]) {
    const response = await fetch(new URL(frame + path, origin))
    assert.deepStrictEqual(new Uint8Array(await response.arrayBuffer()), bytes)
  }
}

export const repository = { owner: "acme", repo: "app" }

/** The identity of a build; each number stands for a different commit. */
export const identity = (commit: number) => ({
  ...repository,
  branch: "main",
  platform: "ios" as const,
  commitSha: commit.toString(16).padStart(40, "0")
})

/** Runs the whole flow, and checks every answer and everything that is hosted. */
export const wholeFlow = async (url: string, key: string): Promise<void> => {
  const client = createClient({ url, key })
  const app = upload("app", 3)
  const order = { ...identity(1), ...app.declaration }
  const once = { idempotencyKey: crypto.randomUUID() }
  const build = await client.builds.reserve(order, once)
  assert.deepStrictEqual(await client.builds.reserve(order, once), build)
  await putAll(client, build.slots, app)
  const ready = await client.builds.finalize(build.token)
  assert.deepStrictEqual(await client.builds.finalize(build.token), ready)
  assert.deepStrictEqual(await client.builds.latest({ ...repository, branch: "main" }), ready)
  assert.deepStrictEqual(await client.builds.read(ready.id), ready)
  await buildHosts(ready, app, key)

  const [replay, shot] = [upload("replay", 2), content("screenshot")]
  const preview = await client.previews.reserve({
    ...replay.declaration,
    ...repository,
    branch: "main",
    billingKind: "test_run",
    recordings: [{ name: "Home", kind: "screenshot", ...declared(shot) }]
  })
  await putAll(client, preview.slots, replay)
  const [slot] = preview.slots.recordings
  await client.put(slot ?? assert.fail("a recording has a slot"), shot.bytes)
  const hosted = await client.previews.finalize(preview.token)
  assert.deepStrictEqual(await client.previews.read(preview.shareId), hosted)
  await previewHosts(hosted, replay, key)
  assert.deepStrictEqual(await open(hosted.recordings[0]?.url ?? "", key), shot.bytes)

  const run = { ...repository, kind: "maestro", name: "Checkout", previewShareId: preview.shareId } as const
  const passed = await client.testRuns.register({ ...run, status: "passed" })
  const failed = await client.testRuns.register(run)
  const { testRuns } = await client.testRuns.list({ org: "acme", repo: "app" })
  assert.deepStrictEqual(testRuns, [failed, passed])
}

// A deployment with content, to be moved and checked afterwards.

/** Uploads a complete build of a commit. */
export const uploadBuild = async (client: Client, commit: number, files = 2) => {
  const app = upload(`app ${commit}`, files)
  const { slots, token } = await client.builds.reserve({ ...identity(commit), ...app.declaration })
  await putAll(client, slots, app)
  return { app, row: await client.builds.finalize(token) }
}

/** Hosts a preview of an upload. */
export const uploadPreview = async (client: Client, app: Upload, fields: object = {}) => {
  const { slots, token } = await client.previews.reserve({ ...app.declaration, ...fields })
  await putAll(client, slots, app)
  return client.previews.finalize(token)
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

type Acknowledged = Awaited<ReturnType<typeof uploadBuild>>

/** Uploads one build after the other, whatever is answered, until it is stopped. */
export const startUploads = (client: Client) => {
  const acknowledged = new Array<Acknowledged>()
  const ended = new AbortController()
  let commit = 1000
  let next = Promise.withResolvers<void>()
  const upload = async () => {
    while (!ended.signal.aborted) {
      try {
        acknowledged.push(await uploadBuild(client, ++commit, 1))
        next.resolve()
        next = Promise.withResolvers()
      } catch (error) {
        // The service refused or did not answer, so the upload is not acknowledged.
        if (!(error instanceof SlipwayError)) throw error
      }
    }
  }
  const uploading = upload()
  return {
    /** Waits for so many more acknowledged uploads, and returns all until then. */
    more: async (count: number): Promise<ReadonlyArray<Acknowledged>> => {
      const enough = acknowledged.length + count
      while (acknowledged.length < enough) await Promise.race([next.promise, uploading])
      return [...acknowledged]
    },
    /** Stops, and returns every acknowledged upload. */
    stop: async (): Promise<ReadonlyArray<Acknowledged>> => {
      ended.abort()
      await uploading
      return acknowledged
    }
  }
}

/** Checks that a deployment has these uploads, and each of their bytes. */
export const assertUploads = async (
  client: Client,
  key: string,
  uploads: ReadonlyArray<Acknowledged>
): Promise<void> => {
  for (const { app, row } of uploads) {
    assert.deepStrictEqual(await client.builds.read(row.id), row)
    await buildHosts(row, app, key)
  }
}
