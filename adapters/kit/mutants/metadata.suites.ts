/** Runs the suite on every mutant, for `mutants.slow.test.ts`; most of these cases are meant to fail. */
import { layerMetadata } from "../../memory/index.ts"
import { metadataSuite } from "../metadata.ts"
import { metadataMutants } from "./metadata.ts"

metadataSuite("no fault", layerMetadata)

for (const { adapter, fault } of metadataMutants) metadataSuite(fault, adapter)
