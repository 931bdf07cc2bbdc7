import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { NotFound, type InvalidRequest } from "../model/Problem.ts"
import type { ApiKey, Caller, KeyId, Scope } from "../model/ApiKey.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { RetentionRules } from "../model/Account.ts"
import type { DeliveryAttempt, WebhookId } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { isLive } from "../rules/credentials.ts"
import { isThisMachine } from "../rules/events.ts"
import { Administration, refuse, type AllCommands } from "./Administration.ts"
import { AdministrationRefused, type IssuedKey, type ShownWebhook } from "./administrationMethods.ts"

/** How many valid keys and how many webhooks an owner can add to. */
const [maxKeys, maxWebhooks] = [1000, 20]

/** How many deliveries of a webhook are listed. */
const deliveriesShown = 50

/** The retention rules that owners set. Billing records are the operator's. */
export type OwnRules = Omit<RetentionRules, "billed">

type Owner = Pick<Caller, "account">
type Owned<A> = Effect.Effect<A, NotFound | InvalidRequest | AdministrationRefused | WriteFailure>
type Webhook = ShownWebhook["webhook"]
type Retained = Effect.Success<ReturnType<AllCommands["retain"]>>
type UsageByMonth = Effect.Success<ReturnType<AllCommands["usage"]>>

/**
 * What owners administer of their own account: the commands of `Administration`, without a way to another account. The host requires
 * the scope `account_admin` first. A key, repository or webhook of another account is `NotFound`, as one that doesn't exist.
 */
export class OwnAccount extends Context.Service<
  OwnAccount,
  {
    /** The keys of the account, also expired and revoked ones, oldest first. */
    readonly keys: (owner: Owner) => Owned<ReadonlyArray<ApiKey>>
    /** Creates a key, as `Administration.createKey`. Refused from 1,000 valid keys on. */
    readonly createKey: (
      owner: Owner,
      params: {
        readonly name: string
        readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
        readonly life?: Duration.Duration | undefined
      }
    ) => Owned<IssuedKey>
    /** Creates a key in place of another one, which ends after `overlap`. Refused if that one has ended. */
    readonly rotateKey: (
      owner: Owner,
      params: { readonly id: KeyId; readonly overlap: Duration.Duration }
    ) => Owned<IssuedKey>
    /** Revokes a key from the next request on. */
    readonly revokeKey: (owner: Owner, id: KeyId) => Owned<void>
    /** The repositories that are linked to the account. */
    readonly repositories: (owner: Owner) => Owned<ReadonlyArray<Repository>>
    /** Sets the default branch and the web URL of a linked repository; `null` unsets one. */
    readonly configureRepository: (
      owner: Owner,
      params: RepositoryKey & {
        readonly defaultBranch: string | null
        readonly webUrl: string | null
      }
    ) => Owned<Repository>
    /** The rules of the account, and those that hold for it. */
    readonly retention: (owner: Owner) => Owned<Retained>
    /** Sets rules; those of the deployment apply again for rules in `forget`. Refused if the rules contradict each other. */
    readonly retain: (
      owner: Owner,
      params: { readonly rules: OwnRules; readonly forget: ReadonlyArray<keyof OwnRules> }
    ) => Owned<Retained>
    /** The usage of the account, and its billed test runs by month, latest first. */
    readonly usage: (owner: Owner) => Owned<UsageByMonth>
    /** The webhooks of the account, oldest first. Those of the whole deployment are the operator's. */
    readonly webhooks: (owner: Owner) => Owned<ReadonlyArray<Webhook>>
    /**
     * Adds a webhook for events of the account. Refused for a URL of the host's own machine, which only the operator may name, and from
     * 20 webhooks on.
     */
    readonly addWebhook: (
      owner: Owner,
      params: Pick<Webhook, "branch" | "format" | "repository" | "types" | "url">
    ) => Owned<{ readonly webhook: Webhook; readonly secret: string }>
    /** A webhook with its latest 50 attempts to deliver, the latest first, without addresses of the host's network. */
    readonly webhook: (
      owner: Owner,
      id: WebhookId
    ) => Owned<{ readonly webhook: Webhook; readonly attempts: ReadonlyArray<DeliveryAttempt> }>
    /** Removes a webhook with its undelivered events. */
    readonly removeWebhook: (owner: Owner, id: WebhookId) => Owned<void>
    /** Resumes a webhook that was disabled or is paused. */
    readonly resumeWebhook: (owner: Owner, id: WebhookId) => Owned<void>
    /** Sends a test event to a webhook. */
    readonly testWebhook: (owner: Owner, id: WebhookId) => Owned<void>
  }
