/** Makes the report of the reference host again, and the page: `node conformance/results/own.ts`. */
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { renderJson } from "../report/files.ts"
import { inProcess, runTarget } from "../testing/target.ts"
import { folder, ownFile } from "./results.ts"

import packageJson from "slipway/package.json" with { type: "json" }

const { report } = await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const { target, transport } = yield* inProcess
      const implementation = { organisation: "Slipway", name: "the reference host", version: packageJson.version }
      return yield* runTarget({ ...target, config: { ...target.config, implementation } }, { transport })
    })
  )
)
writeFileSync(join(folder, ownFile), gzipSync(renderJson(report), { level: 9 }))
await import("./print.ts")
