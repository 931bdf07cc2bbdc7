#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node keeps the compiled code of what is loaded from here on, and starts with it the next time.
enableCompileCache()
await import("./slipway.ts")
