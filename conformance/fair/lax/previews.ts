import { Refusal } from "../parts/http.ts"
import { asBody, asList, type Body } from "../parts/json.ts"
import type { Links } from "./links.ts"
import { piece, type Piece } from "./reading.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Uploads } from "./uploads.ts"

/** What the token of a preview holds. */
interface HeldPreview {
  readonly id: string
  readonly account: string
  readonly body: Body
  readonly pieces: ReadonlyArray<Piece>
}

const roles = ["bundle", "file", "recording"] as const

export const makePreviews = (links: Links, uploads: Uploads, kind: TokenKind) => {
  const hosted = new Map<string, HeldPreview & { readonly bundle: Buffer }>()

  const tokens = makeTokens(kind, (preview: HeldPreview) => {
    hosted.set(preview.id, { ...preview, bundle: uploads.collect(preview.pieces) })
    return { hosted: links.opening("p", preview.id) }
  })

  return {
    /** All objects to upload are in one list, `artifacts`; each has a `role`. */
    reserve: (account: string, body: Body) => {
      const artifacts = asList(body.artifacts)
      const pieces = roles.flatMap((role) =>
        artifacts.filter((one) => asBody(one).role === role).map((one) => piece(role, one))
      )
      if (pieces[0]?.role !== "bundle") throw new Refusal(400, "no_bundle")
      const id = crypto.randomUUID().replaceAll("-", "")
      const token = tokens.issue(account, { id, account, body, pieces })
      return { shareId: id, upload: { token, slots: uploads.slots(pieces) } }
    },
    finalize: tokens.spend,
    read: (account: string, id: string) => {
      const preview = hosted.get(id)
      if (preview?.account !== account) throw new Refusal(404, "not_found")
      const { device = null, git = null } = asBody(preview.body.about)
      const named = (role: string) => {
        const pieces = preview.pieces.filter((one) => one.role === role)
        return Object.fromEntries(pieces.map(({ name, size, type }) => [name, { size, type }]))
      }
      return {
        preview: { id, url: links.opening("p", id) },
        details: { device, files: named("file"), recordings: named("recording"), git, account: { handle: account } }
      }
    },
    isOf: (account: string, id: unknown): id is string => typeof id === "string" && hosted.get(id)?.account === account,
    bundle: (id: string): Buffer | undefined => hosted.get(id)?.bundle
  }
}

export type Previews = ReturnType<typeof makePreviews>
