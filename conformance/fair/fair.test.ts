/** Every host does what the interface states. They differ only where the interface leaves the behaviour open. */
import { assert, describe, it } from "vitest"
import { follow } from "./parts/follow.ts"
import { fairHosts } from "./hosts.ts"
import { commit, content, textAt, type Said } from "./testing/client.ts"
import { prepared } from "./testing/prepared.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")
const other = content("index.js", "text/javascript", "globalThis.app = 2\n")
const logo = content("assets/logo.svg", "image/svg+xml", "<svg></svg>")
const screen = content("screen.mp4", "video/mp4", "not really a film")

const refused = (said: Said) => {
  assert.isAtLeast(said.status, 400, said.bytes.toString())
  assert.isBelow(said.status, 500, said.bytes.toString())
}

const accepted = (said: Said) => assert.include([200, 201, 202], said.status, said.bytes.toString())

for (const [name, start] of Object.entries(fairHosts)) {
  describe(name, () => {
    it("§1, §4.1–4.3 a build is reserved, uploaded, finalized and hosted", async () => {
      const { a, client, host } = await prepared(start)
      const { build } = host.facts.answers
      const reserved = await client.reserveBuild(a.keys.builds, bundle, {}, [logo])
      accepted(reserved.said)
      assert.isBelow((await client.put(reserved.slot(), bundle.bytes)).status, 300)
      assert.isBelow((await client.put(reserved.slot(logo), logo.bytes)).status, 300)
      const finalized = await client.finalizeBuild(a.keys.builds, reserved.token())
      assert.strictEqual(finalized.status, 201)
      const row = follow(finalized.json, build.row)
      assert.strictEqual(textAt(row, ["url"]), reserved.url())
      assert.strictEqual(new URL(textAt(row, ["previewUrl"])).origin, new URL(host.viewerUrl).origin)
      assert.isDefined(follow(finalized.json, build.status))
      assert.strictEqual(await client.hostedBundle("build", row, a.keys.builds), bundle.bytes.toString())

      const byId = await client.get(a.keys.builds, `builds/${client.idIn(finalized.json)}`)
      const latest = await client.get(a.keys.builds, "builds", { ...a.linked, branch: "main" })
      for (const read of [byId, latest]) {
        assert.strictEqual(read.status, 200)
        assert.deepStrictEqual(follow(read.json, build.row), row)
        assert.strictEqual(client.idIn(read.json), client.idIn(finalized.json))
      }
    })

    it("§3 the same repository, branch, platform and commit is the same build, with the new bundle", async () => {
      const { a, client } = await prepared(start)
      const first = await client.uploadBuild(a.keys.all, bundle)
      const again = await client.uploadBuild(a.keys.all, other)
      assert.strictEqual(again.id, first.id)
      assert.strictEqual(again.url, first.url)
      assert.strictEqual(await client.hostedBundle("build", again.row, a.keys.all), other.bytes.toString())
      for (const fields of [{ branch: "next" }, { platform: "android" }, { commitSha: commit(2) }]) {
        assert.notStrictEqual((await client.uploadBuild(a.keys.all, bundle, fields)).id, first.id)
      }
    })

    it("§4.4 the latest build is that of the last commit on the branch and platform, which is ios by default", async () => {
      const { a, client } = await prepared(start)
      const latest = async (query: Record<string, string>) =>
        client.idIn((await client.get(a.keys.builds, "builds", { ...a.linked, ...query })).json)
      const upload = async (number: number, fields: Record<string, unknown>) =>
        (await client.uploadBuild(a.keys.builds, bundle, { commitSha: commit(number), ...fields })).id
      await upload(1, {})
      const ios = await upload(2, {})
      const android = await upload(3, { platform: "android" })
      const next = await upload(4, { branch: "next" })
      assert.strictEqual(await latest({ branch: "main" }), ios)
      assert.strictEqual(await latest({ branch: "main", platform: "ios" }), ios)
      assert.strictEqual(await latest({ branch: "main", platform: "android" }), android)
      assert.strictEqual(await latest({ branch: "next" }), next)
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

    it("§4.4, §4.5, §7 a repository that is not the account's is 404 not_found, by branch and by id", async () => {
      const { a, b, client } = await prepared(start)
      const { id } = await client.uploadBuild(a.keys.builds, bundle)
      for (const said of [
        await client.get(b.keys.builds, `builds/${id}`),
        await client.get(b.keys.builds, "builds", { ...a.linked, branch: "main" }),
        await client.get(a.keys.builds, "builds", { ...a.unlinked, branch: "main" })
      ]) {
        assert.strictEqual(said.status, 404)
        assert.strictEqual(client.codeIn(said), "not_found")
      }
    })

    it("§1, §4.1 nothing is reserved or listed for a repository that isn't linked", async () => {
      const { a, b, client } = await prepared(start)
      const shareId = await client.uploadPreview(a.keys.all, bundle)
      for (const { owner, repo } of [a.unlinked, b.linked]) {
        refused((await client.reserveBuild(a.keys.all, bundle, { owner, repo })).said)
        refused(await client.list(a.keys.all, { org: owner, repo }))
        refused(await client.register(a.keys.all, shareId, { owner, repo }))
      }
      assert.deepStrictEqual(client.itemsIn((await client.list(a.keys.all)).json), [])
    })

    it("§5 every request wants a key with the scope of its group", async () => {
      const { a, client } = await prepared(start)
      const { all, builds, previewUpload, testRuns } = a.keys
      const { id } = await client.uploadBuild(all, bundle)
      const shareId = await client.uploadPreview(all, bundle)
      const build = await client.reserveBuild(all, bundle)
      const preview = await client.reservePreview(all, bundle)
      await client.put(build.slot(), bundle.bytes)
      await client.put(preview.slot(), bundle.bytes)
      for (const key of [undefined, "nobody", `${all}x`, previewUpload, testRuns]) {
        refused((await client.reserveBuild(key, bundle)).said)
        refused(await client.finalizeBuild(key, build.token()))
        refused(await client.get(key, `builds/${id}`))
        refused(await client.get(key, "builds", { ...a.linked, branch: "main" }))
      }
      for (const key of [undefined, "nobody", builds, testRuns]) {
        refused((await client.reservePreview(key, bundle)).said)
        refused(await preview.finalize(key))
        refused(await client.get(key, `previews/${shareId}`))
      }
      for (const key of [undefined, "nobody", builds, previewUpload, a.keys.withoutTestRuns]) {
        refused(await client.register(key, shareId))
        refused(await client.list(key))
      }
      assert.strictEqual((await client.finalizeBuild(builds, build.token())).status, 201)
      accepted(await preview.finalize(previewUpload))
      accepted(await client.get(previewUpload, `previews/${shareId}`))
      accepted(await client.register(testRuns, shareId))
      assert.lengthOf(client.itemsIn((await client.list(testRuns)).json), 1)
    })

    it("§2.6, §5 a preview that is billed as a test run wants both scopes", async () => {
      const { a, client } = await prepared(start)
      refused((await client.reservePreview(a.keys.withoutTestRuns, bundle, [], [], "test_run")).said)
      refused((await client.reservePreview(a.keys.testRuns, bundle, [], [], "test_run")).said)
      accepted((await client.reservePreview(a.keys.withoutTestRuns, bundle, [], [], "anything")).said)
      accepted((await client.reservePreview(a.keys.all, bundle, [], [], "test_run")).said)
    })

    it("§5 only the account that reserved can finalize; another of its keys works", async () => {
      const { a, b, client } = await prepared(start)
      const build = await client.reserveBuild(a.keys.all, bundle)
      await client.put(build.slot(), bundle.bytes)
      refused(await client.finalizeBuild(b.keys.all, build.token()))
      assert.strictEqual((await client.finalizeBuild(a.keys.builds, build.token())).status, 201)
      const preview = await client.reservePreview(a.keys.all, bundle)
      await client.put(preview.slot(), bundle.bytes)
      refused(await preview.finalize(b.keys.all))
      accepted(await preview.finalize(a.keys.previewUpload))
    })

    it("§2.6, §4.6–4.8 a preview is reserved, uploaded, finalized and read, by its account alone", async () => {
      const { a, b, client, host } = await prepared(start)
      const at = host.facts.answers
      const reserved = await client.reservePreview(a.keys.previewUpload, bundle, [logo], [screen])
      accepted(reserved.said)
      for (const [slot, { bytes }] of [
        [reserved.slot(), bundle],
        [reserved.fileSlot(logo), logo],
        [reserved.recordingSlot(screen), screen]
      ] as const) {
        assert.isString(slot.objectKey)
        refused(await reserved.finalize(a.keys.previewUpload))
        assert.isBelow((await client.put(slot, bytes)).status, 300)
      }
      const finalized = await reserved.finalize(a.keys.previewUpload)
      accepted(finalized)
      const url = textAt(finalized.json, at.finalizePreview.url)
      assert.strictEqual(new URL(url).origin, new URL(host.viewerUrl).origin)

      const read = await client.get(a.keys.previewUpload, `previews/${reserved.shareId()}`)
      assert.strictEqual(read.status, 200)
      assert.strictEqual(textAt(read.json, at.preview.url), url)
      for (const group of ["device", "git", "account"] as const)
        assert.isOk(follow(read.json, at.preview[group]), group)
      assert.include(JSON.stringify(follow(read.json, at.preview.files)), logo.name)
      assert.include(JSON.stringify(follow(read.json, at.preview.recordings)), screen.name)
      const hosted = await client.hostedBundle("preview", { url }, a.keys.previewUpload)
      assert.strictEqual(hosted, bundle.bytes.toString())
      refused(await client.get(b.keys.all, `previews/${reserved.shareId()}`))
    })

    it("§2.7, §4.9 a registered run has its links, and passed if its status is exactly that", async () => {
      const { a, client, host } = await prepared(start)
      const { run, runs } = host.facts.answers
      const shareId = await client.uploadPreview(a.keys.all, bundle)
      const statuses = ["passed", "Passed", "PASSED", "passed ", " passed", "pass", "ok", "failed", "error", ""]
      for (const [index, status] of statuses.entries()) {
        const said = await client.register(a.keys.testRuns, shareId, { status, name: `run ${index}` })
        accepted(said)
        const links = follow(said.json, run)
        for (const link of [textAt(links, ["previewUrl"]), textAt(links, ["traceUrl"])]) {
          assert.strictEqual(new URL(link).origin, new URL(host.viewerUrl).origin)
        }
        const items = client.itemsIn((await client.list(a.keys.testRuns)).json)
        const item = items.find((one) => follow(one, runs.traceUrl) === follow(links, ["traceUrl"]))
        assert.strictEqual(follow(item, runs.name), `run ${index}`)
        assert.strictEqual(follow(item, runs.status), status === "passed" ? runs.passed : runs.failed, status)
      }
    })

    it("§2.7, §4.9 a run wants a kind, a name or prompt, and a preview of its account", async () => {
      const { a, b, client } = await prepared(start)
      const shareId = await client.uploadPreview(a.keys.all, bundle)
      const reserved = await client.reservePreview(a.keys.all, bundle)
      const foreign = { ...b.linked, previewShareId: shareId }
      refused(await client.register(a.keys.all, shareId, { kind: "appium" }))
      refused(await client.register(a.keys.all, shareId, { kind: undefined }))
      refused(await client.register(a.keys.all, shareId, { name: undefined }))
      refused(await client.register(a.keys.all, "no-such-preview"))
      refused(await client.register(a.keys.all, reserved.shareId()))
      refused(await client.register(b.keys.all, shareId, foreign))
      accepted(await client.register(a.keys.all, shareId, { kind: "detox", name: undefined, prompt: "Buy an item" }))
      accepted(
        await client.register(a.keys.all, shareId, { prompt: "Buy an item", status: "failed", failedStepIndex: 1 })
      )
      assert.lengthOf(client.itemsIn((await client.list(a.keys.all)).json), 2)
      assert.lengthOf(client.itemsIn((await client.list(b.keys.all, { org: b.linked.owner })).json), 0)
    })

    it("§4.10, §8 the list is newest first, filtered, and its limit clamped to 1–100", async () => {
      const { a, client, host } = await prepared(start)
      const { next, ...at } = host.facts.answers.runs
      const shareId = await client.uploadPreview(a.keys.all, bundle)
      const names = Array.from({ length: 103 }, (_, index) => `run ${index}`)
      for (const [index, name] of names.entries()) {
        const kind = index % 2 === 0 ? "maestro" : "detox"
        await client.register(a.keys.all, shareId, { name, kind, branch: index < 5 ? "next" : "main" })
      }
      const newest = names.toReversed()
      const listed = async (query: Record<string, string>) =>
        client.itemsIn((await client.list(a.keys.all, query)).json).map((item) => follow(item, at.name))
      for (const [limit, size] of [
        ["0", 1],
        ["-5", 1],
        ["1", 1],
        ["7", 7],
        ["100", 100],
        ["101", 100],
        ["100000", 100]
      ] as const) {
        assert.deepStrictEqual(await listed({ limit }), newest.slice(0, size), limit)
      }
      assert.deepStrictEqual(await listed({ branch: "next" }), newest.slice(-5))
      assert.deepStrictEqual(await listed({ branch: "next", kind: "detox" }), ["run 3", "run 1"])
      assert.deepStrictEqual(await listed({ branch: "none" }), [])

      if (next === undefined) return
      const paged: Array<unknown> = []
      let page = await client.list(a.keys.all, { limit: "40" })
      for (let pages = 1; pages <= 3; pages++) {
        paged.push(...client.itemsIn(page.json).map((item) => follow(item, at.name)))
        const onward = follow(page.json, "link" in next ? next.link : next.cursor)
        if (pages === 3) assert.notTypeOf(onward, "string")
        else if ("link" in next) page = await client.send(String(onward), { headers: client.presented(a.keys.all) })
        else page = await client.list(a.keys.all, { limit: "40", [next.parameter]: String(onward) })
      }
      assert.deepStrictEqual(paged, newest)
    })

    it("§2.5, §4.2 a PUT URL takes exactly what it was signed for, and wants no key", async () => {
      const { a, client, clock } = await prepared(start)
      const reserved = await client.reservePreview(a.keys.all, bundle)
      const slot = reserved.slot()
      const tampered = (at: number) => {
        const character = slot.putUrl.at(at) === "A" ? "B" : "A"
        return slot.putUrl.slice(0, at) + character + (at === -1 ? "" : slot.putUrl.slice(at + 1))
      }
      for (const method of ["GET", "POST", "DELETE", "PATCH"]) refused(await client.put(slot, bundle.bytes, { method }))
      for (const at of [-1, -10, -20]) refused(await client.put(slot, bundle.bytes, { url: tampered(at) }))
      refused(await client.put(slot, bundle.bytes, { type: "text/x-other" }))
      refused(await client.put(slot, bundle.bytes.subarray(1)))
      refused(await client.put(slot, Buffer.concat([bundle.bytes, Buffer.from("x")])))
      refused(await reserved.finalize(a.keys.all))
      assert.isBelow((await client.put(slot, bundle.bytes)).status, 300)
      accepted(await reserved.finalize(a.keys.all))

      const late = await client.reservePreview(a.keys.all, bundle)
      clock.advance(600_000)
      refused(await client.put(late.slot(), bundle.bytes))
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

    it("§8 the token is short-lived", async () => {
      const { a, client, clock } = await prepared(start, { lives: { tokenMs: 5000 } })
      const build = await client.reserveBuild(a.keys.all, bundle)
      const preview = await client.reservePreview(a.keys.all, bundle)
      await client.put(build.slot(), bundle.bytes)
      await client.put(preview.slot(), bundle.bytes)
      clock.advance(5000)
      refused(await client.finalizeBuild(a.keys.all, build.token()))
      refused(await preview.finalize(a.keys.all))
    })
  })
}
