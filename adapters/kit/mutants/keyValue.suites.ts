/** Runs the suite on every mutant, for `mutants.matrix.test.ts`; most of these cases are meant to fail. */
import { Effect } from "effect"
import { keyValueStore } from "../../memory/keyValueStore.ts"
import { keyValueContract } from "../keyValueStore.ts"
import { keyValueMutants } from "./keyValue.ts"

for (const { fault, open } of [{ fault: "no fault", open: keyValueStore }, ...keyValueMutants]) {
  keyValueContract(
    fault,
    Effect.sync(() => ({ store: open() }))
  )
}
