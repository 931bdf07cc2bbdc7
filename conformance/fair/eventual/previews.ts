import { randomBytes } from "node:crypto"
import { Refusal } from "../parts/http.ts"
import { asBody, asList, type Body } from "../parts/json.ts"
import type { Document } from "./document.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Versions } from "./replicas.ts"
import { toArtifact, type Artifact, type Storage } from "./storage.ts"

export interface Preview {
  readonly shareId: string
  readonly account: string
  readonly attributes: Body
  readonly artifacts: ReadonlyArray<Artifact>
  readonly hosted: boolean
}

/** The attributes of the resource that a request brings. */
export const attributesOf = (body: Body): Body => asBody(asBody(body.data).attributes)

export const makePreviews = (parts: {
  readonly viewer: string
  readonly storage: Storage
  readonly versions: Versions<Preview>
  /** The next read sees the writes up to this time. */
  readonly asOf: () => number
  readonly tokens: TokenKind
}) => {
  const { asOf, storage, tokens, versions, viewer } = parts
  const hostedUrl = (shareId: string) => `${viewer}/previews/${shareId}`

  const document = ({ account, artifacts, attributes, shareId }: Preview): Document => {
    const shown = (role: Artifact["role"]) =>
      artifacts.filter((one) => one.role === role).map(({ length, mediaType, name }) => ({ name, length, mediaType }))
    return {
      data: {
        type: "previews",
        id: shareId,
        attributes: {
          url: hostedUrl(shareId),
          viewport: asBody(attributes.viewport),
          media: { files: shown("file"), recordings: shown("recording") },
          source: asBody(attributes.source),
          billingKind: attributes.billingKind ?? "none",
          account: { name: account }
        }
      }
    }
  }

  const finalizer = makeTokens(tokens, (preview: Preview): Document => {
    storage.promote(preview.artifacts)
    versions.write(preview.shareId, { ...preview, hosted: true })
    return document(preview)
  })

  return {
    hostedUrl,
    reserve: (account: string, body: Body): Document => {
      const attributes = attributesOf(body)
      const { files, recordings } = asBody(attributes.media)
      const artifacts = [
        toArtifact("bundle", attributes.bundle),
        ...asList(files).map((one) => toArtifact("file", one)),
        ...asList(recordings).map((one) => toArtifact("recording", one))
      ]
      const shareId = randomBytes(9).toString("hex")
      const preview = { shareId, account, attributes, artifacts, hosted: false }
      versions.write(shareId, preview)
      return {
        data: { type: "reservations", id: shareId, attributes: { shareId, token: finalizer.issue(account, preview) } },
        included: artifacts.map(storage.slot)
      }
    },
    finalize: (account: string, body: Body): Document => finalizer.spend(account, attributesOf(body).token),
    read: (account: string, shareId: string): Document => {
      const preview = versions.at(asOf()).get(shareId)
      if (preview?.account !== account) throw new Refusal(404, "not_found")
      if (!preview.hosted) throw new Refusal(409, "not_hosted_yet")
      return document(preview)
    }
  }
}
