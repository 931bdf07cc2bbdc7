/**
 * Every host does what the interface states, on plain fetch, what the suite doesn't look at. `fairHosts.matrix.test.ts` runs the suite. The
 * hosts differ only where the interface leaves the behaviour open.
 */
import { assert, describe, it } from "vitest"
import { follow } from "./parts/follow.ts"
import { fairHosts } from "./hosts.ts"
import { content, textAt, type Said } from "./testing/client.ts"
import { prepared } from "./testing/prepared.ts"

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
