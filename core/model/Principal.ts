import { Context } from "effect"
import type { Account } from "./Account.ts"
import type { KeyId, Scope } from "./ApiKey.ts"

/** The account behind a request, and what the presented key may do. @see docs/interface.md#5 */
export class Principal extends Context.Service<
  Principal,
  {
    readonly account: Pick<Account, "id" | "name">
    readonly keyId: KeyId
    readonly scopes: ReadonlyArray<Scope>
  }
>()("slipway/core/model/Principal") {}

/** Who makes a request: the account, its key and what that key may do. */
export type Caller = Principal["Service"]

/** Who reads: only the account matters, and it sees what belongs to it. */
export type Reader = { readonly account: Pick<Caller["account"], "id"> }
