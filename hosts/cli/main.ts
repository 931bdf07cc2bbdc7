#!/usr/bin/env node
import nodeModule from "node:module"
import { setFlagsFromString } from "node:v8"
import { commandNames } from "../ci/commandNames.ts"

// An older Node can't load the rest, and would only name the line that it stumbles over.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `slipway: It needs Node 24 or newer, and this is ${process.version}. slipway-ci runs on Node 20.\n`
  )
  process.exit(2)
}
// Node caches the compiled code of everything imported after this line, so the next start is faster.
nodeModule.enableCompileCache()
const args = process.argv.slice(2)
if (commandNames.some((word) => word === args[0])) {
  const { runHere } = await import("../ci/program.ts")
  process.exitCode = await runHere("slipway", args)
} else {
  // Loading the program would enlarge the young generation of a host permanently: see `heapSizes.ts`. It shortens the start of
  // every other command.
  if (args.includes("serve")) setFlagsFromString("--semi-space-growth-factor=1")
  await import("./slipway.ts")
}
