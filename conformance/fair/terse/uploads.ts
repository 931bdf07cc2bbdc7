import { Refusal, type Answer, type Ask } from "../parts/http.ts"
import { makeSeal } from "../parts/seal.ts"
import type { Declared } from "./declared.ts"

/** Takes uploads at `/put/<claims>.<signature>`. The path has all that a PUT must match; any other PUT is answered 404. */
export interface Uploads {
  readonly putUrl: (object: Declared) => string
  readonly put: (ask: Ask) => Answer
  /** The uploaded objects by the names of their slots, which it closes. Refuses, and closes none, when one is missing. */
  readonly take: (objects: ReadonlyArray<Declared>) => ReadonlyMap<string, Buffer>
}

export const makeUploads = (url: string, now: () => number, lifeMs: number): Uploads => {
  const seal = makeSeal()
  const arrived = new Map<string, Buffer>()
  const closed = new Set<string>()

  return {
    putUrl: ({ bytes, key, type }) => {
      const claims = Buffer.from(JSON.stringify(["PUT", key, bytes, type, now() + lifeMs])).toString("base64url")
      return `${url}/put/${claims}.${seal.sign([claims])}`
    },
    put: ({ body, headers, method, path }) => {
      const [claims = "", signature = ""] = path.slice("/put/".length).split(".")
      if (!seal.fits([claims], signature)) throw new Refusal(404, "no_slot")
      const [means, key, bytes, type, until] = JSON.parse(Buffer.from(claims, "base64url").toString())
      const fits = means === method && bytes === body.length && type === headers["content-type"] && now() < until
      if (!fits || closed.has(key)) throw new Refusal(404, "no_slot")
      arrived.set(key, body)
      return { status: 204 }
    },
    take: (objects) => {
      const taken = new Map<string, Buffer>()
      for (const { key, name } of objects) {
        const bytes = arrived.get(key)
        if (bytes === undefined) throw new Refusal(400, "missing")
        taken.set(name, bytes)
      }
      for (const { key } of objects) {
        closed.add(key)
        arrived.delete(key)
      }
      return taken
    }
  }
}
