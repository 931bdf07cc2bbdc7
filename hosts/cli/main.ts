#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { setFlagsFromString } from "node:v8"

// Node caches the compiled code of everything imported after this line, so the next start is faster.
enableCompileCache()
// Loading the program would make the young generation large for good; `youngGeneration.ts` of the host tells why not.
setFlagsFromString("--semi-space-growth-factor=1")
await import("./slipway.ts")
