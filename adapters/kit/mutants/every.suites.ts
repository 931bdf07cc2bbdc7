/** Runs the suites on every mutant, for `mutants.matrix.test.ts`; most of these cases are meant to fail. */
import { Effect } from "effect"
import { keyValueStore } from "../../memory/keyValueStore.ts"
import { layerObjects } from "../../memory/index.ts"
import { layerBoth } from "../../sqlite/testing/newFile.ts"
import { keyValueContract } from "../keyValueStore.ts"
import { metadataSuite } from "../metadata.ts"
import { metadataSnapshotSuite } from "../metadataSnapshot.ts"
import { objectStoreSuite } from "../objectStore.ts"
import { loopback } from "../parts/objectStoreHarness.ts"
import { keyValueMutants } from "./keyValue.ts"
import { metadataMutants, snapshotMutants, twoHosts } from "./metadata.ts"
import { objectMutants } from "./objects.ts"

metadataSuite("no fault", twoHosts())
for (const { adapter, fault } of metadataMutants) metadataSuite(fault, adapter)

metadataSnapshotSuite("no fault", layerBoth)
for (const { adapter, fault } of snapshotMutants) metadataSnapshotSuite(fault, adapter)

const can = { urlsServedByHost: false, listsContentType: true, reportsContentHash: true }
objectStoreSuite("no fault", loopback(layerObjects), can)
for (const { adapter, fault } of objectMutants) objectStoreSuite(fault, adapter, can)

for (const { fault, open } of [{ fault: "no fault", open: keyValueStore }, ...keyValueMutants]) {
  keyValueContract(
    fault,
    Effect.sync(() => ({ store: open() }))
  )
}