>()("slipway/core/service/OwnAccount") {
  static readonly layer = Layer.effect(
    OwnAccount,
    Effect.gen(function* () {
      const admin = yield* Administration
      const named = ({ account }: Owner) => ({ account: account.name })

      const keys = Effect.fnUntraced(function* (owner: Owner) {
        const { account, keys } = yield* admin.listKeys(named(owner))
        // Another account may have got the name of one that was erased.
        return account.id === owner.account.id ? keys : yield* NotFound.default
      })
      const ownKey = Effect.fnUntraced(function* (owner: Owner, id: KeyId) {
        if (!(yield* keys(owner)).some((key) => key.id === id)) return yield* NotFound.default
      })

      const webhooks = Effect.fnUntraced(function* ({ account }: Owner) {
        const all = yield* admin.listWebhooks()
        return all.flatMap((one) => (one.account?.id === account.id ? [one.webhook] : []))
      })
      const ownWebhook = Effect.fnUntraced(function* (owner: Owner, id: WebhookId) {
        return (yield* webhooks(owner)).find((one) => one.id === id) ?? (yield* NotFound.default)
      })

      const repositories = Effect.fnUntraced(function* (owner: Owner) {
        const linked = yield* admin.listRepositories(named(owner))
        return linked.filter(({ accountId }) => accountId === owner.account.id)
      })

      return OwnAccount.of({
        keys,
        createKey: Effect.fn("OwnAccount.createKey")(function* (owner, params) {
          const now = yield* DateTime.now
          if ((yield* keys(owner)).filter((key) => isLive(key, now)).length >= maxKeys) {
            return yield* refuse(`The account has ${maxKeys} valid keys, which is the most; revoke some first.`)
          }
          return yield* admin.createKey({ ...named(owner), ...params })
        }),
        rotateKey: Effect.fn("OwnAccount.rotateKey")(function* (owner, params) {
          yield* ownKey(owner, params.id)
          return yield* admin.rotateKey(params)
        }),
        revokeKey: Effect.fn("OwnAccount.revokeKey")(function* (owner, id) {
          yield* ownKey(owner, id)
          yield* admin.revokeKey({ id })
        }),
        repositories,
        configureRepository: Effect.fn("OwnAccount.configureRepository")(function* (owner, params) {
          const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
          const linked = (yield* repositories(owner)).find(
            ({ owner, repo }) => same(owner, params.owner) && same(repo, params.repo)
          )
          if (linked === undefined) return yield* NotFound.default
          return yield* admin.configureRepository({ ...named(owner), ...params })
        }),
        retention: (owner) => admin.retain({ ...named(owner), rules: {}, forget: [] }),
        retain: (owner, { forget, rules }) => admin.retain({ ...named(owner), rules, forget }),
        usage: (owner) => admin.usage(named(owner)),
        webhooks,
        addWebhook: Effect.fn("OwnAccount.addWebhook")(function* (owner, params) {
          if (isThisMachine(new URL(params.url).hostname)) {
            return yield* refuse(
              "The URL must not be of the machine of the service; its operator can add this webhook."
            )
          }
          if ((yield* webhooks(owner)).length >= maxWebhooks) {
            return yield* refuse(`The account has ${maxWebhooks} webhooks, which is the most; remove one first.`)
          }
          return yield* admin.addWebhook({ ...named(owner), ...params })
        }),
        webhook: Effect.fn("OwnAccount.webhook")(function* (owner, id) {
          const webhook = yield* ownWebhook(owner, id)
          const attempts = yield* admin.listDeliveryAttempts({ webhook: id, limit: deliveriesShown })
          // A refused address tells how names resolve in the network of the host.
          return { webhook, attempts: attempts.map((one) => ({ ...one, answer: one.answer.replace(/ \(.*$/s, "") })) }
        }),
        removeWebhook: Effect.fn("OwnAccount.removeWebhook")(function* (owner, id) {
          yield* ownWebhook(owner, id)
          yield* admin.removeWebhook({ id })
        }),
        resumeWebhook: Effect.fn("OwnAccount.resumeWebhook")(function* (owner, id) {
          yield* ownWebhook(owner, id)
          yield* admin.resumeWebhook({ id })
        }),
        testWebhook: Effect.fn("OwnAccount.testWebhook")(function* (owner, id) {
          yield* ownWebhook(owner, id)
          yield* admin.testWebhook({ id })
        })
      })
    })
  )
}
