/** The documents of a replay, over real HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { gzipSync } from "node:zlib"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { inMemory, testEngines } from "../../http/testing/engines.ts"
import {
  bundle,
  commit,
  data,
  declaredFiles,
  finalize,
  put,
  readyBuild,
  reserve,
  style
} from "../../http/testing/uploads.ts"
import { uploadScript } from "../testing/app.ts"
import { frameOf, hostedBuild, signIn, unescaped, visit } from "../testing/visit.ts"

/** Objects that are counted while they are open. */
const counted = () => {
  const count = { opened: 0, open: 0 }
  const begin = Effect.sync(() => {
    count.opened += 1
    count.open += 1
  })
  const end = Effect.sync(() => {
    count.open -= 1
  })
  const objects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) =>
      ObjectStore.of({
        ...store,
        read: (key, range) =>
          Effect.andThen(
            Effect.acquireRelease(begin, () => end),
            store.read(key, range)
          )
      })
    )
  )
  return { count, objects }
}
for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`the viewer on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("the replay alone is the frame, below a bar that names its owner", () =>
      Effect.gen(function* () {
        const { cookie, path, row } = yield* hostedBuild(yield* newAccount())
        const { headers, status, text } = yield* visit("GET", `${path}/replay`, { cookie })
        assert.strictEqual(status, 200)
        const [, bar = "", frame = ""] =
          /<body>\s*<header>(.*)<\/header>\s*<main>(.*)<\/main>\s*<\/body>/s.exec(text) ?? []
        assert.match(frame, /^<iframe[^>]*><\/iframe>$/)
        assert.match(unescaped(frame), /\sallow="[^"]*camera 'none'; /)
        for (const fact of ["not a part of Slipway", `${row.owner}/${row.repo}`, row.commitSha.slice(0, 7)]) {
          assert.include(unescaped(bar), fact)
        }
        assert.include(bar, `<a href="${path}">`)
        assert.include(headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
        assert.strictEqual((yield* visit("GET", frameOf(text))).status, 200)
      })
    )

    it.effect("the replay's documents need no session and are given to a sandbox only", () =>
      Effect.gen(function* () {
        const host = yield* TestHost
        const { cookie, path } = yield* hostedBuild(yield* newAccount())
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        assert.match(frame, /^\/replay\/[\w-]+\.[\w-]{43}\/$/)
        const own = host.url + frame
        for (const [file, status] of [
          ["", 200],
          ["index.js", 200],
          ["assets/style.css", 200],
          ["nothing.js", 404]
        ] as const) {
          const { headers, ...answer } = yield* visit("GET", frame + file)
          assert.strictEqual(answer.status, status, file)
          assert.deepStrictEqual(headers.getSetCookie(), [])
          assert.strictEqual(
            headers.get("content-security-policy"),
            "sandbox allow-scripts; default-src 'none'; " +
              `script-src ${own} 'unsafe-inline' 'unsafe-eval' blob: data:; style-src ${own} 'unsafe-inline'; ` +
              `img-src ${own} blob: data:; media-src ${own} blob: data:; font-src ${own} data:; ` +
              `connect-src ${own} blob: data:; worker-src blob:; ` +
              "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
          )
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(headers.get("x-dns-prefetch-control"), "off")
          assert.match(headers.get("permissions-policy") ?? "", /^(?:[a-z-]+=\(\), )+[a-z-]+=\(\)$/)
          assert.strictEqual(headers.get("access-control-allow-origin"), "*")
          assert.strictEqual(headers.get("cache-control"), "private, no-store")
          assert.strictEqual(headers.get("cross-origin-resource-policy"), "cross-origin")
        }
        const index = yield* visit("GET", frame)
        assert.match(index.text, /<div id="root"><\/div>\s*<script data-script='<script src="\.\/index\.js" /)
        assert.match(index.text, /<meta name="viewport"/)
        const preflight = yield* visit("OPTIONS", `${frame}index.js`)
        assert.strictEqual(preflight.status, 204)
        assert.strictEqual(preflight.headers.get("access-control-allow-headers"), "range, if-range")
      })
    )

    it.effect("bundle and files are served by path, whole or by range", () =>
      Effect.gen(function* () {
        const paths = ["söme dir/50% off;v=1?#.css", "data.json"]
        const files = declaredFiles.map((file, index) => ({ ...file, path: paths[index] }))
        const { cookie, path } = yield* hostedBuild(yield* newAccount(), { entry: "./dist/main app.js", files })
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        assert.include((yield* visit("GET", frame)).text, `data-script='<script src="./dist/main%20app.js"`)

        const script = yield* visit("GET", `${frame}dist/main%20app.js`)
        assert.strictEqual(script.text, new TextDecoder().decode(bundle))
        assert.strictEqual(script.headers.get("content-type"), "text/javascript")
        const css = yield* visit("GET", `${frame}${paths[0]?.split("/").map(encodeURIComponent).join("/")}`)
        assert.strictEqual(css.text, new TextDecoder().decode(style))
        assert.strictEqual(css.headers.get("content-type"), "text/css")

        const part = yield* visit("GET", `${frame}data.json`, { headers: { range: "bytes=2-7" } })
        assert.strictEqual(part.status, 206)
        assert.strictEqual(part.text, "answer")
        assert.strictEqual(part.headers.get("content-range"), `bytes 2-7/${data.byteLength}`)
        const outside = yield* visit("GET", `${frame}data.json`, { headers: { range: "bytes=99-" } })
        assert.strictEqual(outside.status, 416)
        assert.strictEqual(outside.headers.get("content-range"), `bytes */${data.byteLength}`)
        assert.strictEqual(outside.headers.get("access-control-allow-origin"), "*")

        const head = yield* visit("HEAD", `${frame}data.json`)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers.get("content-length"), String(data.byteLength))

        for (const missing of [
          "index.js",
          "main app.js",
          "dist",
          "dist/",
          "data.json/",
          "../data.json",
          "%2e%2e/x",
          "%ff"
        ]) {
          assert.strictEqual((yield* visit("GET", frame + missing)).status, 404, missing)
        }
      })
    )

    it.effect("a compressed bundle runs", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const cookie = yield* signIn(account.key)
        const packed = new Uint8Array(gzipSync(bundle))
        for (const [index, { bundleContentType, headers, shown }] of [
          { bundleContentType: "application/gzip", headers: {}, shown: "text/javascript; charset=utf-8" },
          {
            bundleContentType: "application/javascript",
            headers: { "content-encoding": "gzip" },
            shown: "application/javascript"
          }
        ].entries()) {
          const reservation = yield* reserve(account, {
            commitSha: commit(index),
            bundleContentType,
            bundleSizeBytes: packed.byteLength
          })
          yield* put(reservation.slots.bundle, packed, headers)
          assert.strictEqual((yield* finalize(account, reservation.token)).status, 201)
          const page = yield* visit("GET", `/builds/${reservation.id}`, { cookie })
          const script = yield* visit("GET", `${frameOf(page.text)}index.js`)
          assert.strictEqual(script.headers.get("content-encoding"), "gzip")
          assert.strictEqual(script.headers.get("content-type"), shown)
          assert.strictEqual(script.text, new TextDecoder().decode(bundle))
        }
      })
    )

    it.effect("an entry that no URL can lead to is index.js", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const cookie = yield* signIn(account.key)
        for (const [index, [entry, shown]] of [
          ["../../escape.js", "./index.js"],
          ["//evil.example/x.js", "./index.js"],
          ["a\\b.js", "./index.js"],
          ["/abs.js", "./abs.js"],
          ["https://evil.example/x.js", "./index.js"],
          ["x:y.js", "./x%3Ay.js"]
        ].entries()) {
          const { row } = yield* readyBuild(account, { entry, commitSha: commit(index) })
          const frame = frameOf((yield* visit("GET", `/builds/${row.id}`, { cookie })).text)
          const script = /<script data-script='<script src="([^"]+)"/.exec((yield* visit("GET", frame)).text)?.[1] ?? ""
          assert.strictEqual(script, shown)
          assert.strictEqual((yield* visit("GET", frame + script.slice(2))).status, 200)
        }
      })
    )

    it.effect("a capability ends after an hour", () =>
      Effect.gen(function* () {
        const { cookie, path } = yield* hostedBuild(yield* newAccount())
        const frame = frameOf((yield* visit("GET", path, { cookie })).text)
        yield* TestClock.adjust("59 minutes")
        assert.strictEqual((yield* visit("GET", frame)).status, 200)
        yield* TestClock.adjust("1 minute")
        for (const file of ["", "index.js"]) {
          const answer = yield* visit("GET", frame + file)
          assert.strictEqual(answer.status, 403)
          assert.match(answer.headers.get("content-security-policy") ?? "", /^sandbox/)
        }
      })
    )

    it.effect("a capability opens its build and no other, and can't be made up", () =>
      Effect.gen(function* () {
        const account = yield* newAccount()
        const { cookie, path } = yield* hostedBuild(account)
        const another = yield* hostedBuild(account, { commitSha: commit(2) })
        const capability = Effect.fnUntraced(function* (page: string) {
          return frameOf((yield* visit("GET", page, { cookie })).text).split("/")[2] ?? ""
        })
        const [one, other] = [yield* capability(path), yield* capability(another.path)]
        assert.notStrictEqual(one.split(".")[0], other.split(".")[0])
        const session = cookie.slice("slipway=".length)
        for (const forged of [
          `${other.split(".")[0]}.${one.split(".")[1]}`,
          `${one.split(".")[0]}.${"A".repeat(43)}`,
          `${session}.${session}`
        ]) {
          assert.strictEqual((yield* visit("GET", `/replay/${forged}/`)).status, 403)
        }
        for (const nothing of ["/replay", "/replay/", `/replay/${one}`, `/replay/x;y/`, `/replay/%00.x/`]) {
          assert.strictEqual((yield* visit("GET", nothing)).status, 404, nothing)
        }
      })
    )
  })

  const { count, objects } = counted()
  layer(TestHost.layer({ ...engines, ports: Layer.provideMerge(objects, engines.ports) }))(
    `the objects that a frame reads on ${engines.objects}`,
    (it) => {
      it.effect("is closed with its request", () =>
        Effect.gen(function* () {
          const { cookie, path } = yield* hostedBuild(yield* newAccount(), { files: declaredFiles })
          const frame = frameOf((yield* visit("GET", path, { cookie })).text)
          const before = count.opened
          assert.strictEqual((yield* visit("GET", `${frame}index.js`)).status, 200)
          assert.strictEqual((yield* visit("GET", `${frame}index.js`, { headers: { range: "bytes=0-1" } })).status, 206)
          assert.strictEqual((yield* visit("GET", `${frame}index.js`, { headers: { range: "bytes=-0" } })).status, 416)
          assert.strictEqual((yield* visit("HEAD", `${frame}index.js`)).status, 200)
          assert.strictEqual(count.opened, before + 4)
          // A request is over just after its answer.
          yield* TestClock.withLive(
            Effect.repeat(
              Effect.sync(() => count.open),
              { schedule: Schedule.spaced("10 millis"), while: (open) => open > 0 }
            )
          )
          assert.strictEqual(count.open, 0)
        })
      )
    }
  )
}

