import { createHash } from "node:crypto"
import { assert, onTestFinished } from "vitest"
import { fillObject } from "../dialect/template.ts"
import { fillText, follow, type FairHost, type FairOptions, type Path, type Start } from "./FairHost.ts"

/** An HTTP answer, read to its end. */
export interface Said {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** The body as JSON; `undefined` when it isn't. */
  readonly json: unknown
}

interface Slot {
  readonly putUrl: string
  readonly contentType: string
}

/** Something to upload. */
interface Content {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

export const content = (name: string, type: string, text: string): Content => ({ name, type, bytes: Buffer.from(text) })

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex")

/** A commit hash for each number. */
export const commit = (number: number): string => number.toString(16).padStart(40, "c")

export const textAt = (json: unknown, path: Path, values?: unknown): string => {
  const found = follow(json, path, values)
  assert.isString(found, `${JSON.stringify(path)} of ${JSON.stringify(json)}`)
  return String(found)
}

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const fileValues = ({ bytes, name, type }: Content) => ({
  path: name,
  name,
  sizeBytes: bytes.length,
  contentType: type,
  contentHash: hashOf(bytes)
})

/** A client that follows the facts of a host, with plain `fetch`. It waits by moving the host's clock. */
const makeClient = (host: FairHost, clock: Clock) => {
  const { answers, bodies, hosted, key: presentation } = host.facts

  const send = async (url: string, init: RequestInit): Promise<Said> => {
    const response = await fetch(url, init)
    if (response.status === 429) {
      await response.arrayBuffer()
      clock.advance(1000 * Number(response.headers.get("retry-after")))
      return send(url, init)
    }
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, json: parse(bytes) }
  }

  const presented = (key: string | undefined): Record<string, string> =>
    key === undefined
      ? {}
      : {
          [presentation.header]: presentation.value
            .replace("{key}", key)
            .replace("{basic}", Buffer.from(`${key}:`).toString("base64"))
        }

  const get = (key: string | undefined, path: string, query: Record<string, string> = {}) =>
    send(`${host.url}/api/v1/${path}?${new URLSearchParams(query)}`, { headers: presented(key) })

