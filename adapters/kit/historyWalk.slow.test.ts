/** More of the random walks over histories than the suites take. */
import { layerMetadata } from "../memory/index.ts"
import { layerEmptyMetadata, layerFile } from "../sqlite/testing/newFile.ts"
import { walkCase } from "./historyWalk.ts"
import { suite } from "./parts/suite.ts"

suite("many walks on memory", layerMetadata, (it) => walkCase(it, 60))
suite("many walks on SQLite", { shared: layerFile, each: layerEmptyMetadata }, (it) => walkCase(it, 30))
