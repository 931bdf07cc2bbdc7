/** Writes the matrix into the README of this folder: `node conformance/mutants/print.ts`. */
import { readFileSync, writeFileSync } from "node:fs"
import { allChecks } from "./allChecks.ts"
import { bases } from "./bases/index.ts"
import { mutants } from "./index.ts"
import { matrix, withMatrix } from "./matrix.ts"

const file = new URL("README.md", import.meta.url)
writeFileSync(file, withMatrix(readFileSync(file, "utf8"), matrix(mutants, allChecks, bases)))
