/** Uploads of every kind of body by the client without Effect, through a real host. */
import { account, clients } from "./testing/clients.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { inMemory } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, bytes, data, sha256 } from "../http/testing/uploads.ts"
import { createClient as createInBrowser } from "./browser.ts"
import { type Body, type Client, createClient } from "./index.ts"

const text = "text/javascript"

/** The same bytes in every form that can be read twice. */
const repeatable: Record<string, (content: Uint8Array<ArrayBuffer>) => Body> = {
  "a Uint8Array": (content) => content,
  "a part of a buffer": (content) => {
    const larger = new Uint8Array(content.byteLength + 8)
    larger.set(content, 4)
    return new DataView(larger.buffer, 4, content.byteLength)
  },
  "an ArrayBuffer": (content) => content.buffer,
  "a Blob": (content) => new Blob([content]),
  "a function that opens a stream": (content) => () => new Blob([content]).stream()
}

/** The same bytes in forms that can be read once. */
const once: Record<string, (content: Uint8Array<ArrayBuffer>) => Body> = {
  "a stream": (content) => new Blob([content]).stream(),
  "an async iterable": async function* (content) {
    yield content.subarray(0, 5)
    yield content.subarray(5)
  }
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => error
  )

layer(TestHost.layer(inMemory))("bodies", (it) => {
  for (const { create, name } of clients) {
    it.effect(`${name}: in every form`, function* () {
      const { hosted, key, url } = yield* account
      yield* Effect.promise(async () => {
        const client = create({ url, key })
        for (const [form, bodyOf] of Object.entries({ ...repeatable, ...once })) {
          const content = bytes(`/* ${form} */\n`)
          const isOnce = form in once
          const preview = await client.previews.upload({
            bundle: {
              body: bodyOf(content),
              contentType: text,
              ...(isOnce ? { sizeBytes: content.byteLength, contentHash: sha256(content) } : {})
            },
            recordings: [
              {
                name: form,
                kind: "other",
                contentType: "text/plain",
                body: bodyOf(data),
                ...(isOnce ? { sizeBytes: data.byteLength } : {})
              }
            ]
          })
          assert.strictEqual(preview.bundle.contentHash, sha256(content), form)
          assert.strictEqual(await hosted(preview.shareId, "bundle"), new TextDecoder().decode(content), form)
          assert.strictEqual(await hosted(preview.shareId, "recordings/0"), new TextDecoder().decode(data), form)
        }
      })
    })

    it.effect(`${name}: the digest of gzip is that of its uncompressed bytes`, function* () {
      const { key, url } = yield* account
      yield* Effect.promise(async () => {
        const body = new Uint8Array(gzipSync(bundle))
        const preview = await create({ url, key }).previews.upload({
          bundle: { body, contentType: "application/gzip" }
        })
        assert.strictEqual(preview.bundle.contentHash, sha256(bundle))
      })
    })
  }

  it.effect(
    "on Node: a path, a file URL and the stream of a file; each digest that can be computed is declared",
    function* () {
      const { hosted, key, url } = yield* account
      yield* Effect.promise(async () => {
        const folder = mkdtempSync(join(tmpdir(), "slipway-client-"))
        try {
          const path = join(folder, "index.js")
          writeFileSync(path, bundle)
          const preview = await createClient({ url, key }).previews.upload({
            bundle: { body: { path }, contentType: text },
            files: [
              { path: "url.js", contentType: text, body: { path: pathToFileURL(path) } },
              { path: "stream.js", contentType: text, body: createReadStream(path), sizeBytes: bundle.byteLength }
            ]
          })
          assert.deepStrictEqual(
            preview.files.map(({ contentHash }) => contentHash),
            [sha256(bundle), undefined]
          )
          for (const name of ["bundle", "files/0", "files/1"]) {
            assert.strictEqual(await hosted(preview.shareId, name), new TextDecoder().decode(bundle), name)
          }
        } finally {
          rmSync(folder, { recursive: true })
        }
      })
    }
  )

  it.effect("on Node: files of many pieces arrive as they are, also by a fetch that reads ahead", function* () {
    const { key, url } = yield* account
    yield* Effect.promise(async () => {
      const folder = mkdtempSync(join(tmpdir(), "slipway-client-"))
      try {
        const large = randomBytes(1_500_000)
        const path = join(folder, "large")
        const packed = join(folder, "large.gz")
        writeFileSync(path, large)
        writeFileSync(packed, gzipSync(large))
        const readingAhead: typeof globalThis.fetch = async (input, init) => {
          if (!(init?.body instanceof ReadableStream)) return fetch(input, init)
          return fetch(input, { ...init, body: new Blob(await Array.fromAsync(init.body)) })
        }
        for (const options of [{}, { fetch: readingAhead }]) {
          const preview = await createClient({ url, key, ...options }).previews.upload({
            bundle: { body: { path }, contentType: "application/octet-stream" },
            files: [{ path: "large.gz", body: { path: packed }, contentType: "application/gzip" }]
          })
          // The host has verified both, or it would have refused them.
          assert.strictEqual(preview.bundle.contentHash, sha256(large))
          assert.strictEqual(preview.files[0]?.contentHash, sha256(large))
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })

  it.effect("on fetch alone: of files, only bytes get a digest", function* () {
    const { key, url } = yield* account
    yield* Effect.promise(async () => {
      const preview = await createInBrowser({ url, key }).previews.upload({
        bundle: { body: new Blob([bundle]), contentType: text },
        files: [
          { path: "bytes.json", contentType: "application/json", body: data },
          { path: "blob.json", contentType: "application/json", body: new Blob([data]) }
        ]
      })
      assert.deepStrictEqual(
        preview.files.map(({ contentHash }) => contentHash),
        [sha256(data), undefined]
      )
    })
  })

  it.effect("a fetch that is given sends all of it, streams too", function* () {
    const { hosted, key, url } = yield* account
    yield* Effect.promise(async () => {
      const sent: Array<string> = []
      const client = createClient({
        url,
        key,
        fetch: (input, init) => {
          sent.push(`${init?.method} ${init?.body instanceof ReadableStream ? "a stream" : typeof init?.body}`)
          return fetch(input, init)
        }
      })
      const preview = await client.previews.upload({
        bundle: { body: () => new Blob([bundle]).stream(), contentType: text }
      })
      assert.deepStrictEqual(sent, ["POST string", "PUT a stream", "POST string"])
      assert.strictEqual(await hosted(preview.shareId, "bundle"), new TextDecoder().decode(bundle))
    })
  })

  it.effect(
    "a body that can't be sent as declared is reported by its name, and nothing is reserved for it",
    function* () {
      const { key, url } = yield* account
      yield* Effect.promise(async () => {
        const calls: Array<string> = []
        const uploadError = async (
          create: typeof createClient,
          bodies: Parameters<Client["previews"]["upload"]>[0]
        ) => {
          const client = create({
            url,
            key,
            fetch: (input, init) => {
              calls.push(String(input))
              return fetch(input, init)
            }
          })
          return refusal(client.previews.upload(bodies))
        }
        const ok = { body: bundle, contentType: text }
        const stream = () => new Blob([bundle]).stream()
        for (const [create, bodies, message] of [
          [createClient, { bundle: { ...ok, body: stream() } }, /^bundle: body_unfit: sizeBytes is required/],
          [
            createClient,
            { bundle: { ...ok, body: stream(), sizeBytes: 3 } },
            /^bundle: body_unfit: contentHash is required/
          ],
          [
            createClient,
            { bundle: { ...ok, body: JSON.parse('"app()"') } },
            /^bundle: body_unfit: The body must be bytes/
          ],
          [createClient, { bundle: { ...ok, body: { path: "no/such/file" } } }, /^bundle: body_unfit: ENOENT/],
          [
            createInBrowser,
            { bundle: { ...ok, body: { path: "file" } } },
            /^bundle: body_unfit: A path is read on Node/
          ],
          [
            createClient,
            { bundle: ok, files: [{ ...ok, path: "a", sizeBytes: 3 }] },
            /^files\.0: body_unfit: It has 37 bytes, and 3 were declared/
          ]
        ] as const) {
          const error = await uploadError(create, bodies)
          assert.propertyVal(error, "code", "body_unfit")
          assert.match(String(error instanceof Error ? error.message : error), message)
        }
        assert.deepStrictEqual(calls, [])
      })
    }
  )

  it.effect("a stream of other bytes than were declared is no upload", function* () {
    const { key, url } = yield* account
    yield* Effect.promise(async () => {
      const client = createClient({ url, key })
      for (const [sizeBytes, message] of [
        [bundle.byteLength + 1, "It has 37 bytes, and 38 were declared."],
        [bundle.byteLength - 1, "It has more than the 36 bytes that were declared."]
      ] as const) {
        const body = new Blob([bundle]).stream()
        const error = await refusal(
          client.previews.upload({ bundle: { body, contentType: text, sizeBytes, contentHash: sha256(bundle) } })
        )
        assert.propertyVal(error, "detail", message)
      }
      const broken = async function* () {
        yield bundle.subarray(0, 4)
        throw new Error("the disk failed")
      }
      const error = await refusal(
        client.previews.upload({
          bundle: { body: broken(), contentType: text, sizeBytes: bundle.byteLength, contentHash: sha256(bundle) }
        })
      )
      assert.propertyVal(error, "code", "body_unfit")
      assert.propertyVal(error, "detail", "the disk failed")
    })
  })
})
