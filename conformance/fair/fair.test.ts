/** What each host answers that the suite doesn't look at, with plain `fetch`, as the tables in README.md document it. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { fillObject, follow, isText, named } from "../dialect/Dialect.ts"
import { isList, type Json } from "../session/Exchange.ts"
import { enveloped } from "./enveloped.ts"
import { eventual } from "./eventual.ts"
import type { FairHost, Start } from "./FairHost.ts"
import { fairHosts } from "./hosts.ts"

/** An HTTP answer, read to its end. */
interface Said {
  readonly status: number
  /** The body as JSON; `null` when it isn't. */
  readonly json: Json
}

interface Slot {
  readonly putUrl: string
  readonly contentType: string
}

type Some = Readonly<Record<string, unknown>>

/** Two bundles. */
const [bundle, other] = ["globalThis.app = 1\n", "globalThis.app = 2\n"] as const

/** A commit hash for each number. */
const commit = (number: number): string => number.toString(16).padStart(40, "c")

/** The text under that name in an answer. */
const textIn = (json: Json, name: string): string =>
  named(json, [name], isText) ?? assert.fail(`${name} of ${JSON.stringify(json)}`)

const parse = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A client for a host, with plain `fetch`. It waits by moving the host's clock. */
const makeClient = ({ accounts, bindings, consistencyWindowMs, url }: FairHost, clock: Clock) => {
  const { bodies, key: presentation } = bindings
  const commonFields = { ...accounts.a.linked, branch: "main", commitSha: commit(1) }

  const send = async (url: string, init: RequestInit): Promise<Said> => {
    const response = await fetch(url, init)
    const text = await response.text()
    if (response.status !== 429) return { status: response.status, json: parse(text) }
    clock.advance(1000 * Number(response.headers.get("retry-after")))
    return send(url, init)
  }

  const presented = (key: string | undefined): Record<string, string> => {
    if (key === undefined) return {}
    const basic = Buffer.from(`${key}:`).toString("base64")
    return { [presentation.header]: presentation.value.replace("{key}", key).replace("{basic}", basic) }
  }

  const get = (key: string | undefined, path: string, query: Record<string, string> = {}) =>
    send(`${url}/api/v1/${path}?${new URLSearchParams(query)}`, { headers: presented(key) })

  const post = async (key: string, path: string, body: unknown) => {
    const headers = { ...presented(key), "content-type": "application/json" }
    const said = await send(`${url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    clock.advance(consistencyWindowMs)
    return said
  }

  const put = (slot: Slot, body: string, { method = "PUT", type = slot.contentType, url = slot.putUrl } = {}) =>
    send(url, { method, headers: { "content-type": type }, body })

  const valuesOf = (bundle: string) => ({
    ...commonFields,
    platform: "ios",
    contentHash: createHash("sha256").update(bundle).digest("hex"),
    bundleSizeBytes: bundle.length,
    bundleContentType: "text/javascript",
    bundleOrigin: "https://metro.example:8081",
    entry: "index.js",
    isTransformed: true,
    files: []
  })

  /** A reservation of one bundle, whose slot is the only one. */
  const reservation = (said: Said) => ({
    said,
    token: () => textIn(said.json, "token"),
    slot: (): Slot => ({ putUrl: textIn(said.json, "putUrl"), contentType: textIn(said.json, "contentType") })
  })

  const reserveBuild = async (key: string, bundle: string, fields: Some = {}) =>
    reservation(await post(key, "builds", { ...valuesOf(bundle), deviceSpec: { width: 390, height: 844 }, ...fields }))

  const reservePreview = async (key: string, bundle: string) => {
    const values = { ...valuesOf(bundle), width: 390, height: 844, pr: 12, recordings: [] }
    const reserved = reservation(await post(key, "previews", fillObject(bodies.previewReserve, values)))
    const shareId = () => textIn(reserved.said.json, "shareId")
    const finalize = (by: string) => {
      const body = fillObject(bodies.previewFinalize, { token: reserved.token(), shareId: shareId() })
      return post(by, "previews/finalize", body)
    }
    return { ...reserved, shareId, finalize }
  }

  const finalizeBuild = (key: string, token: string) => post(key, "builds", { operation: "finalize", token })

  const idIn = (json: Json) => follow(json, bindings.answers.buildId ?? "")

  /** A ready build: its id and the URL of its bundle. */
  const uploadBuild = async (key: string, bundle: string, fields: Some = {}) => {
    const reserved = await reserveBuild(key, bundle, fields)
    assert.isBelow((await put(reserved.slot(), bundle)).status, 300)
    const { json, status } = await finalizeBuild(key, reserved.token())
    assert.strictEqual(status, 201, JSON.stringify(json))
    return { id: idIn(json), previewUrl: textIn(json, "previewUrl") }
  }

  /** A hosted preview's share id. */
  const uploadPreview = async (key: string, bundle: string): Promise<string> => {
    const reserved = await reservePreview(key, bundle)
    assert.isBelow((await put(reserved.slot(), bundle)).status, 300)
    assert.isBelow((await reserved.finalize(key)).status, 300)
    return reserved.shareId()
  }

  const register = (key: string, previewShareId: string, fields: Some = {}) => {
    const reported = { kind: "maestro", name: "Checkout", status: "passed", stepCount: 3, durationMs: 1200 }
    return post(key, "test-runs", { ...reported, ...commonFields, previewShareId, ...fields })
  }

  const list = (key: string | undefined, query: Record<string, string> = {}) =>
    get(key, "test-runs", { org: accounts.a.linked.owner, repo: accounts.a.linked.repo, ...query })

  const itemsIn = (json: Json): ReadonlyArray<Json> => {
    const items = follow(json, bindings.answers.runs ?? "")
    return items !== undefined && isList(items) ? items : assert.fail(`no runs in ${JSON.stringify(json)}`)
  }

  return {
    finalizeBuild,
    get,
    idIn,
    itemsIn,
    list,
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
  readonly advance: (ms: number) => void
}

/** A new host with a clock that the test moves, and a client for it. */
const prepared = async (start: Start) => {
  let time = Date.now()
  const clock: Clock = { advance: (ms) => void (time += ms) }
  const host = await start({ now: () => time })
  onTestFinished(() => host.stop())
  return { host, clock, client: makeClient(host, clock), ...host.accounts }
}

const unknownId = "00000000-0000-4000-8000-000000000000"

/** What a host answers to each. */
const observe = async (start: Start) => {
  const { a, b, client, clock, host } = await prepared(start)
  const { all, builds } = a.keys
  const reserved = await client.reserveBuild(all, bundle)
  const preview = await client.reservePreview(all, bundle)
  const early = {
    "latest build of a branch whose only build is being uploaded": await client.get(all, "builds", {
      ...a.linked,
      branch: "main"
    }),
    "finalize a build with a missing object": await client.finalizeBuild(all, reserved.token()),
    "finalize a preview with a missing object": await preview.finalize(all),
    "read a preview that is being uploaded": await client.get(all, `previews/${preview.shareId()}`),
    "register a run of a preview that is being uploaded": await client.register(all, preview.shareId())
  }
  const slot = reserved.slot()
  const puts = {
    "POST to a PUT URL": await client.put(slot, bundle, { method: "POST" }),
    "PUT with an altered signature": await client.put(slot, bundle, { url: slot.putUrl.slice(0, -4) }),
    "PUT with another content type": await client.put(slot, bundle, { type: "text/x-other" }),
    "PUT with another length": await client.put(slot, bundle.slice(1)),
    PUT: await client.put(slot, bundle),
    "PUT a second time": await client.put(slot, bundle)
  }
  await client.put(preview.slot(), bundle)
  const foreignToken = await client.finalizeBuild(b.keys.all, reserved.token())
  await client.finalizeBuild(all, reserved.token())
  const finalizePreview = await preview.finalize(all)
  const shareId = preview.shareId()
  const register = await client.register(all, shareId, { status: "broken" })
  const listed = async (status: string): Promise<string> => {
    const said = await client.list(all, { status })
    return said.status === 200 ? `${client.itemsIn(said.json).length} listed` : String(said.status)
  }
  const late = await client.reserveBuild(all, bundle, { commitSha: commit(2) })
  const other = await client.reserveBuild(all, bundle, { commitSha: commit(3) })
  await client.put(other.slot(), bundle)

  const answers = {
    ...early,
    ...puts,
    "reserve a build": reserved.said,
    "reserve a preview": preview.said,
    "finalize a preview": finalizePreview,
    "register a run": register,
    "no key": await client.list(undefined),
    "a key without the scope": await client.list(builds),
    "finalize with another account's token": foreignToken,
    "finalize with an unknown token": await client.finalizeBuild(all, unknownId),
    "finalize a second time": await client.finalizeBuild(all, reserved.token()),
    "PUT after finalize": await client.put(slot, bundle),
    "read a build that was never made": await client.get(all, `builds/${unknownId}`),
    "read another account's preview": await client.get(b.keys.all, `previews/${shareId}`),
    "read a preview that was never made": await client.get(all, `previews/${unknownId}`),
    "latest build without a branch": await client.get(all, "builds", { ...a.linked }),
    "latest build of a branch that has none": await client.get(all, "builds", { ...a.linked, branch: "empty" }),
    "reserve for a repository that is not linked": (await client.reserveBuild(all, bundle, { ...a.unlinked })).said,
    "list the runs of a repository that is not linked": await client.list(all, { repo: a.unlinked.repo }),
    "register a run of a repository that is not linked": await client.register(all, shareId, { ...a.unlinked }),
    "reserve for another platform": (await client.reserveBuild(all, bundle, { platform: "windows" })).said,
    "a body that is not JSON": await client.send(`${host.url}/api/v1/builds`, {
      method: "POST",
      headers: client.presented(all),
      body: "{"
    }),
    "DELETE of the builds": await client.send(`${host.url}/api/v1/builds`, {
      method: "DELETE",
      headers: client.presented(all)
    }),
    "list with a limit that is no number": await client.list(all, { limit: "many" }),
    "reserve with a commit hash in upper case": (
      await client.reserveBuild(all, bundle, { commitSha: "ABCDEF1234".repeat(4) })
    ).said,
    "reserve with a field that is not in the interface": (await client.reserveBuild(all, bundle, { surprise: true }))
      .said,
    "reserve without `entry`": (await client.reserveBuild(all, bundle, { entry: undefined })).said
  }
  clock.advance(600_000)
  const afterwards = {
    "finalize with an expired token": await client.finalizeBuild(all, other.token()),
    "PUT to an expired URL": await client.put(late.slot(), bundle)
  }
  const status = ([name, said]: readonly [string, Said]) => [name, String(said.status)]
  const lists: Readonly<Record<string, string>> = {
    "list with `status=failed`, after a run with status `broken`": await listed("failed"),
    "list with `status=broken`, after the same run": await listed("broken"),
    "list with `status=unheard-of`": await listed("unheard-of")
  }
  return { ...Object.fromEntries(Object.entries({ ...answers, ...afterwards }).map(status)), ...lists }
}

/** The columns of the table, by the name of the host. */
const table = (): Readonly<Record<string, Readonly<Record<string, string>>>> => {
  const readme = readFileSync(join(import.meta.dirname, "README.md"), "utf8")
  const [, written = ""] = readme.split("## Responses of each host")
  const cells = written
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const [head = [], , ...rows] = cells
  const column = (index: number) => Object.fromEntries(rows.map((row) => [row[1], row[index]]))
  return Object.fromEntries(head.flatMap((name, index) => (index > 1 && name !== "" ? [[name, column(index)]] : [])))
}

describe("the responses of each host in the table of README.md", () => {
  for (const [name, start] of Object.entries(fairHosts)) {
    it(name, async () => {
      assert.deepStrictEqual(await observe(start), table()[name])
    })
  }

  it("is not the same in any two of them", () => {
    const columns = Object.values(table()).map((column) => JSON.stringify(column))
    assert.lengthOf(columns, Object.keys(fairHosts).length)
    assert.strictEqual(new Set(columns).size, columns.length)
  })
})

describe("enveloped", () => {
  it("refuses one request too many, and says when to retry", async () => {
    const { a, client, clock, host } = await prepared(enveloped)
    const url = `${host.url}/api/v1/builds/bld_none`
    const ask = async () => fetch(url, { headers: client.presented(a.keys.all) })
    const answers = await Promise.all(Array.from({ length: 101 }, ask))
    assert.lengthOf(
      answers.filter(({ status }) => status === 404),
      100
    )
    const [late] = answers.filter(({ status }) => status === 429)
    assert.strictEqual(late?.headers.get("retry-after"), "1")
    clock.advance(1000)
    assert.strictEqual((await ask()).status, 404)
  })

  it("has storage on another origin that refuses a key and an unknown length", async () => {
    const { a, client, host } = await prepared(enveloped)
    const slot = (await client.reserveBuild(a.keys.all, bundle)).slot()
    assert.notStrictEqual(new URL(slot.putUrl).origin, host.url)
    const put = (headers: Record<string, string>, body: BodyInit) => {
      const init = { method: "PUT", headers, body, duplex: "half" }
      return client.send(slot.putUrl, init)
    }
    const type = { "content-type": slot.contentType }
    assert.strictEqual((await put({ ...type, ...client.presented(a.keys.all) }, bundle)).status, 400)
    assert.strictEqual((await put(type, new Blob([bundle]).stream())).status, 411)
    assert.strictEqual((await put(type, bundle)).status, 200)
  })

  it("refuses what is wrong, missing or unknown in a reservation", async () => {
    const { a, client } = await prepared(enveloped)
    for (const fields of [
      { commitSha: "C".repeat(40) },
      { branch: "b".repeat(101) },
      { bundleOrigin: undefined },
      { bundleSizeBytes: "19" },
      { deviceSpec: { width: 390 } },
      { deviceSpec: { width: 390, height: 844, scale: 3 } },
      { files: {} },
      { files: [{ path: "a.png" }] },
      { colour: "red" }
    ]) {
      const { said } = await client.reserveBuild(a.keys.all, bundle, fields)
      assert.strictEqual(said.status, 422, JSON.stringify(fields))
    }
    assert.strictEqual((await client.reserveBuild(a.keys.all, bundle, { branch: "b".repeat(100) })).said.status, 202)
  })

  it("leaves an older commit where it was when it is uploaded again", async () => {
    const { a, client } = await prepared(enveloped)
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    const second = await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(2) })
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    const latest = await client.get(a.keys.all, "builds", { ...a.linked, branch: "main" })
    assert.strictEqual(client.idIn(latest.json), second.id)
  })

  it("takes the pull request of a run from its preview, and refuses a status that is no text", async () => {
    const { a, client } = await prepared(enveloped)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    assert.strictEqual((await client.register(a.keys.all, shareId, { status: 1 })).status, 422)
    await client.register(a.keys.all, shareId)
    assert.lengthOf(client.itemsIn((await client.list(a.keys.all, { pr: "12", source: "api" })).json), 1)
    assert.lengthOf(client.itemsIn((await client.list(a.keys.all, { pr: "13" })).json), 0)
  })

  it("refuses to finalize what isn't what its type says", async () => {
    const { a, client } = await prepared(enveloped)
    const noise = "0123abcd 0123abcd"
    const reserved = await client.reserveBuild(a.keys.all, noise)
    await client.put(reserved.slot(), noise)
    assert.strictEqual((await client.finalizeBuild(a.keys.all, reserved.token())).status, 422)
  })
})

describe("eventual", () => {
  it("reads from two replicas in turn, one of which lags 300 ms behind", async () => {
    const { a, client, clock, host } = await prepared(eventual)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    const { id } = await client.uploadBuild(a.keys.all, bundle)
    const fields = { kind: "detox", name: "Checkout", ...a.linked, previewShareId: shareId }
    const headers = { ...client.presented(a.keys.all), "content-type": "application/json" }
    // Without the client, because that waits until the window has passed.
    await client.send(`${host.url}/api/v1/test-runs`, { method: "POST", headers, body: JSON.stringify(fields) })
    const seen = async () => client.itemsIn((await client.list(a.keys.all)).json).length
    assert.sameMembers([await seen(), await seen()], [0, 1])
    clock.advance(299)
    assert.sameMembers([await seen(), await seen()], [0, 1])
    clock.advance(1)
    assert.deepStrictEqual([await seen(), await seen()], [1, 1])
    assert.strictEqual((await client.get(a.keys.all, `builds/${id}`)).status, 200)
  })

  it("compresses only for clients that accept gzip", async () => {
    const { a, client, host } = await prepared(eventual)
    const encoding = (accepted: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const headers = { ...client.presented(a.keys.all), ...accepted }
        const asked = request(`${host.url}/api/v1/builds/none`, { headers }, (response) => {
          response.resume()
          resolve(response.headers["content-encoding"])
        })
        asked.on("error", reject).end()
      })
    assert.strictEqual(await encoding({ "accept-encoding": "gzip, br" }), "gzip")
    assert.isUndefined(await encoding({}))
  })

  it("wants the same content type with every PUT, and has an origin each for API, storage and viewer", async () => {
    const { a, client, host } = await prepared(eventual)
    const slot = (await client.reserveBuild(a.keys.all, bundle)).slot()
    assert.strictEqual(slot.contentType, "application/octet-stream")
    const { previewUrl } = await client.uploadBuild(a.keys.all, bundle)
    const origins = [host.url, slot.putUrl, previewUrl].map((url) => new URL(url).origin)
    assert.strictEqual(new Set(origins).size, 3)
  })

  it("gives the same answer to the same token, however often", async () => {
    const { a, client, clock } = await prepared(eventual)
    const reserved = await client.reserveBuild(a.keys.all, bundle)
    await client.put(reserved.slot(), bundle)
    const first = await client.finalizeBuild(a.keys.all, reserved.token())
    clock.advance(3_600_000)
    assert.deepStrictEqual((await client.finalizeBuild(a.keys.all, reserved.token())).json, first.json)
  })

  it("shows the upload that is under way as the latest of its branch, and null where there is none", async () => {
    const { a, client } = await prepared(eventual)
    const latest = async (branch: string) => (await client.get(a.keys.all, "builds", { ...a.linked, branch })).json
    assert.deepStrictEqual(await latest("main"), { data: null })
    await client.uploadBuild(a.keys.all, bundle)
    await client.reserveBuild(a.keys.all, other, { commitSha: commit(2) })
    const json = await latest("main")
    assert.strictEqual(named(json, ["commitSha"], isText), commit(2))
    assert.isUndefined(named(json, ["previewUrl"], isText))
  })

  it("links to the next page of a list, which the suite doesn't follow", async () => {
    const { a, client } = await prepared(eventual)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    for (const name of ["first", "second", "third"]) await client.register(a.keys.all, shareId, { name })
    const page = await client.list(a.keys.all, { limit: "2" })
    const last = await client.send(textIn(page.json, "next"), { headers: client.presented(a.keys.all) })
    const labels = [page, last].map(({ json }) => client.itemsIn(json).map((run) => follow(run, "/attributes/label")))
    assert.deepStrictEqual(labels, [["third", "second"], ["first"]])
    assert.isNull(follow(last.json, "/links/next"))
  })

  it("filters runs by what was sent of source, pull request and status", async () => {
    const { a, client } = await prepared(eventual)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    await client.register(a.keys.all, shareId, { status: "Flaky", source: "ci", pr: 7 })
    const count = async (query: Record<string, string>) =>
      client.itemsIn((await client.list(a.keys.all, query)).json).length
    assert.strictEqual(await count({ status: "Flaky", source: "ci", pr: "7" }), 1)
    for (const query of [{ status: "failed" }, { source: "local" }, { pr: "8" }]) {
      assert.strictEqual(await count(query), 0, JSON.stringify(query))
    }
  })
})
