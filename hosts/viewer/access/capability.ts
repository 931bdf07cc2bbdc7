import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import { KeyId } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Caller } from "../../../core/model/Principal.ts"
import { UrlRefused } from "../../../core/model/Problem.ts"
import type { Unauthorized, Unavailable } from "../../../core/model/Problem.ts"
import { SessionId } from "../../../core/model/Session.ts"
import { ShareLinkId } from "../../../core/model/ShareLink.ts"
import type { Shared } from "../../../core/model/ShareLink.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { makeSeal } from "./seal.ts"

const life = Duration.hours(1)

/**
 * What a capability opens: one build or preview to run, or the objects of a preview as they were uploaded. What runs
 * knows its own, and gets at no recording by it.
 */
const Opened = Schema.Union([
  Schema.Struct({ build: BuildId }),
  Schema.Struct({ preview: ShareId }),
  Schema.Struct({ objectsOf: ShareId })
])
export type Opened = typeof Opened.Type

/** By what right it was given out, and with what it ends: a session, a key that came with the request, or a share link. */
const By = Schema.Union([
  Schema.Struct({ session: SessionId }),
  Schema.Struct({ key: KeyId }),
  Schema.Struct({ share: ShareLinkId })
])
export type By = typeof By.Type

/** Who looks: by a session, or by a key that came with the request. */
export interface Visitor extends Caller {
  readonly sessionId?: SessionId
}

/** By what right something is opened for who looks. */
export const rightOf = ({ keyId, sessionId }: Visitor): By =>
  sessionId === undefined ? { key: keyId } : { session: sessionId }

// Anyone who has a capability can read it, so it does not name the account.
const Capability = Schema.Struct({ opens: Opened, by: By, until: Schema.DateTimeUtcFromMillis })
type Capability = typeof Capability.Type

/** What a name opens now, whose that is, and what the link is to by whose right it does, if it is a link's. */
interface OpenedNow {
  readonly account: AccountId
  readonly opens: Opened
  readonly shared?: Shared
}

const refused = (detail: string) => Effect.fail(new UrlRefused({ detail }))

/** Below which path everything runs by a capability, and below which every object is opened by one. */
export const replayRoot = "/replay/"
export const objectsRoot = "/preview-objects/"

/** The path of what runs by a capability; its files lie below. */
export const replayPath = (name: string): string => `${replayRoot}${name}/`

/** The path below which a capability opens each object of a preview by its place, as it was uploaded. */
export const objectsPath = (name: string): string => `${objectsRoot}${name}/`

/**
 * Names for a build or a preview that open it without a key for an hour, so that uploaded code and media can be served
 * without a session, and out of reach of one.
 *
 * - `issue` answers a name as one segment of a URL.
 * - `check` answers what a name opens now; `UrlRefused` when it was tampered with or its hour is over, and from the
 *   request on at which its session has ended, its key is revoked or its share link is.
 */
export class Capabilities extends Context.Service<
  Capabilities,
  {
    readonly issue: (what: Omit<Capability, "until">) => Effect.Effect<string>
    readonly check: (name: string) => Effect.Effect<OpenedNow, UrlRefused | Unavailable>
  }
>()("slipway/hosts/viewer/Capabilities") {
  static readonly layer = (options: { readonly secret: Redacted.Redacted }) =>
    Layer.effect(
      Capabilities,
      Effect.gen(function* () {
        const authorization = yield* Authorization
        const links = yield* ShareLinks
        const sessions = yield* Sessions
        const { open, seal } = makeSeal(Capability, { secret: options.secret, purpose: "replay" })
        const ended = () => refused("This URL was revoked.")

        return Capabilities.of({
          issue: (what) => Effect.map(DateTime.now, (now) => seal({ ...what, until: DateTime.addDuration(now, life) })),
          check: Effect.fnUntraced(function* (name): Effect.fn.Return<OpenedNow, UrlRefused | Unavailable> {
            const capability = Option.getOrUndefined(open(name))
            if (capability === undefined) return yield* refused("The viewer did not issue this URL.")
            if (DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, capability.until)) {
              return yield* refused("This URL has expired. Open the page that it came from again.")
            }
            const { by, opens } = capability
            if ("share" in by) {
              const link = yield* Effect.catchTag(links.check(by.share), ["NotFound", "ShareLinkEnded"], ended)
              return { account: link.accountId, opens, shared: link.shared }
            }
            const holder: Effect.Effect<Caller, Unauthorized | Unavailable> =
              "session" in by ? sessions.check(by.session) : authorization.authenticateById(by.key)
            const { account } = yield* Effect.catchTag(holder, "Unauthorized", ended)
            return { account: account.id, opens }
          })
        })
      })
    )
}
