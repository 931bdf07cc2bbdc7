/** What is found of stores that obey, ignore or refuse headers that a URL wasn't signed for. */
import { assert, describe } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { it } from "../../core/testing/layer.ts"
import { openClient } from "./client.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { layer } from "./index.ts"
import { hasS3, newPrefix, openStore, presignPut, withLogLines } from "./testing/server.ts"
import { clientOf, refuse } from "./testing/scripted.ts"
import { findObeyedHeaders, triedHeaders } from "./unsignedHeaders.ts"

interface Stored {
  readonly bytes: Buffer
  readonly isPublic: boolean
}

/** What a store does with a header that a URL wasn't signed for: `ignores` is a proxy before it that removes the header. */
type Treatment = "refuses" | "obeys" | "ignores" | "is broken" | "doesn't find"

const owner = "<ID>owner</ID>"
const everybody = "<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>"

/** A store in memory, in the place of S3. */
const startStore = Effect.fnUntraced(function* (
  treatment: (header: string) => Treatment,
  tellsAcl: boolean,
  deletes = true
) {
  const objects = new Map<string, Stored>()
  const put = (path: string, headers: IncomingMessage["headers"], body: Buffer, response: ServerResponse) => {
    const unsigned = headers.authorization === undefined ? Object.keys(headers).filter((one) => /^x.amz/.test(one)) : []
    const treated = new Map(unsigned.map((header) => [treatment(header), header]))
    if (treated.has("refuses")) return refuse(response, 403, "AccessDenied")
    if (treated.has("is broken")) return refuse(response, 500, "InternalError")
    if (treated.has("doesn't find")) return refuse(response, 404, "NoSuchKey")
    const header = treated.get("obeys") ?? ""
    const source = header.endsWith("source") ? objects.get(`/${String(headers[header])}`) : undefined
    objects.set(path, { bytes: source?.bytes ?? body, isPublic: header.endsWith("acl") })
    return response.end()
  }
  const client = yield* clientOf(async (request, response) => {
    const { headers, method, url = "" } = request
    const [path = "", query = ""] = url.split("?")
    const body = await buffer(request)
    if (method === "PUT") return put(path, headers, body, response)
    if (method === "POST") {
      if (!deletes) return refuse(response, 403, "AccessDenied")
      for (const [, key] of body.toString().matchAll(/<Key>([^<]+)</g)) objects.delete(`/bucket/${key}`)
      return response.end("<DeleteResult/>")
    }
    const object = objects.get(path)
    if (object === undefined) return refuse(response, 404, "NoSuchKey")
    if (!query.includes("acl")) return response.end(object.bytes)
    if (!tellsAcl) return refuse(response, 403, "AccessDenied")
    const grants = [owner, ...(object.isPublic ? [everybody] : [])].map(
      (who) => `<Grant><Grantee>${who}</Grantee></Grant>`
    )
    return response.end(
      `<AccessControlPolicy><Owner>${owner}</Owner><AccessControlList>${grants.join("")}</AccessControlList></AccessControlPolicy>`
    )
  })
  return { objects, location: { client, bucket: "bucket", prefix: "slipway/" } }
})

describe("a store that", () => {
  for (const [what, treatment, tellsAcl, expected] of [
    ["refuses all unsigned headers", () => "refuses", false, []],
    ["ignores them, as its ACLs show", () => "ignores", true, []],
    ["accepts them and tells no ACL", () => "ignores", false, ["x-amz-acl", "x_amz_acl"]],
    ["obeys all", () => "obeys", true, triedHeaders],
    ["looks for the source of a copy elsewhere", () => "doesn't find", true, triedHeaders],
    ...triedHeaders.map(
      (header) => [`obeys ${header}`, (one: string) => (one === header ? "obeys" : "refuses"), true, [header]] as const
    )
  ] as const satisfies ReadonlyArray<
    readonly [string, (header: string) => Treatment, boolean, ReadonlyArray<string>]
  >) {
    it.effect(what, function* () {
      const { location, objects } = yield* startStore(treatment, tellsAcl)
      objects.set("/bucket/slipway/hosted/a", { bytes: Buffer.from("of value"), isPublic: false })
      assert.deepStrictEqual(yield* findObeyedHeaders(location), expected)
      assert.deepStrictEqual([...objects.keys()], ["/bucket/slipway/hosted/a"])
    })
  }

  it.live("answers with an error leaves it unknown", function* () {
    const { location, objects } = yield* startStore(() => "is broken", true)
    assert.deepInclude(yield* Effect.flip(findObeyedHeaders(location)), { status: 500 })
    assert.strictEqual(objects.size, 0)
  })

  it.effect("deletes nothing gets nothing stored", function* () {
    const { location, objects } = yield* startStore(() => "refuses", true, false)
    assert.deepInclude(yield* Effect.flip(findObeyedHeaders(location)), { status: 403 })
    assert.strictEqual(objects.size, 0)
  })
})

it.effect(
  "an embedder's store makes no upload URL until the server refuses the headers, which it tries once then",
  function* () {
    let [treatment, tries]: [Treatment, number] = ["obeys", 0]
    const { location } = yield* startStore(() => {
      tries += 1
      return treatment
    }, true)
    const { hostname, port } = yield* Effect.promise(async () => location.client.config.endpoint!())
    const options = {
      bucket: location.bucket,
      endpoint: `http://${hostname}:${port}`,
      region: "us-east-1",
      forcePathStyle: true,
      credentials: { accessKeyId: Redacted.make("AKID"), secretAccessKey: Redacted.make("secret") }
    }
    const store = Context.get(yield* Layer.build(layer(options)), ObjectStore)
    const presign = presignPut(store, "uploads/a/bundle", 1)
    const { lines, result } = yield* withLogLines(Effect.flip(presign))
    assert.strictEqual(result._tag, "Unavailable")
    assert.include(lines.join(), "No upload URL is made: the S3 server obeys headers")
    assert.include(lines.join(), "throughHost")
    treatment = "refuses"
    assert.include(yield* presign, "X-Amz-Signature")
    const before = tries
    yield* presign
    assert.strictEqual(tries, before)
  }
)

describe.skipIf(!hasS3)("Ceph 16", () => {
  it.live("obeys all of them, and nothing is left of the tries", function* () {
    const options = yield* newPrefix
    const location = { ...options, client: yield* openClient(options) }
    assert.deepStrictEqual(yield* findObeyedHeaders(location), triedHeaders)
    const store = yield* openStore(options)
    assert.deepStrictEqual(yield* store.list("doctor/"), [])
  })
})
