/** Runs the suite on every mutant, for `mutants.matrix.test.ts`; most of these cases are meant to fail. */
import { metadataSuite } from "../metadata.ts"
import { metadataMutants } from "./metadata.ts"
import { twoHosts } from "./twoHosts.ts"

metadataSuite("no fault", twoHosts())

for (const { adapter, fault } of metadataMutants) metadataSuite(fault, adapter)
