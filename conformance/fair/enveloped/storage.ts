import { createHash, randomUUID } from "node:crypto"
import { Refusal, refusing, type Answer, type Ask } from "../parts/http.ts"
import { makeSeal } from "../parts/seal.ts"
import { asBody } from "../parts/json.ts"
import { isOfItsType } from "./parse.ts"

/** An object that was declared, and the key that it has in the bucket. */
export interface StoredObject {
  readonly role: "bundle" | "file" | "recording"
  readonly name: string
  readonly objectKey: string
  readonly size: number
  readonly mime: string
  readonly sha256: string
}

/** The object that checked fields declare. */
export const toObject = (role: StoredObject["role"], fields: unknown): StoredObject => {
  const { mime, name, path, sha256, size } = asBody(fields)
  return {
    role,
    name: String(path ?? name ?? ""),
    objectKey: `uploads/${randomUUID()}`,
    size: Number(size),
    mime: String(mime),
    sha256: String(sha256)
  }
}

/**
 * An object store with an origin of its own, after the manner of S3: the URL's signature covers headers that are not in
 * it, an object is written once, refusals are XML, and a request that brings credentials beside the signature is refused.
 */
export const makeStorage = (origin: string, now: () => number, lifeMs: number) => {
  const seal = makeSeal()
  const objects = new Map<string, Buffer>()

  const put = ({ body, headers, method, path, query }: Ask): Answer => {
    if (headers.authorization !== undefined) throw new Refusal(400, "InvalidArgument")
    const length = headers["content-length"]
    if (length === undefined) throw new Refusal(411, "MissingContentLength")
    const expires = query.get("X-Expires") ?? ""
    const signed = [method, path, headers["content-type"] ?? "", length, expires]
    if (!seal.fits(signed, query.get("X-Signature") ?? "")) throw new Refusal(403, "SignatureDoesNotMatch")
    if (Number(expires) <= now()) throw new Refusal(403, "AccessDenied")
    if (objects.has(path)) throw new Refusal(412, "PreconditionFailed")
    objects.set(path, body)
    return { status: 200, headers: { etag: `"${createHash("md5").update(body).digest("hex")}"` } }
  }

  return {
    slot: ({ mime, name, objectKey, role, size }: StoredObject) => {
      const path = `/artifacts/${objectKey}`
      const expires = now() + lifeMs
      const signature = seal.sign(["PUT", path, mime, size, expires])
      const putUrl = `${origin}${path}?X-Expires=${expires}&X-Signature=${signature}`
      return {
        role,
        name,
        putUrl,
        contentType: mime,
        objectKey,
        headers: {},
        expiresAt: new Date(expires).toISOString()
      }
    },
    put: refusing(put, ({ code, status }) => ({
      status,
      headers: { "content-type": "application/xml" },
      body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
    })),
    read: (object: StoredObject): Buffer | undefined => objects.get(`/artifacts/${object.objectKey}`),
    /** Refuses, with 422, unless every object is there, has its digest, and is what its type says. */
    verify: (declared: ReadonlyArray<StoredObject>): void => {
      for (const { mime, objectKey, sha256 } of declared) {
        const bytes = objects.get(`/artifacts/${objectKey}`)
        if (bytes === undefined) throw new Refusal(422, "objects_missing")
        if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw new Refusal(422, "digest_mismatch")
        if (!isOfItsType(mime, bytes)) throw new Refusal(422, "not_of_its_type")
      }
    }
  }
}

export type Storage = ReturnType<typeof makeStorage>
