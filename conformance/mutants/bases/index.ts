import type { Base } from "./Base.ts"
import { enveloped } from "./enveloped.ts"
import { reference } from "./reference.ts"

/** The hosts that mutants are made of. */
export const bases: ReadonlyArray<Base> = [reference, enveloped]
