/**
 * Runs the suite on every mutant that receives objects wrongly, for `mutants.slow.test.ts`; some of these cases are
 * meant to fail.
 */
import { objectStoreSuite } from "../objectStore.ts"
import { receivingMutants } from "./receiving.ts"
import { urlMutants } from "./urls.ts"

const can = { urlsServedByHost: false, listsContentType: true, tellsContentHash: true }

for (const { adapter, fault } of [...receivingMutants, ...urlMutants]) objectStoreSuite(fault, adapter, can)
