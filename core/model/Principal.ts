import { Context } from "effect"
import type { Account } from "./Account.ts"
import type { KeyId, Scope } from "./ApiKey.ts"

/**
 * The account of a request, and the scopes of its key. A caller that the host authenticated by other means has no key.
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

/** The caller of a request: the account, the key if one was presented, and the scopes. */
export type Caller = Principal["Service"]

/** The caller of a request with an API key. */
export type KeyCaller = Caller & { readonly keyId: KeyId }

/** The caller of a request, as authenticated by the host itself. */
export interface ExternalIdentity {
  /** The name of an account that exists. */
  readonly account: string
  /** The granted scopes. Texts that are not a `Scope` are ignored, so OAuth scopes may be included. */
  readonly scopes: ReadonlyArray<string>
}

/** The caller of a read. Only the account matters: it sees its own resources. */
export type Reader = { readonly account: Pick<Caller["account"], "id"> }
