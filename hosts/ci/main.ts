#!/usr/bin/env node
/** The `slipway-ci` program. */
import { runHere } from "./program.ts"

process.exitCode = await runHere("slipway-ci", process.argv.slice(2))
