/**
 * Every host does what the interface states, on plain fetch, what the suite doesn't look at. `fairHosts.matrix.test.ts` runs the suite. The
 * hosts differ only where the interface leaves the behavior open, as the table in README.md documents.
 */
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { enveloped } from "./enveloped.ts"
import { eventual } from "./eventual.ts"
import { follow, type Start } from "./FairHost.ts"
import { fairHosts } from "./hosts.ts"
import { commit, content, prepared, textAt, type Said } from "./testing.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")
const other = content("index.js", "text/javascript", "globalThis.app = 2\n")
const logo = content("assets/logo.svg", "image/svg+xml", "<svg></svg>")
const screen = content("screen.mp4", "video/mp4", "not really a film")

const refused = (said: Said) => {
  assert.isAtLeast(said.status, 400, said.bytes.toString())
  assert.isBelow(said.status, 500, said.bytes.toString())
}

for (const [name, start] of Object.entries(fairHosts)) {
  describe(name, () => {
    it("§1, §3, §4.1–4.3 a finalized build is hosted, and another upload of it hosts the new bundle", async () => {
      const { a, client, host } = await prepared(start)
      const first = await client.uploadBuild(a.keys.builds, bundle)
      assert.strictEqual(new URL(textAt(first.row, ["previewUrl"])).origin, new URL(host.viewerUrl).origin)
      assert.strictEqual(await client.hostedBundle("build", first.row, a.keys.builds), bundle.bytes.toString())
      const again = await client.uploadBuild(a.keys.builds, other)
      assert.strictEqual(again.id, first.id)
      assert.strictEqual(await client.hostedBundle("build", again.row, a.keys.builds), other.bytes.toString())
    })

    it("§2.4 previewUrl is there once the build is ready, and what is ready stays so during another upload", async () => {
      const { a, client, host } = await prepared(start)
      const { row } = host.facts.answers.build
      const ready = await client.uploadBuild(a.keys.builds, bundle)
      await client.reserveBuild(a.keys.builds, other)
      const read = await client.get(a.keys.builds, `builds/${ready.id}`)
      assert.strictEqual(textAt(follow(read.json, row), ["previewUrl"]), textAt(ready.row, ["previewUrl"]))
      assert.strictEqual(await client.hostedBundle("build", ready.row, a.keys.builds), bundle.bytes.toString())
    })

    it("§2.6, §4.6–4.8 a preview is hosted after all of its objects arrived", async () => {
      const { a, client, host } = await prepared(start)
      const reserved = await client.reservePreview(a.keys.previewUpload, bundle, [logo], [screen])
      for (const [slot, { bytes }] of [
        [reserved.slot(), bundle],
        [reserved.fileSlot(logo), logo],
        [reserved.recordingSlot(screen), screen]
      ] as const) {
        refused(await reserved.finalize(a.keys.previewUpload))
        assert.isBelow((await client.put(slot, bytes)).status, 300)
      }
      const finalized = await reserved.finalize(a.keys.previewUpload)
      const url = textAt(finalized.json, host.facts.answers.finalizePreview.url)
      assert.strictEqual(new URL(url).origin, new URL(host.viewerUrl).origin)
      const hosted = await client.hostedBundle("preview", { url }, a.keys.previewUpload)
      assert.strictEqual(hosted, bundle.bytes.toString())
    })

    it("§4.10 a list of several pages has every run once, newest first", async () => {
      const { a, client, host } = await prepared(start)
      const { name, next } = host.facts.answers.runs
      if (next === undefined) return
      const shareId = await client.uploadPreview(a.keys.all, bundle)
      const names = Array.from({ length: 5 }, (_, index) => `run ${index}`)
      for (const name of names) await client.register(a.keys.all, shareId, { name })
      const paged: Array<unknown> = []
      let page = await client.list(a.keys.all, { limit: "2" })
      for (let pages = 1; pages <= 3; pages++) {
        paged.push(...client.itemsIn(page.json).map((item) => follow(item, name)))
        const onward = follow(page.json, "link" in next ? next.link : next.cursor)
        if (pages === 3) assert.notTypeOf(onward, "string")
        else if ("link" in next) page = await client.send(String(onward), { headers: client.presented(a.keys.all) })
        else page = await client.list(a.keys.all, { limit: "2", [next.parameter]: String(onward) })
      }
      assert.deepStrictEqual(paged, names.toReversed())
    })

    it("§4.3, §4.7 no PUT after finalize changes what is hosted", async () => {
      const { a, client, host } = await prepared(start)
      const build = await client.reserveBuild(a.keys.all, bundle)
      await client.put(build.slot(), bundle.bytes)
      const { json } = await client.finalizeBuild(a.keys.all, build.token())
      const preview = await client.reservePreview(a.keys.all, bundle)
      await client.put(preview.slot(), bundle.bytes)
      const finalized = await preview.finalize(a.keys.all)
      const url = textAt(finalized.json, host.facts.answers.finalizePreview.url)
      const again = [await client.put(build.slot(), other.bytes), await client.put(preview.slot(), other.bytes)]
      for (const { status } of again) assert.isBelow(status, 500)
      const row = follow(json, host.facts.answers.build.row)
      assert.strictEqual(await client.hostedBundle("build", row, a.keys.all), bundle.bytes.toString())
      assert.strictEqual(await client.hostedBundle("preview", { url }, a.keys.all), bundle.bytes.toString())
    })

    it("§2.5, §8 the token and the PUT URL are short-lived", async () => {
      const { a, client, clock } = await prepared(start, { lives: { tokenMs: 5000 } })
      const build = await client.reserveBuild(a.keys.all, bundle)
      const preview = await client.reservePreview(a.keys.all, bundle)
      await client.put(build.slot(), bundle.bytes)
      await client.put(preview.slot(), bundle.bytes)
      clock.advance(5000)
      refused(await client.finalizeBuild(a.keys.all, build.token()))
      refused(await preview.finalize(a.keys.all))
      clock.advance(600_000)
      refused(await client.put(preview.slot(), bundle.bytes))
    })
  })
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
    "POST to a PUT URL": await client.put(slot, bundle.bytes, { method: "POST" }),
    "PUT with an altered signature": await client.put(slot, bundle.bytes, { url: slot.putUrl.slice(0, -4) }),
    "PUT with another content type": await client.put(slot, bundle.bytes, { type: "text/x-other" }),
    "PUT with another length": await client.put(slot, bundle.bytes.subarray(1)),
    PUT: await client.put(slot, bundle.bytes),
    "PUT a second time": await client.put(slot, bundle.bytes)
  }
  await client.put(preview.slot(), bundle.bytes)
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
  await client.put(other.slot(), bundle.bytes)

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
    "PUT after finalize": await client.put(slot, bundle.bytes),
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
    "PUT to an expired URL": await client.put(late.slot(), bundle.bytes)
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
    const bytes = new Uint8Array(bundle.bytes)
    assert.strictEqual((await put({ ...type, ...client.presented(a.keys.all) }, bytes)).status, 400)
    assert.strictEqual((await put(type, new Blob([bytes]).stream())).status, 411)
    assert.strictEqual((await put(type, bytes)).status, 200)
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

  it("shows a sign-in page to a visitor without a key", async () => {
    const { a, b, client } = await prepared(enveloped)
    const { url } = await client.uploadBuild(a.keys.all, bundle)
    assert.include((await client.send(url, {})).bytes.toString(), "Sign in")
    assert.strictEqual((await client.send(url, { headers: client.presented(b.keys.all) })).status, 404)
    assert.include((await client.send(url, { headers: client.presented(a.keys.all) })).bytes.toString(), "builds bld_")
  })

  it("refuses to finalize what isn't what its type says", async () => {
    const { a, client } = await prepared(enveloped)
    const noise = content("index.js", "text/javascript", "0123abcd 0123abcd")
    const reserved = await client.reserveBuild(a.keys.all, noise)
    await client.put(reserved.slot(), noise.bytes)
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

  it("has an origin each for API, storage and viewer", async () => {
    const { a, client, host } = await prepared(eventual)
    const { row } = await client.uploadBuild(a.keys.all, bundle)
    const { putUrl } = (await client.reserveBuild(a.keys.all, bundle)).slot()
    const origins = [host.url, putUrl, String(follow(row, ["previewUrl"]))].map((url) => new URL(url).origin)
    assert.strictEqual(new Set(origins).size, 3)
    assert.strictEqual(origins[2], host.viewerUrl)
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

  it("wants the same content type with every PUT, and hosts what was declared", async () => {
    const { a, client } = await prepared(eventual)
    const reserved = await client.reserveBuild(a.keys.all, bundle)
    assert.strictEqual(reserved.slot().contentType, "application/octet-stream")
    assert.strictEqual((await client.put(reserved.slot(), bundle.bytes, { type: bundle.type })).status, 400)
    const { row } = await client.uploadBuild(a.keys.all, bundle)
    const opened = await client.send(String(follow(row, ["previewUrl"])), { headers: client.presented(a.keys.all) })
    assert.strictEqual(opened.headers.get("content-type"), bundle.type)
  })

  it("gives the same answer to the same token, however often", async () => {
    const { a, client, clock } = await prepared(eventual)
    const reserved = await client.reserveBuild(a.keys.all, bundle)
    await client.put(reserved.slot(), bundle.bytes)
    const first = await client.finalizeBuild(a.keys.all, reserved.token())
    clock.advance(3_600_000)
    assert.deepStrictEqual((await client.finalizeBuild(a.keys.all, reserved.token())).json, first.json)
  })

  it("shows the upload that is under way as the latest of its branch, and null where there is none", async () => {
    const { a, client } = await prepared(eventual)
    const latest = async (branch: string) => (await client.get(a.keys.all, "builds", { ...a.linked, branch })).json
    assert.isNull(follow(await latest("main"), ["data"]))
    await client.uploadBuild(a.keys.all, bundle)
    await client.reserveBuild(a.keys.all, other, { commitSha: commit(2) })
    const row = follow(await latest("main"), ["data", "attributes"])
    assert.strictEqual(follow(row, ["commitSha"]), commit(2))
    assert.isUndefined(follow(row, ["previewUrl"]))
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

  it("opens pages for the account's key alone, presented as a browser would", async () => {
    const { a, b, client } = await prepared(eventual)
    const { url } = await client.uploadBuild(a.keys.all, bundle)
    const asked = await client.send(url, {})
    assert.strictEqual(asked.status, 401)
    assert.include(asked.headers.get("www-authenticate"), "Basic")
    assert.strictEqual((await client.send(url, { headers: client.presented(b.keys.all) })).status, 404)
    assert.strictEqual((await client.send(url, { headers: client.presented(a.keys.all) })).status, 200)
  })
})

describe("follow", () => {
  const answer = { slots: { "a/b.png": ["slot"] }, list: [{ of: { role: "x" } }, { of: { role: "y" }, found: true }] }

  it("goes by key, index and what an item's members say", () => {
    assert.strictEqual(follow(answer, ["slots", "{path}", 0], { path: "a/b.png" }), "slot")
    assert.strictEqual(follow(answer, ["list", { where: { "of.role": "{role}" } }, "found"], { role: "y" }), true)
    assert.strictEqual(follow(answer, []), answer)
  })

  it("finds nothing where nothing lies", () => {
    assert.isUndefined(follow(answer, ["slots", "none", 0]))
    assert.isUndefined(follow(answer, ["list", { where: { "of.role": "z" } }, "found"]))
    assert.isUndefined(follow("text", ["list", 1]))
  })
})
