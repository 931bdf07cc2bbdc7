import { randomUUID } from "node:crypto"
import { Refusal } from "../parts/http.ts"
import { asBody, type Body } from "../parts/json.ts"
import { declared, declaredList, type Declared } from "./declared.ts"
import { slotsOf } from "./slots.ts"
import { makeTokens, type TokenKind } from "../parts/tokens.ts"
import type { Uploads } from "./uploads.ts"

/** What a token of a preview holds. */
interface HeldPreview {
  readonly shareId: string
  readonly body: Body
  readonly objects: ReadonlyArray<Declared>
}

interface Preview {
  readonly account: string
  readonly body: Body
  readonly bundle: Buffer
}

/** The names of a list that was declared. */
const namesOf = (list: unknown): ReadonlyArray<string> => declaredList(list).map(({ name }) => name)

export const makePreviews = (url: string, uploads: Uploads, kind: TokenKind) => {
  const hosted = new Map<string, Preview>()
  const hostedUrl = (shareId: string) => `${url}/p/${shareId}`

  const tokens = makeTokens(kind, ({ body, objects, shareId }: HeldPreview, account) => {
    const bundle = uploads.take(objects).get("/") ?? Buffer.alloc(0)
    hosted.set(shareId, { account, body, bundle })
    return hostedUrl(shareId)
  })

  return {
    reserve: (account: string, body: Body) => {
      const objects = [
        declared("/", body.bytes, body.type),
        ...declaredList(body.files),
        ...declaredList(body.recordings, "@")
      ]
      const shareId = randomUUID()
      const token = tokens.issue(account, { shareId, body, objects })
      return { shareId, token, slots: slotsOf(objects, uploads, ({ key }) => ({ objectKey: key })) }
    },
    /** Answers the hosted URL alone. */
    finalize: tokens.spend,
    read: (account: string, shareId: string) => {
      const preview = hosted.get(shareId)
      if (preview?.account !== account) throw new Refusal(404, "not_found")
      const { files, git, recordings, screen } = preview.body
      return {
        url: hostedUrl(shareId),
        device: asBody(screen),
        files: namesOf(files),
        recordings: namesOf(recordings),
        git: asBody(git),
        account
      }
    },
    /** The hosted URL of an account's preview; `undefined` when the account has no such preview. */
    owned: (account: string, shareId: unknown): string | undefined =>
      typeof shareId === "string" && hosted.get(shareId)?.account === account ? hostedUrl(shareId) : undefined,
    bundle: (shareId: string): Buffer | undefined => hosted.get(shareId)?.bundle
  }
}
