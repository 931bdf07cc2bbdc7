/** The settings of sign-in by OpenID Connect. */
import { Config, Duration, Effect, Option, Redacted, Schema } from "effect"
import { Scope } from "../../../core/model/ApiKey.ts"
import { sessionLife } from "../../../core/rules/credentials.ts"
import { SettingAlone } from "./engineSettings.ts"
import { duration, optional, refine } from "./settingValues.ts"

/** What the members of a group of the provider's may do in an account. */
export interface GroupGrant {
  readonly group: string
  readonly account: string
  readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
}

/** The provider by which people sign in to the pages, and who has access. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** The accounts that groups lead to, the first that fits first. */
  readonly grants: ReadonlyArray<GroupGrant>
  readonly groupsClaim: string
  /** What is asked of the provider, OAuth's `scope`. */
  readonly scope: string
  /** How long a person stays signed in. */
  readonly sessionLife: Duration.Duration
}

const issuerForm =
  /^https:\/\/[^/?#*@]+(?:\/[^?#]*)?$|^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/[^?#]*)?$/
const grantForm = /^([^=,]+)=([^=,:]+)(?::([a-z_+]+))?$/
/** The scopes of a group that is given none. Those that delete or administer have to be named. */
const everyday = Scope.literals.filter((scope) => scope !== "delete" && scope !== "account_admin")

/** One `group=account` or `group=account:scope+scope`. */
const grantIn = (written: string): Option.Option<GroupGrant> => {
  const [, group = "", account = "", scopes] = grantForm.exec(written)?.map((part) => part?.trim()) ?? []
  const named = scopes === undefined ? everyday : scopes.split("+")
  const [first, ...others] = named.filter(Schema.is(Scope))
  return group === "" || account === "" || first === undefined || others.length + 1 !== named.length
    ? Option.none()
    : Option.some({ group, account, scopes: [first, ...others] })
}

const grantsIn = (written: string) => Option.all(written.split(",").map((one) => grantIn(one.trim())))

const text = refine(Schema.String.check(Schema.isPattern(/^[^\p{Cc}]+$/u)), "must not be empty")

const config = Config.all({
  SLIPWAY_OIDC_ISSUER: optional(
    Config.schema(
      refine(
        Schema.String.check(
          Schema.isPattern(issuerForm),
          Schema.makeFilter((value: string) => URL.canParse(value))
        ),
        "must be the https URL that the provider gives as its issuer (http on localhost alone)"
      ),
      "SLIPWAY_OIDC_ISSUER"
    )
  ),
  SLIPWAY_OIDC_CLIENT_ID: optional(Config.schema(text, "SLIPWAY_OIDC_CLIENT_ID")),
  SLIPWAY_OIDC_CLIENT_SECRET: optional(
    Config.schema(text, "SLIPWAY_OIDC_CLIENT_SECRET").pipe(Config.map((value) => Redacted.make(value)))
  ),
  SLIPWAY_OIDC_ACCOUNTS: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.makeFilter((value: string) => Option.isSome(grantsIn(value)))),
        "must be such as mobile=acme,qa=acme:test_runs+preview_upload: groups, accounts and, where not all but delete, scopes"
      ),
      "SLIPWAY_OIDC_ACCOUNTS"
    ).pipe(Config.map((value) => Option.getOrElse(grantsIn(value), () => [])))
  ),
  SLIPWAY_OIDC_GROUPS_CLAIM: optional(Config.schema(text, "SLIPWAY_OIDC_GROUPS_CLAIM")),
  SLIPWAY_OIDC_SCOPE: optional(
    Config.schema(
      refine(
        Schema.String.check(Schema.isPattern(/^(?:[\x21\x23-\x5b\x5d-\x7e]+ )*openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/)),
        "must be words of OAuth's scope with openid among them, such as openid email groups"
      ),
      "SLIPWAY_OIDC_SCOPE"
    )
  )
})

const life = duration(
  "SLIPWAY_OIDC_SESSION",
  Duration.minutes(1),
  sessionLife,
  "must be a duration from 1m to 7d, such as 8h",
  Duration.hours(8)
)

/** Reads the settings of the provider; `undefined` without an issuer. */
export const oidcSettings: Effect.Effect<OidcSettings | undefined, Config.ConfigError | SettingAlone> = Effect.gen(
  function* () {
    const given = yield* config
    const issuer = given.SLIPWAY_OIDC_ISSUER
    if (issuer === undefined) {
      const alone = Object.entries(given).find(([, value]) => value !== undefined)
      return alone && (yield* new SettingAlone({ env: alone[0], needs: "SLIPWAY_OIDC_ISSUER" }))
    }
    const needed = <A>(env: keyof typeof given, value: A | undefined) =>
      value === undefined
        ? Effect.fail(new SettingAlone({ env: "SLIPWAY_OIDC_ISSUER", needs: env }))
        : Effect.succeed(value)
    return {
      issuer,
      clientId: yield* needed("SLIPWAY_OIDC_CLIENT_ID", given.SLIPWAY_OIDC_CLIENT_ID),
      clientSecret: yield* needed("SLIPWAY_OIDC_CLIENT_SECRET", given.SLIPWAY_OIDC_CLIENT_SECRET),
      grants: yield* needed("SLIPWAY_OIDC_ACCOUNTS", given.SLIPWAY_OIDC_ACCOUNTS),
      groupsClaim: given.SLIPWAY_OIDC_GROUPS_CLAIM ?? "groups",
      scope: given.SLIPWAY_OIDC_SCOPE ?? "openid email",
      sessionLife: yield* life
    }
  }
)
