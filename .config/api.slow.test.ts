import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { apiReports } from "./apiReport.ts"

const folder = join(import.meta.dirname, "..", "docs", "api")

it("docs/api tells what each entry point exports", async () => {
  const reports = await apiReports()
  const stale = "is not what the package exports; look whether that is meant, then run: npm run api"
  assert.sameMembers([...reports.keys()], readdirSync(folder), `docs/api ${stale}`)
  for (const [file, text] of reports) {
    assert.isTrue(readFileSync(join(folder, file), "utf8") === text, `docs/api/${file} ${stale}`)
  }
})
