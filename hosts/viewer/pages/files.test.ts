/** The pages that show the content of a file or recording, over real HTTP. */
import { assert, describe } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { gzipSync } from "node:zlib"
import { it, layer } from "../../../core/testing/layer.ts"
import { CreateShareLinkResponse } from "../../../core/api/shareLinks.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { uploadPreview } from "../testing/previews.ts"
import { signIn, unescaped, visit, withoutOwnScripts } from "../testing/visit.ts"
import { jsonBeginning, jsonTree } from "./files.ts"

const account = newAccount(["builds", "preview_upload"])

const hostile = `</pre><script>alert(1)</script><img src=x onerror=alert(1)>\u202e!`

const contents = [
  ["notes/söme text;v=1?#.txt", "text/plain; charset=utf-8", bytes(`one\n${hostile}\ntwo 🚢\n`)],
  [
    "data.json",
    "application/json",
    bytes(`{"name": ${JSON.stringify(hostile)}, "__proto__": [1, null, true, {}], "n": 1e3}`)
  ],
  ["broken.json", "application/json", bytes(`{"a": `)],
  ["page.html", "text/html", bytes(hostile)],
  ["long.log", "application/octet-stream", bytes(`${"0123456789abcde🚢".repeat(40_000)}THE END`)],
  ["packed.txt.gz", "application/gzip", new Uint8Array(gzipSync("unpacked"))],
  ["deep.json", "application/json", bytes(`${"[".repeat(5000)}${"]".repeat(5000)}`)],
  ["picture.svg", "image/svg+xml", bytes(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)],
  ["sound.wav", "application/octet-stream", bytes("RIFF")],
  ["film.mp4", "video/mp4", bytes("film")],
  ["core.bin", "application/octet-stream", Uint8Array.from([1, 0, 2])],
  ["latin.txt", "text/plain; charset=iso-8859-1", Uint8Array.from([0xe9, 0xe8])],
  ["empty.txt", "text/plain", new Uint8Array()]
] as const

const uploaded = Effect.gen(function* () {
  const { key } = yield* account
  const preview = yield* uploadPreview(
    { key },
    {
      files: contents.map(([path, contentType, content]) => ({ path, contentType, sizeBytes: content.byteLength })),
      recordings: [{ name: "boot.log", kind: "log", contentType: "text/plain", sizeBytes: 6 }]
    },
    { files: contents.map(([, , content]) => content), recordings: [bytes("booted")] }
  )
  return { key, preview, view: `/previews/${preview.shareId}/view`, cookie: yield* signIn(key) }
})

const viewOf = (view: string, path: string) => `${view}?${new URLSearchParams({ path })}`

