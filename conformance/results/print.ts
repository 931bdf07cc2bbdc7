/** Writes the page that lists the results: `node conformance/results/print.ts`. */
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { page } from "./page.ts"
import { folder, results } from "./results.ts"

writeFileSync(join(folder, "README.md"), page(await Effect.runPromise(results)))
