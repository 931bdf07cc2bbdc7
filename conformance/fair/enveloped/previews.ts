import { Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Repository } from "../parts/FairHost.ts"
import { Refusal } from "../parts/http.ts"
import { asBody, asList, type Body } from "../parts/json.ts"
import * as check from "./checks.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import { toObject, type Storage, type StoredObject } from "./storage.ts"

interface Preview {
  readonly shareId: string
  readonly account: string
  readonly body: Body
  readonly objects: ReadonlyArray<StoredObject>
  readonly state: "RESERVED" | "HOSTED"
}

const size = check.wholeFrom(1)
const fields = Schema.Struct({
  bundle: Schema.Struct({
    size,
    mime: check.mime,
    sha256: check.hash,
    origin: check.url,
    entry: check.text(200),
    transformed: Schema.Boolean
  }),
  device: Schema.Struct({ platform: check.platform, width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(check.file),
  recordings: Schema.Array(Schema.Struct({ name: check.text(200), size, mime: check.mime, sha256: check.hash })),
  provenance: Schema.Struct({
    owner: check.text(100),
    repo: check.text(100),
    branch: check.branch,
    commitSha: check.commit,
    pullRequest: check.wholeFrom(1)
  }),
  billingKind: Schema.optional(check.text(50))
})

const finalization = Schema.Struct({ shareId: check.text(100), token: check.text(100) })

export const makePreviews = (
  viewer: string,
  storage: Storage,
  kind: TokenKind,
  isLinked: (account: string, repository: Repository) => boolean
) => {
  const previews = new Map<string, Preview>()
  const hostedUrl = (shareId: string) => `${viewer}/view/previews/${shareId}`
  const owned = (account: string, shareId: string): Preview | undefined => {
    const preview = previews.get(shareId)
    return preview?.account === account ? preview : undefined
  }

  const reservations = makeTokens(kind, (preview: Preview, _, said) => {
    const { objects, shareId } = preview
    if (said !== shareId) throw new Refusal(422, "unprocessable")
    storage.verify(objects)
    previews.set(shareId, { ...preview, state: "HOSTED" })
    return { shareId, url: hostedUrl(shareId) }
  })

  return {
    owned,
    hostedUrl,
    reserve: (account: string, body: Body) => {
      check.insist(fields, body)
      const { owner, repo } = asBody(body.provenance)
      if (!isLinked(account, { owner: String(owner), repo: String(repo) })) throw new Refusal(422, "repository_unknown")
      const objects = [
        toObject("bundle", body.bundle),
        ...asList(body.files).map((one) => toObject("file", one)),
        ...asList(body.recordings).map((one) => toObject("recording", one))
      ]
      const shareId = `shr_${randomUUID()}`
      const preview: Preview = { shareId, account, body, objects, state: "RESERVED" }
      previews.set(shareId, preview)
      return { shareId, token: reservations.issue(account, preview), uploads: objects.map(storage.slot) }
    },
    finalize: (account: string, body: Body) => {
      check.insist(finalization, body)
      return { preview: reservations.spend(account, body.token, body.shareId) }
    },
    read: (account: string, shareId: string) => {
      if (!shareId.startsWith("shr_")) throw new Refusal(400, "malformed_id")
      const preview = previews.get(shareId)
      if (preview === undefined) throw new Refusal(404, "preview_unknown")
      if (preview.account !== account) throw new Refusal(403, "forbidden")
      const { billingKind = null, device, provenance } = preview.body
      const withRole = (role: string) =>
        preview.objects.filter((one) => one.role === role).map(({ mime, name, size }) => ({ name, size, mime }))
      return {
        shareId,
        state: preview.state,
        url: hostedUrl(shareId),
        device,
        artifacts: { files: withRole("file"), recordings: withRole("recording") },
        provenance,
        owner: { account },
        billingKind
      }
    },
    /** The hosted bundle, for the account that it belongs to. */
    bundle: (account: string, shareId: string): Buffer | undefined => {
      const preview = owned(account, shareId)
      const [bundle] = preview?.state === "HOSTED" ? preview.objects : []
      return bundle === undefined ? undefined : storage.read(bundle)
    }
  }
}

export type Previews = ReturnType<typeof makePreviews>
