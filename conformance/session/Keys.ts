import type { Redacted } from "effect"
import type { AccountName, KeyName } from "./Exchange.ts"

/** The keys of a run by account and name. Configs, requests and reports hold none of them. */
export type Keys = Readonly<Record<AccountName, Readonly<Partial<Record<KeyName, Redacted.Redacted>>>>>
