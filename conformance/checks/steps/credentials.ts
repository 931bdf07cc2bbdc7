import type { AccountName, Credential, KeyName } from "../../session/Exchange.ts"

/** A key of an account; of the one with every scope, unless it says otherwise. */
export const keyOf = (account: AccountName, key: KeyName = "all"): Credential => ({ account, key })

/** The account that makes things. */
export const a = keyOf("a")

/** The other account. */
export const b = keyOf("b")
