import { Refusal, type Answer, type Ask } from "../parts/http.ts"
import { makeSeal } from "../parts/seal.ts"
import type { Piece } from "./reading.ts"

/**
 * Takes uploads beside the API. A URL names only the piece, its time and a signature; size and type are looked up. A
 * piece may be PUT as often as anyone likes until the URL dies: what was finalized is a copy.
 */
export const makeUploads = (url: string, now: () => number, lifeMs: number) => {
  const seal = makeSeal()
  const declared = new Map<string, Piece>()
  const arrived = new Map<string, Buffer>()

  const slot = (piece: Piece) => {
    declared.set(piece.key, piece)
    const until = now() + lifeMs
    const signature = seal.sign(["PUT", piece.key, piece.type, piece.size, until])
    const putUrl = `${url}/up?key=${piece.key}&until=${until}&sig=${signature}`
    return { putUrl, contentType: piece.type, objectKey: piece.key, method: "PUT" }
  }

  return {
    /** `{ bundle: [slot], files: { name: [slot] }, recordings: { name: [slot] } }` */
    slots: (pieces: ReadonlyArray<Piece>) => {
      const named = (role: Piece["role"]) =>
        Object.fromEntries(pieces.filter((one) => one.role === role).map((one) => [one.name, [slot(one)]]))
      const [bundle] = pieces.filter(({ role }) => role === "bundle")
      return {
        bundle: bundle === undefined ? [] : [slot(bundle)],
        files: named("file"),
        recordings: named("recording")
      }
    },
    put: ({ body, headers, method, query }: Ask): Answer => {
      const piece = declared.get(query.get("key") ?? "")
      const until = query.get("until") ?? ""
      const signed = [method, piece?.key ?? "", headers["content-type"] ?? "", body.length, until]
      const fits = piece !== undefined && seal.fits(signed, query.get("sig") ?? "") && now() < Number(until)
      if (!fits) throw new Refusal(401, "not_signed_for_that")
      arrived.set(piece.key, Buffer.from(body))
      return { status: 200, headers: { "content-type": "text/json" }, body: JSON.stringify({ received: body.length }) }
    },
    /** The bytes of the bundle. Refuses, with 424, when an object is missing. */
    collect: (pieces: ReadonlyArray<Piece>): Buffer => {
      const bytes = pieces.map(({ key }) => arrived.get(key))
      const [bundle] = bytes
      if (bundle === undefined || bytes.includes(undefined)) throw new Refusal(424, "pieces_missing")
      return bundle
    }
  }
}

export type Uploads = ReturnType<typeof makeUploads>
