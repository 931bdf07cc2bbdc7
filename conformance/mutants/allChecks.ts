import { checks } from "../checks/index.ts"
import { choicesKept } from "../run/choices.ts"

/** The ids of everything that a whole run makes, those that the runner makes itself included. */
export const allChecks: ReadonlyArray<string> = [...checks, ...choicesKept].map(({ id }) => id)
