import { randomUUID } from "node:crypto"
import { Refusal, refusing, type Answer, type Ask } from "../parts/http.ts"
import { asBody, asCount, asText } from "../parts/json.ts"
import { makeSeal } from "../parts/seal.ts"
import type { Resource } from "./document.ts"

/** An object that was declared. */
export interface Artifact {
  readonly id: string
  readonly role: "bundle" | "file" | "recording"
  readonly name: string
  readonly length: number
  readonly mediaType: string
}

/** The artifact that an item declares. */
export const toArtifact = (role: Artifact["role"], item: unknown): Artifact => {
  const { mediaType, name } = asBody(item)
  const length = asCount(asBody(item).length)
  const [declaredName, declaredType] = [role === "bundle" ? "bundle" : asText(name), asText(mediaType)]
  if (declaredName === undefined || declaredType === undefined || length === undefined)
    throw new Refusal(400, "invalid")
  return { id: randomUUID(), role, name: declaredName, length, mediaType: declaredType }
}

/** The content type that every PUT must send. The object's own type comes from its declaration. */
const sent = "application/octet-stream"

/**
 * Objects on an origin of their own. A PUT answers 201, also when its object was already promoted: then the bytes are
 * received and discarded. What is promoted is fetched by signed URLs.
 */
export const makeStorage = (origin: string, now: () => number, putLifeMs: number) => {
  const seal = makeSeal()
  const staged = new Map<string, Buffer>()
  const hosted = new Map<string, { readonly bytes: Buffer; readonly mediaType: string }>()

  const put = ({ body, headers, method, path, query }: Ask): Answer => {
    if (method !== "PUT") throw new Refusal(405, "only PUT")
    const [length = "", until = ""] = [query.get("length") ?? "", query.get("until") ?? ""]
    if (!seal.fits(["PUT", path, length, sent, until], query.get("signature") ?? ""))
      throw new Refusal(401, "signature")
    if (Number(until) <= now()) throw new Refusal(410, "too late")
    if (headers["content-type"] !== sent || body.length !== Number(length)) throw new Refusal(400, "not as declared")
    const id = path.slice("/staged/".length)
    if (!hosted.has(id)) staged.set(id, body)
    return { status: 201 }
  }

  const get = ({ method, path, query }: Ask): Answer => {
    const until = query.get("until") ?? ""
    const fits = method === "GET" && seal.fits(["GET", path, until], query.get("signature") ?? "")
    const found = hosted.get(path.slice("/hosted/".length))
    if (!fits || found === undefined) throw new Refusal(404, "nothing here")
    if (Number(until) <= now()) throw new Refusal(410, "too late")
    return { status: 200, headers: { "content-type": found.mediaType }, body: found.bytes }
  }

  return {
    slot: ({ id, length, name, role }: Artifact): Resource => {
      const [path, until] = [`/staged/${id}`, now() + putLifeMs]
      const signature = seal.sign(["PUT", path, length, sent, until])
      const putUrl = `${origin}${path}?length=${length}&until=${until}&signature=${signature}`
      return {
        type: "slots",
        id,
        attributes: { for: role, name, putUrl, contentType: sent, objectKey: `staged/${id}` }
      }
    },
    /** A URL that opens a promoted object for a minute. */
    open: (id: string): string => {
      const [path, until] = [`/hosted/${id}`, now() + 60_000]
      return `${origin}${path}?until=${until}&signature=${seal.sign(["GET", path, until])}`
    },
    /** Promotes the objects; refuses, with 412, when one hasn't arrived. */
    promote: (artifacts: ReadonlyArray<Artifact>): void => {
      if (artifacts.some(({ id }) => !staged.has(id) && !hosted.has(id))) throw new Refusal(412, "upload_incomplete")
      for (const { id, mediaType } of artifacts) {
        const bytes = staged.get(id)
        if (bytes !== undefined) hosted.set(id, { bytes, mediaType })
        staged.delete(id)
      }
    },
    answer: refusing(
      (ask) => (ask.path.startsWith("/hosted/") ? get(ask) : put(ask)),
      ({ code, status }) => ({ status, body: `${code}\n` })
    )
  }
}

export type Storage = ReturnType<typeof makeStorage>
