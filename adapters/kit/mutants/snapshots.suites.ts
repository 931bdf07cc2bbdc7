/** Runs the suite on every mutant, for `mutants.matrix.test.ts`; most of these cases are meant to fail. */
import { layerBoth } from "../../sqlite/testing/newFile.ts"
import { metadataSnapshotSuite } from "../metadataSnapshot.ts"
import { snapshotMutants } from "./snapshots.ts"

metadataSnapshotSuite("no fault", layerBoth)

for (const { adapter, fault } of snapshotMutants) metadataSnapshotSuite(fault, adapter)
