#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node caches the compiled code of everything imported after this line, so the next start is faster.
enableCompileCache()
await import("./slipway.ts")
