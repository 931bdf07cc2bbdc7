/**
 * Runs the suite on every mutant that keeps objects wrongly, for `mutants.matrix.test.ts`; some of these cases are meant
 * to fail.
 */
import { layerObjects } from "../../memory/index.ts"
import { objectStoreSuite } from "../objectStore.ts"
import { loopback } from "../parts/objectStoreHarness.ts"
import { storageMutants } from "./objects.ts"

const can = { urlsServedByHost: false, listsContentType: true, reportsContentHash: true }

objectStoreSuite("no fault", loopback(layerObjects), can)

for (const { adapter, fault } of storageMutants) objectStoreSuite(fault, adapter, can)
