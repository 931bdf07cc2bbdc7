#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node caches the compiled code of everything that is imported after this, and starts faster the next time.
enableCompileCache()
await import("./slipway.ts")
