/** Capability URLs: they open uploaded content for a limited time and without a cookie, because they are signed. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, DateTime, Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Base64Url from "effect/encoding/Base64Url"
import { AccountId } from "../../../core/model/Account.ts"
import { type Caller, KeyId, SessionId } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { jsonEncoder } from "../../../core/model/compiledJson.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { type InvalidRequest, type Unauthorized, type Unavailable, UrlRefused } from "../../../core/model/Problem.ts"
import { type Shared, ShareLinkId } from "../../../core/model/Resource.ts"
import { secretTexts, type SigningSecret } from "../../../core/model/SigningSecret.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { callHook } from "../../http/authenticate.ts"
import { OwnSessions } from "./ownSessions.ts"

const life = Duration.hours(1)

/** The life of what was opened by a right that nothing ends earlier. */
const shortLife = Duration.minutes(5)

/**
 * What a capability gives access to: running one build or preview, or reading the uploaded objects of a preview
 * or the files of a build. Running code knows its own capability, which therefore opens no recording.
 */
const CapabilityTarget = Schema.Union([
  Schema.Struct({ build: BuildId }),
  Schema.Struct({ preview: ShareId }),
  Schema.Struct({ objectsOf: ShareId }),
  Schema.Struct({ filesOf: BuildId })
])
export type CapabilityTarget = typeof CapabilityTarget.Type

/**
 * The right by which a capability was issued. It ends with this session, key or share link; that of an account alone, for
 * callers that the embedder's `authenticate` admitted without a key, after five minutes.
 */
const Grant = Schema.Union([
  Schema.Struct({ session: SessionId }),
  Schema.Struct({ key: KeyId }),
  Schema.Struct({ share: ShareLinkId }),
  Schema.Struct({ ownSession: Schema.String, account: AccountId }),
  Schema.Struct({ account: AccountId })
])
export type Grant = typeof Grant.Type

/** Who looks: by a session of the viewer's or of the embedder's, or by what came with the request alone. */
export interface Visitor extends Caller {
  readonly sessionId?: SessionId
  readonly ownSession?: string
}

/** The right by which the viewing person opens something. */
export const rightOf = ({ account, keyId, ownSession, sessionId }: Visitor): Grant => {
  if (sessionId !== undefined) return { session: sessionId }
  if (ownSession !== undefined) return { ownSession, account: account.id }
  return keyId === undefined ? { account: account.id } : { key: keyId }
}

// Anyone who has a capability can read its content, so it contains no secret.
const Capability = Schema.Struct({ opens: CapabilityTarget, by: Grant, until: Schema.DateTimeUtcFromMillis })
type Capability = typeof Capability.Type

/** What a capability opens now, its account, and, if it was issued for a share link, what that link shares. */
interface OpenedNow {
  readonly account: AccountId
  readonly opens: CapabilityTarget
  readonly shared?: Shared
}

const refused = (detail: string) => Effect.fail(new UrlRefused({ detail }))

/** The path prefixes of running code and of uploaded objects. */
export const replayRoot = "/replay/"
export const objectsRoot = "/preview-objects/"

/** The path of what a capability runs. Its files are below this path. */
export const replayPath = (name: string): string => `${replayRoot}${name}/`

/** The path below which a capability opens the uploaded objects of a preview. */
export const objectsPath = (name: string): string => `${objectsRoot}${name}/`

/**
 * Tokens that open a build or preview for an hour without a key. Uploaded code and media can then be served without a
 * session cookie. `issue` returns a token as one segment of a URL. `check` returns what a token opens now. It fails
 * with `UrlRefused` if the token was altered or its hour is over, or once its session has ended or its key or share
 * link is revoked.
 */
export class Capabilities extends Context.Service<
  Capabilities,
  {
    readonly issue: (what: Omit<Capability, "until">) => Effect.Effect<string>
    readonly check: (name: string) => Effect.Effect<OpenedNow, UrlRefused | Unavailable>
  }
>()("slipway/hosts/viewer/Capabilities") {
  static readonly layer = (options: { readonly secret: SigningSecret }) =>
    Layer.effect(
      Capabilities,
      Effect.gen(function* () {
        const authorization = yield* Authorization
        const links = yield* ShareLinks
        const sessions = yield* Sessions
        const own = yield* OwnSessions
        const { open, seal } = makeSeal(Capability, { secret: options.secret, purpose: "replay" })
        const ended = () => refused("This URL was revoked.")

        return Capabilities.of({
          issue: (what) =>
            Effect.map(DateTime.now, (now) => {
              const isShort = "account" in what.by && !("ownSession" in what.by)
              return seal({ ...what, until: DateTime.addDuration(now, isShort ? shortLife : life) })
            }),
          check: Effect.fnUntraced(function* (name): Effect.fn.Return<OpenedNow, UrlRefused | Unavailable> {
            const capability = Option.getOrUndefined(open(name))
            if (capability === undefined) return yield* refused("The viewer did not issue this URL.")
            if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, capability.until)) {
              return yield* refused("This URL has expired. Open the page that it came from again.")
            }
            const { by, opens } = capability
            if ("share" in by) {
              const link = yield* Effect.catchTag(
                links.check(by.share),
                ["InvalidRequest", "NotFound", "ShareLinkEnded"],
                ended
              )
              return { account: link.accountId, opens, shared: link.shared }
            }
            if ("account" in by) {
              const isOn =
                !("ownSession" in by) ||
                (own !== undefined && (yield* callHook("sessions.isOn", Schema.Boolean, () => own.isOn(by.ownSession))))
              return isOn ? { account: by.account, opens } : yield* ended()
            }
            const holder: Effect.Effect<Caller, InvalidRequest | Unauthorized | Unavailable> =
              "session" in by ? sessions.check(by.session) : authorization.authenticateById(by.key)
            const { account } = yield* Effect.catchTag(holder, ["InvalidRequest", "Unauthorized"], ended)
            return { account: account.id, opens }
          })
        })
      })
    )
}

/** Signs values with a secret: anyone can read them, but only a holder of the secret can create or change them. */
interface Seal<A> {
  /** The signed value as text for a URL: base64url, a dot, base64url. */
  readonly seal: (value: A) => string
  /** The value in a text that this seal made; `none` for any other text. */
  readonly open: (text: string) => Option.Option<A>
}

/** A seal with HMAC-SHA256. It opens what any of several secrets signed. A value sealed for one `purpose` can't be opened for another under the same secret. */
export const makeSeal = <A, I>(
  schema: Schema.Codec<A, I>,
  options: { readonly secret: SigningSecret; readonly purpose: string }
): Seal<A> => {
  const secrets = secretTexts(options.secret)
  const encode = jsonEncoder(schema)
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  const signature = (payload: string, secret = secrets[0]): string =>
    Base64Url.encode(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`slipway/viewer/${options.purpose}\n${payload}`)))

  return {
    seal: (value) => {
      const payload = Base64Url.encode(encode(value))
      return `${payload}.${signature(payload)}`
    },
    open: (text) => {
      const dot = text.indexOf(".")
      const payload = text.slice(0, Math.max(0, dot))
      const given = utf8ToBytes(text.slice(dot + 1))
      return secrets.some((secret) => timingSafeEqual(given, utf8ToBytes(signature(payload, secret))))
        ? Option.flatMap(Result.getSuccess(Base64Url.decodeString(payload)), decode)
        : Option.none()
    }
  }
}
