import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Redacted } from "effect"
import { AccountId } from "../../core/model/Account.ts"
import { BuildId } from "../../core/model/Build.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { UrlRefused } from "../../core/model/Problem.ts"
import { makeSeal } from "./seal.ts"

const life = Duration.hours(1)

/** What a capability opens: one build, or one preview with its recordings. */
const Opened = Schema.Union([Schema.Struct({ build: BuildId }), Schema.Struct({ preview: ShareId })])
export type Opened = typeof Opened.Type

const Capability = Schema.Struct({ account: AccountId, opens: Opened, until: Schema.DateTimeUtcFromMillis })
type Capability = typeof Capability.Type

const refused = (detail: string) => Effect.fail(new UrlRefused({ detail }))

/** The path of what runs by a capability; its files lie below. */
export const replayPath = (name: string): string => `/replay/${name}/`

/** The path below which a capability opens each object of a preview by its place, as it was uploaded. */
export const objectsPath = (name: string): string => `/preview-objects/${name}/`

/**
 * Names for a build or a preview that open it without a key for an hour, so that uploaded code and media can be served
 * without a session, and out of reach of one. Nothing is looked up to check one.
 *
 * - `issue` answers a name as one segment of a URL.
 * - `check` answers what a name opens now; `UrlRefused` when it was tampered with or its hour is over.
 */
export class Capabilities extends Context.Service<
  Capabilities,
  {
    readonly issue: (what: Omit<Capability, "until">) => Effect.Effect<string>
    readonly check: (name: string) => Effect.Effect<Capability, UrlRefused>
  }
>()("slipway/hosts/viewer/Capabilities") {
  static readonly layer = (options: { readonly secret: Redacted.Redacted }) =>
    Layer.sync(Capabilities, () => {
      const { open, seal } = makeSeal(Capability, { secret: options.secret, purpose: "replay" })
      return Capabilities.of({
        issue: ({ account, opens }) =>
          Effect.map(DateTime.now, (now) => seal({ account, opens, until: DateTime.addDuration(now, life) })),
        check: Effect.fnUntraced(function* (name) {
          const capability = Option.getOrUndefined(open(name))
          if (capability === undefined) return yield* refused("This is no URL that the viewer gave out.")
          return DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, capability.until)
            ? yield* refused("This URL is past its time; open the page that led to it again.")
            : capability
        })
      })
    })
}
