/**
 * Says that sentences were looked at: `node conformance/requirements/review.ts ID…`. Of each, whether the text still says
 * what its checks and the tests of the reference host prove. It writes their digests into `reviewed.json`, and takes out of
 * it what is no sentence any more.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { sentenceDigest } from "./digest.ts"
import { requirements } from "./index.ts"
import { readReviewed } from "./reviewed.ts"

const file = new URL("reviewed.json", import.meta.url)
const named = new Set(process.argv.slice(2))
const before = readReviewed(readFileSync(file, "utf8"))
const unknown = [...named].filter((id) => !requirements.some((one) => one.id === id))

if (unknown.length > 0) {
  console.error(`No sentence has the id ${unknown.join(", ")}.`)
  process.exitCode = 2
} else {
  const after: Record<string, string> = {}
  for (const requirement of requirements) {
    const { id } = requirement
    const digest = named.has(id) ? sentenceDigest(requirement) : before[id]
    if (digest !== undefined) after[id] = digest
  }
  writeFileSync(file, `${JSON.stringify(after, null, 2)}\n`)
}
