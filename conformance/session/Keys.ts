import type { Redacted } from "effect"
import type { AccountName, KeyName } from "./Exchange.ts"

/** The keys of a run, by account and name. They are nowhere else: not in a config, a request, a report. */
export type Keys = Readonly<Record<AccountName, Readonly<Partial<Record<KeyName, Redacted.Redacted>>>>>