layer(TestHost.layer(inMemory))("the viewer of files", (it) => {
  it.effect("shows text, JSON, pictures, sound and films, and says what it doesn't show", function* () {
    const { cookie, preview, view } = yield* uploaded
    const page = Effect.fnUntraced(function* (path: string) {
      const { headers, status, text } = yield* visit("GET", viewOf(view, path), { cookie })
      assert.strictEqual(status, 200, path)
      assert.notInclude(withoutOwnScripts(text), "<script", path)
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/)
      return unescaped(text)
    })
    const shown: ReadonlyArray<readonly [path: string, ...found: ReadonlyArray<string | RegExp>]> = [
      [contents[0][0], `one\n${hostile}\ntwo 🚢\n</pre>`, "text/plain; charset=utf-8"],
      ["data.json", "<details open>", /<bdi>__proto__<\/bdi>/, hostile.slice(7), '<span class="number">1000</span>'],
      ["broken.json", '{"a": </pre>'],
      ["page.html", `${hostile}</pre>`],
      ["long.log", "Only the first 512 KiB are shown", "0123456789abcde🚢0123"],
      ["packed.txt.gz", "unpacked</pre>"],
      ["deep.json", "Only a part is shown: there are more values, or deeper ones", '<span class="string">"…"</span>'],
      ["picture.svg", /<img src="\/preview-objects\/[\w.-]+\/files\/picture\.svg"/],
      ["sound.wav", /<audio src="\/preview-objects\/[\w.-]+\/files\/sound\.wav"/],
      ["film.mp4", /<video src="\/preview-objects\/[\w.-]+\/files\/film\.mp4"/],
      ["core.bin", "it is neither text"],
      ["latin.txt", "it is neither text"],
      ["empty.txt", "It is empty."]
    ]
    for (const [path, ...found] of shown) {
      const text = yield* page(path)
      for (const one of found) {
        if (typeof one === "string") assert.include(text, one, path)
        else assert.match(text, one, path)
      }
      const lasting = preview.files.find((file) => file.path === path)?.url ?? ""
      assert.include(text, `href="${new URL(lasting).pathname}"`)
    }
    assert.notInclude(yield* page("long.log"), "THE END")
    assert.notInclude(yield* page("long.log"), "\ufffd")
    const recording = yield* visit("GET", `${view}?recording=0`, { cookie })
    assert.include(recording.text, "booted</pre>")
    assert.include(recording.text, ">boot.log</bdi>")
  })

  it.effect("is linked from the preview's page, and links back", function* () {
    const { cookie, preview, view } = yield* uploaded
    const page = yield* visit("GET", `/previews/${preview.shareId}`, { cookie })
    for (const [path] of contents) assert.include(unescaped(page.text), `href="${viewOf(view, path)}"`)
    assert.include(unescaped(page.text), `href="${view}?recording=0"`)
    const shown = yield* visit("GET", `${view}?recording=0`, { cookie })
    assert.include(shown.text, `href="/previews/${preview.shareId}"`)
  })

  it.effect("requires the right to see the preview, and shows only existing files", function* () {
    const { cookie, view } = yield* uploaded
    const other = yield* signIn((yield* account).key)
    assert.strictEqual((yield* visit("GET", `${view}?recording=0`)).status, 401)
    assert.strictEqual((yield* visit("GET", `${view}?recording=0`, { cookie: other })).status, 404)
    for (const nothing of [
      "",
      "?path=",
      "?path=nothing",
      "?path=../x",
      "?recording=1",
      "?recording=00",
      "?recording=x",
      "?path=a&path=b"
    ]) {
      assert.strictEqual((yield* visit("GET", view + nothing, { cookie })).status, 404, nothing)
    }
  })

  it.effect("works through a share link, until that ends", function* () {
    const host = yield* TestHost
    const { key, preview } = yield* uploaded
    const below = `/api/v1/previews/${preview.shareId}/shares`
    const made = yield* host.call("POST", below, { key, body: {} })
    const { id, url } = yield* Schema.decodeUnknownEffect(CreateShareLinkResponse)(made.json)
    const { pathname } = new URL(url)
    const page = yield* visit("GET", pathname)
    const view = viewOf(`${pathname}/view`, "data.json")
    assert.include(unescaped(page.text), `href="${view}"`)
    const shown = yield* visit("GET", view)
    assert.strictEqual(shown.status, 200)
    assert.include(shown.text, "<details")
    assert.include(shown.text, `href="${pathname}"`)
    assert.match(shown.text, /href="\/preview-objects\/[\w.-]+\/files\/data\.json"/)
    assert.notInclude(shown.text, "/previews/")
    assert.strictEqual((yield* host.call("DELETE", `${below}/${id}`, { key })).status, 204)
    assert.strictEqual((yield* visit("GET", view)).status, 410)
    assert.strictEqual((yield* visit("GET", `/shared/${"0".repeat(32)}/view?recording=0`)).status, 404)
  })
})

const most = { values: 6, depth: 3 }
const begun = (json: string) => {
  const found = jsonBeginning(json, most)
  return found === undefined ? undefined : [JSON.stringify(found.value), found.isWhole]
}

describe("JSON as far as it is shown", () => {
  it("is all of it where it is small", () => {
    for (const json of ['{"a":[1,2],"b":"],{\\""}', "[]", "3", '"a,[b"', "[[[1]]]", '{"__proto__":"x","a":"\\\\"}']) {
      assert.deepStrictEqual(begun(json), [json, true])
    }
  })

  it("is its first values where there are more", () => {
    assert.deepStrictEqual(begun("[1,2,3,4,5,6,7,8]"), ["[1,2,3,4,5]", false])
    assert.deepStrictEqual(begun('{"a":[1,{"b":2},3,4,5]}'), ['{"a":[1,{"b":2},3]}', false])
    assert.deepStrictEqual(begun('[1,2,3,4,[5,{"a":1}]]'), ["[1,2,3,4,[]]", false])
    assert.deepStrictEqual(begun(`[${"0,".repeat(9)}it isn't read this far`), ["[0,0,0,0,0]", false])
  })

  it("omits values nested too deep, and continues after them", () => {
    assert.deepStrictEqual(begun("[[[[1,[2]],3]],4]"), ['[[["…",3]],4]', false])
    assert.deepStrictEqual(begun('{"a":{"b":{"c":{"d":"}"},"e":1}}}'), ['{"a":{"b":{"c":"…","e":1}}}', false])
  })

  it("is not shown if the part that is read is invalid", () => {
    for (const json of ["", '{"a":', "[1,2", "[1}", "]", "[[[[1]]]", '"', '["a', "not json", "[1,,2]", "{}{}"]) {
      assert.isUndefined(begun(json), json)
    }
  })

  it("is a tree of no more values than are shown, whatever its text is like", () => {
    const many = 100_000
    for (const json of [
      `${"[".repeat(many)}${"]".repeat(many)}`,
      `[${"0,".repeat(many)}0]`,
      `[${"[],".repeat(many)}0]`,
      `[${'{"":{}},'.repeat(many)}0]`
    ]) {
      const tree = String(jsonTree(json) ?? "")
      assert.match(tree, /^<p class="notice">Only a part is shown/)
      assert.isAtMost([...tree.matchAll(/<li>/g)].length, 5000)
    }
    assert.notInclude(String(jsonTree("[1,2]")), "Only a part is shown")
  })
})