// How the script that runs a phone's own bundle comes to its frame, over real HTTP.

const account = newAccount(["preview_upload"])

layer(TestHost.layer(inMemory))("the phone's script", (it) => {
  it.effect("is sent as gzip to who accepts that, and says that it depends on it; nothing else is", () =>
    Effect.gen(function* () {
      const { key } = yield* account
      const preview = yield* uploadScript({ key }, "// nativeLoggingHook nativeFabricUIManager RN$AppRegistry")
      const page = yield* visit("GET", `/previews/${preview.shareId}`, { cookie: yield* signIn(key) })
      const path = frameOf(page.text)
      const asked = (path: string, encoding: string) =>
        visit("GET", path, { headers: { "accept-encoding": encoding, "sec-fetch-dest": "script" } })
      const plain = yield* asked(`${path}?phone`, "identity")
      assert.match(plain.text, /^\(\(\) => \{"use strict";/)
      for (const [encoding, answered] of [
        ["identity", null],
        ["gzip;q=0", null],
        ["gzip", "gzip"],
        ["br, gzip;q=0.5", "gzip"],
        ["*", "gzip"]
      ] as const) {
        const script = yield* asked(`${path}?phone`, encoding)
        assert.strictEqual(script.headers.get("content-encoding"), answered, encoding)
        assert.strictEqual(script.headers.get("vary"), "accept-encoding")
        assert.strictEqual(script.headers.get("content-type"), "text/javascript; charset=utf-8")
        assert.isTrue(script.text === plain.text, encoding)
        if (answered !== null) assert.isBelow(Number(script.headers.get("content-length")), plain.text.length / 2)
      }
      const bundle = yield* asked(`${path}index.js`, "gzip")
      assert.isNull(bundle.headers.get("content-encoding"))
    })
  )
})
