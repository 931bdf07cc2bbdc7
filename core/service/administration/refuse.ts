import { Effect } from "effect"
import { AdministrationRefused } from "../AdministrationRefused.ts"

/** Refuses a command; the message gives the reason. */
export const refuse = (message: string) => Effect.fail(new AdministrationRefused({ message }))