  const post = async (key: string | undefined, path: string, body: unknown) => {
    const headers = { ...presented(key), "content-type": "application/json" }
    const said = await send(`${host.url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    clock.advance(host.facts.consistencyWindowMs)
    return said
  }

  const slotAt = (json: unknown, path: Path, of?: Content): Slot => {
    const slot = follow(json, path, { path: of?.name, name: of?.name })
    const [putUrl, contentType] = [textAt(slot, ["putUrl"]), textAt(slot, ["contentType"])]
    assert.isTrue(URL.canParse(putUrl), putUrl)
    return { putUrl, contentType }
  }

  const put = (slot: Slot, bytes: Buffer, { method = "PUT", type = slot.contentType, url = slot.putUrl } = {}) =>
    send(url, {
      method,
      headers: { "content-type": type },
      ...(method === "GET" ? {} : { body: new Uint8Array(bytes) })
    })

  const reserveBuild = async (
    key: string | undefined,
    bundle: Content,
    fields: Readonly<Record<string, unknown>> = {},
    files: ReadonlyArray<Content> = []
  ) => {
    const said = await post(key, "builds", {
      ...host.accounts.a.linked,
      branch: "main",
      platform: "ios",
      commitSha: commit(1),
      contentHash: hashOf(bundle.bytes),
      bundleSizeBytes: bundle.bytes.length,
      bundleContentType: bundle.type,
      bundleOrigin: "https://metro.example:8081",
      entry: "index.js",
      isTransformed: true,
      deviceSpec: { width: 390, height: 844 },
      files: files.map((file) => fillObject(bodies.file, fileValues(file))),
      ...fields
    })
    return {
      said,
      token: () => textAt(said.json, answers.reserveBuild.token),
      url: () => textAt(said.json, answers.reserveBuild.url),
      slot: (file?: Content) =>
        slotAt(said.json, file === undefined ? answers.reserveBuild.bundle : answers.reserveBuild.file, file)
    }
  }

  const reservePreview = async (
    key: string | undefined,
    bundle: Content,
    files: ReadonlyArray<Content> = [],
    recordings: ReadonlyArray<Content> = []
  ) => {
    const { contentHash, contentType, sizeBytes } = fileValues(bundle)
    const values = {
      contentHash,
      bundleSizeBytes: sizeBytes,
      bundleContentType: contentType,
      bundleOrigin: "https://metro.example",
      entry: "index.js",
      isTransformed: true,
      width: 390,
      height: 844,
      platform: "ios",
      ...host.accounts.a.linked,
      branch: "main",
      commitSha: commit(1),
      pr: 12,
      files: files.map((file) => fillObject(bodies.previewFile ?? bodies.file, fileValues(file))),
      recordings: recordings.map((recording) => fillObject(bodies.recording, fileValues(recording)))
    }
    const said = await post(key, "previews", fillObject(bodies.previewReserve, values))
    const { reservePreview: at } = answers
    return {
      said,
      shareId: () => textAt(said.json, at.shareId),
      slot: () => slotAt(said.json, at.bundle),
      fileSlot: (file: Content) => slotAt(said.json, at.file, file),
      recordingSlot: (recording: Content) => slotAt(said.json, at.recording, recording),
      finalize: (by: string | undefined) =>
        post(
          by,
          "previews/finalize",
          fillObject(bodies.previewFinalize, {
            token: textAt(said.json, at.token),
            shareId: textAt(said.json, at.shareId)
          })
        )
    }
  }

  const finalizeBuild = (key: string | undefined, token: string) =>
    post(key, "builds", { operation: "finalize", token })

  /** A ready build: its row and id. */
  const uploadBuild = async (key: string, bundle: Content, fields: Readonly<Record<string, unknown>> = {}) => {
    const reserved = await reserveBuild(key, bundle, fields)
    assert.isBelow((await put(reserved.slot(), bundle.bytes)).status, 300)
    const said = await finalizeBuild(key, reserved.token())
    assert.strictEqual(said.status, 201, said.bytes.toString())
    return { row: follow(said.json, answers.build.row), id: idIn(said.json), url: reserved.url() }
  }

  const idIn = (json: unknown): string => {
    const { path, pattern = "(.*)" } = answers.build.id
    return new RegExp(pattern).exec(textAt(json, path))?.[1] ?? ""
  }

  /** A hosted preview's share id. */
  const uploadPreview = async (key: string, bundle: Content): Promise<string> => {
    const reserved = await reservePreview(key, bundle)
    assert.isBelow((await put(reserved.slot(), bundle.bytes)).status, 300)
    const said = await reserved.finalize(key)
    assert.isBelow(said.status, 300, said.bytes.toString())
    return reserved.shareId()
  }

  const register = (key: string | undefined, previewShareId: string, fields: Readonly<Record<string, unknown>> = {}) =>
    post(key, "test-runs", {
      kind: "maestro",
      name: "Checkout",
      status: "passed",
      ...host.accounts.a.linked,
      branch: "main",
      commitSha: commit(1),
      previewShareId,
      stepCount: 3,
      durationMs: 1200,
      ...fields
    })

  const list = (key: string | undefined, query: Record<string, string> = {}) =>
    get(key, "test-runs", { org: host.accounts.a.linked.owner, repo: host.accounts.a.linked.repo, ...query })

  const itemsIn = (json: unknown): ReadonlyArray<unknown> => {
    const items = follow(json, answers.runs.items)
    assert.isArray(items)
    return Array.isArray(items) ? items : []
  }

  /** The bytes of the hosted bundle of a build's row or of a preview's metadata. */
  const hostedBundle = async (of: "build" | "preview", urls: unknown, key: string): Promise<string> => {
    const said = await send(fillText(hosted[of].url, urls), {
      headers: presented(hosted[of].withKey ? key : undefined)
    })
    assert.strictEqual(said.status, 200, said.bytes.toString())
    return said.bytes.toString()
  }

  return {
    finalizeBuild,
    get,
    hostedBundle,
    idIn,
    itemsIn,
    list,
    post,
    presented,
    put,
    register,
    reserveBuild,
    reservePreview,
    send,
    uploadBuild,
    uploadPreview
  }
}

/** A clock that stands still until a test moves it. */
interface Clock {
  readonly now: () => number
  readonly advance: (ms: number) => void
}

const makeClock = (): Clock => {
  let time = Date.now()
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    }
  }
}

/** A new host with a clock that the test moves, and a client for it. */
export const prepared = async (start: Start, options: FairOptions = {}) => {
  const clock = makeClock()
  const host = await start({ now: clock.now, ...options })
  onTestFinished(() => host.stop())
  return { host, clock, client: makeClient(host, clock), ...host.accounts }
}
