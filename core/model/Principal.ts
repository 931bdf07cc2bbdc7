import { Context } from "effect"
import type { Account } from "./Account.ts"
import type { KeyId, Scope } from "./ApiKey.ts"

/**
 * The account behind a request, and what the presented key may do. Whom the host admitted by other means has no key.
 *
 * @see docs/interface.md#5
 */
export class Principal extends Context.Service<
  Principal,
  {
    readonly account: Pick<Account, "id" | "name">
    readonly keyId?: KeyId
    readonly scopes: ReadonlyArray<Scope>
  }
>()("slipway/core/model/Principal") {}

/** Who makes a request: the account, its key if it presented one, and what it may do. */
export type Caller = Principal["Service"]

/** Who makes a request with an API key. */
export type KeyCaller = Caller & { readonly keyId: KeyId }

/** Who makes a request, as the host knows by its own means. */
export interface ExternalIdentity {
  /** The name of an account that exists. */
  readonly account: string
  /** What they may do. Texts that are no `Scope` count for nothing, so OAuth's scopes may stand among them. */
  readonly scopes: ReadonlyArray<string>
}

/** Who reads: only the account matters, and it sees what belongs to it. */
export type Reader = { readonly account: Pick<Caller["account"], "id"> }
