import { Context } from "effect"
import type { Account } from "./Account.ts"
import type { KeyId, Scope } from "./ApiKey.ts"

/** The account behind a request, and what the presented key may do. @see interface §5 */
export class Principal extends Context.Service<
  Principal,
  {
    readonly account: Pick<Account, "id" | "name">
    readonly keyId: KeyId
    readonly scopes: ReadonlyArray<Scope>
  }
>()("slipway/core/model/Principal") {}
