#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"
import { firstWords } from "../ci/firstWords.ts"

// Node caches the compiled code of everything imported after this line, so the next start is faster.
enableCompileCache()
// Loading the program would make the young generation large for good; `youngGeneration.ts` of the host tells why not.
setFlagsFromString("--semi-space-growth-factor=1")
const args = process.argv.slice(2)
if (firstWords.some((word) => word === args[0])) {
  const { runHere } = await import("../ci/program.ts")
  process.exitCode = await runHere("slipway", args)
} else await import("./slipway.ts")
