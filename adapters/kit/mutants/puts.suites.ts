/**
 * Runs the suite on every mutant that receives objects wrongly, for `mutants.matrix.test.ts`; some of these cases are
 * meant to fail.
 */
import { objectStoreSuite } from "../objectStore.ts"
import { putMutants } from "./objects.ts"

const can = { urlsServedByHost: false, listsContentType: true, reportsContentHash: true }

for (const { adapter, fault } of putMutants) objectStoreSuite(fault, adapter, can)
