/**
 * Marks sentences as reviewed: `node conformance/requirements/review.ts ID…`. Do that when the text of each states what
 * its checks prove. It writes their digests into `reviewed.json`, and removes those of deleted sentences.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { readReviewed, sentenceDigest } from "./Requirement.ts"
import { requirements } from "./index.ts"

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
